import { sql } from 'kysely'
import { loadCellRows } from '~/features/reports/cells/cells.server'
import { sources } from '~/features/reports/cells/sources/all.server'
import {
  OPENED_TABLES,
  type Opened,
  type OpenedTable,
} from '~/features/reports/cells/sources/opened'
import { readPeriod } from '~/features/reports/cells/period'
import { readHistory } from '~/policy/rules'
import { historyWhere } from '~/policy/sql.server'
import { type Context, query } from '~/server/operation'
import { forbidden, invalid } from '~/shared/errors'
import { PAGE_SIZE } from '~/shared/record'
import { clinicTimeZone } from '~/shared/zone'
import { permitsSomewhere } from '~/policy/facts'
import { closedRuns, loadClosedVersion } from './closed.server'
import { toReportRun } from './closing.server'
import { loadReport } from './report.server'
import { requireCell } from './reports.server'
import { mayCountSomewhere, mayDrill } from './rights'
import { DrillReport } from './runs'

/**
 * The rows behind a number, in the order of their days: those of histories that the user may read, and how many others
 * there are. Of a closed run, the rows that it was closed with; with `late`, those that it does not have.
 */
export const drillReport = query('reports.drill', {
  access: 'reports',
  input: DrillReport,
  allow: ({ actor }) => mayCountSomewhere(actor) && permitsSomewhere(readHistory, actor),
  async run(ctx, { number, late, page, section, row, column, ...input }) {
    const { db, actor } = ctx
    const report = await loadReport(ctx, input)
    if (!mayDrill(actor, report.clinicIds)) throw forbidden()
    const runs = await closedRuns(db, report)
    const run = number === undefined ? runs[0] : runs.find((each) => each.number === number)
    if (number && !run) throw invalid({ number: { key: 'reports.runNotFound' } })
    if (late && !run) throw invalid({ period: { key: 'reports.notClosed' } })
    const stored = run ? await loadClosedVersion(db, report, run) : report.stored
    const zone = run?.zone ?? clinicTimeZone()
    const cell = { section, row, column }
    requireCell(stored.body, cell)
    const asThen = { ...report, stored, period: readPeriod(input.period, zone)! }
    const live = async () => (await loadCellRows(db, toReportRun(asThen, zone), cell)).ids
    const kept = run && (await keptIds(db, run.id, cell))
    const shown = async () => (run ? kept : await live())
    const ids = late ? kept && without(await live(), kept) : await shown()
    const of = { definition: stored.body, clinics: report.clinics, run: run ?? null }
    // too many for the closed run to keep
    if (!ids)
      return {
        ...of,
        isKept: false,
        rows: [],
        not_shown: 0,
        pagination: { page, pageSize: PAGE_SIZE, total: 0 },
      }
    const { rows, total } = await loadPeople(ctx, ids, page)
    return {
      ...of,
      isKept: true,
      rows,
      not_shown: ids.length - total,
      pagination: { page, pageSize: PAGE_SIZE, total },
    }
  },
  shows: ({ rows }) => rows.map(({ patient_id }) => patient_id),
})

const without = (ids: string[], kept: string[]) => {
  const known = new Set(kept)
  return ids.filter((id) => !known.has(id))
}

/** Null if there were too many to keep. */
async function keptIds(
  db: Context['db'],
  runId: string,
  { section, row, column }: { section: string; row: string; column: string },
): Promise<string[] | null> {
  const cell = await db
    .selectFrom('report_cells')
    .select('row_ids')
    .where('run_id', '=', runId)
    .where('section', '=', section)
    .where('row_id', '=', row)
    .where('column_id', '=', column)
    .executeTakeFirst()
  return cell ? cell.row_ids : []
}

/** An id is in one of the tables whose rows reports count. */
const OPENED = [...new Set(Object.values(sources).flatMap(({ opens }) => opens ?? []))]

type Person = {
  id: string
  kind: OpenedTable
  /** `yyyy-MM-dd` in the clinic's zone. */
  day: string
  patient_id: string
  given_name: string | null
  surname: string | null
  sex: string | null
  date_of_birth: string | null
  metadata: unknown
  died_on: string | null
}

/** One page of the rows that the user may read, and how many there are; `ids`: of rows of any counted table. */
async function loadPeople(
  ctx: Context,
  ids: string[],
  page: number,
): Promise<{ rows: Person[]; total: number }> {
  const { db, actor } = ctx
  const zone = clinicTimeZone()
  const rowsIn = (table: OpenedTable) => {
    const { at, isDay, ofVisit, kept, ...own }: Opened = OPENED_TABLES[table]
    const { clinic = 'recorded_clinic_id', patient = 'row.patient_id' } = own
    const column = ofVisit
      ? sql`coalesce(v.check_in_timestamp, ${sql.ref(`row.${at}`)})`
      : sql.ref(`row.${at}`)
    return sql`select row.id, asked.at, ${table}::text as kind,
        ${sql.raw(patient)} as patient_id, ${sql.ref(`row.${clinic}`)} as recorded_clinic_id,
        ${isDay ? column : sql`(${column} at time zone ${zone}::text)::date`} as day
      from ${sql.table(table)} row join asked on asked.id = row.id
        ${ofVisit ? sql`left join visits v on v.id = row.visit_id` : sql``}
      where ${kept ? sql`true` : sql`not row.is_deleted`}`
  }
  const found = sql.join(OPENED.map(rowsIn), sql` union all `)
  const { rows } = await sql<Person & { total: number }>`
    with asked as materialized (
      select id, at from unnest(${ids}::uuid[]) with ordinality as asked (id, at)),
    found as materialized (${found})
    select found.id, found.kind, found.day::text as day, found.patient_id, patients.given_name,
      patients.surname, patients.sex, patients.date_of_birth, patients.metadata, patients.died_on,
      count(*) over () as total
    from found join patients on patients.id = found.patient_id and not patients.is_deleted
    where ${historyWhere(actor, 'found')}
    order by found.day, patients.surname collate names, patients.given_name collate names, found.id, found.at
    limit ${PAGE_SIZE} offset ${(page - 1) * PAGE_SIZE}`.execute(db)
  // beyond the last page
  if (rows.length === 0 && page > 1)
    return { rows: [], total: (await loadPeople(ctx, ids, 1)).total }
  return { rows: rows.map(({ total: _, ...row }) => row), total: rows[0]?.total ?? 0 }
}
