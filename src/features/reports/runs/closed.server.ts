import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import {
  cellKey,
  type CellName,
  definitionCells,
  forClinics,
  type ReportDefinition,
} from '~/features/reports/cells/definition'
import { withKeptMedicines } from './medicines.server'
import type { Report, StoredReport } from './report.server'

/** The closed runs of a report, newest first, with the names of those who closed and signed. */
export async function closedRuns(
  db: Kysely<DB>,
  { stored, clinicIds, period }: Pick<Report, 'clinicIds' | 'period'> & { stored: { id: string } },
) {
  const { rows } = await sql<ClosedRun>`
    select run.id, run.number, run.version, run.zone, run.reason, run.closed_at,
      closer.name as closed_by, preparer.name as prepared_by, run.prepared_by as prepared_by_id, run.prepared_at,
      checker.name as checked_by, run.checked_at
    from report_runs run
    left join users closer on closer.id = run.closed_by
    left join users preparer on preparer.id = run.prepared_by
    left join users checker on checker.id = run.checked_by
    where run.definition_id = ${stored.id} and run.clinic_ids = ${[...clinicIds]}::uuid[]
      and run.period = ${period.text}
    order by run.number desc`.execute(db)
  return rows
}
export type ClosedRun = {
  id: string
  /** 1: the first closing; above: amendments. */
  number: number
  version: number
  zone: string
  reason: string | null
  closed_at: Date
  closed_by: string | null
  prepared_by: string | null
  prepared_by_id: string | null
  prepared_at: Date | null
  checked_by: string | null
  checked_at: Date | null
}

/**
 * The definition as it was at the closing, with the medicines of then (`later`: and those that came since). It was
 * checked when it was saved.
 */
export async function loadClosedVersion(
  db: Kysely<DB>,
  { stored, clinics }: Pick<Report, 'stored' | 'clinics'>,
  { id, version }: Pick<ClosedRun, 'id' | 'version'>,
  later: Pick<Report, 'clinicIds' | 'period'> | null = null,
): Promise<StoredReport> {
  const { body } = await db
    .selectFrom('report_definition_versions')
    .select('body')
    .where('definition_id', '=', stored.id)
    .where('version', '=', version)
    .executeTakeFirstOrThrow()
  const then = forClinics(body, clinics)
  return { ...stored, version, body: await withKeptMedicines(db, then, { runId: id, later }) }
}

/** The cells of a closed run or of one of its sections, in no order. */
export const storedCells = (db: Kysely<DB>, runId: string, section?: string) =>
  db
    .selectFrom('report_cells')
    .select([
      'section',
      'row_id as row',
      'column_id as column',
      'value',
      'numerator',
      'denominator',
    ])
    .select(['row_count as rows', 'rows_hash as hash'])
    .where('run_id', '=', runId)
    .$if(section !== undefined, (q) => q.where('section', '=', section!))
    .execute()
type StoredCell = Awaited<ReturnType<typeof storedCells>>[number]

/** Cells in the order of the paper. */
export function sortCells<C extends CellName>(
  definition: ReportDefinition,
  cells: readonly C[],
): C[] {
  const found = new Map(cells.map((cell) => [cellKey(cell), cell]))
  return definitionCells(definition).flatMap((cell) => found.get(cellKey(cell)) ?? [])
}

/** A report that both signed is exact for all its readers. */
export const isSigned = (run: Pick<ClosedRun, 'prepared_at' | 'checked_at'> | undefined) =>
  Boolean(run?.prepared_at && run.checked_at)

/** What a closed run keeps for "not placed" of a section, beside its cells. */
export const NOT_PLACED = { row_id: '', column_id: '' }

export const storedNotPlaced = (cells: readonly StoredCell[]): Record<string, number> =>
  Object.fromEntries(
    cells.flatMap(({ section, row, value }) =>
      row === NOT_PLACED.row_id ? [[section, value ?? 0]] : [],
    ),
  )
