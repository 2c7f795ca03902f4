import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { DB } from '~/db/types'
import { diagnosisQuestions } from '~/features/care/problem-codes/diagnosed.server'
import { limited, queue } from '~/server/limited'
import { pauses } from '~/server/pauses'
import { AppError } from '~/shared/errors'
import { type CellName, sectionColumns, cellMeasure, type ReportDefinition } from './grammar'
import type { ReportSource } from './fields'
import { type CellFormula, buildFormula, cellFormulas, rowTests } from './formula'
import type { Computed, ManualInputs, Leaf, LeafRow, LeafValue } from './kinds/kind'
import type { Period } from './period'
import { partKey, type Scan, scanKey, planScans } from './scan.server'
import type { Scope } from './sources/source.server'

/** What is computed: a definition of which `checkDefinition` finds no problem, for clinics and a period. */
export type ReportRun = ManualInputs & {
  definition: ReportDefinition
  clinicIds: readonly string[]
  period: Period
  zone: string
  now: Date
}

type CellValue = CellName & Computed

/** `notPlaced`: section -> what its rows count and none of its columns shows. */
export type CellsOfRun = { cells: CellValue[]; notPlaced: Record<string, number> }

/** `ids` and `patientIds` belong together; null: a row without a patient, such as a stock movement. */
type CellRows = { source: ReportSource | null; ids: string[]; patientIds: (string | null)[] }

const MOST_SECONDS = 10
const QUERY_CANCELED = '57014'

/** Reports are computed one after the other: two at once would keep both cores of a small machine from the day. */
const reportQueue = () => queue('reports', () => limited(1))

/**
 * Runs statements that only read, of one moment, when no other report is computed. Throws `unavailable` if one of them
 * takes longer than `seconds`.
 */
export async function readOnly<T>(
  db: Kysely<DB>,
  work: (db: Kysely<DB>) => Promise<T>,
  seconds = MOST_SECONDS,
): Promise<T> {
  const begin = async (trx: Kysely<DB>) => {
    await sql`select set_config('transaction_read_only', 'on', true),
      set_config('statement_timeout', ${String(seconds * 1000)}, true),
      set_config('work_mem', '64MB', true),
      -- pages are expected in memory, so that a month's vital signs are looked up instead of reading those of all years
      set_config('random_page_cost', '1', true),
      set_config('jit', 'off', true)`.execute(trx)
    return work(trx)
  }
  try {
    if (!db.isTransaction)
      return await reportQueue().run(() =>
        db.transaction().setIsolationLevel('repeatable read').execute(begin),
      )
    // of a transaction that writes: it has a connection, so it waits for nobody; these settings end with the savepoint
    await sql`savepoint report`.execute(db)
    try {
      return await begin(db)
    } finally {
      await sql`rollback to savepoint report`.execute(db)
      await sql`release savepoint report`.execute(db)
    }
  } catch (error) {
    if (error instanceof DatabaseError && error.code === QUERY_CANCELED)
      throw new AppError('unavailable', { key: 'reports.tookTooLong', values: { seconds } })
    throw error
  }
}

async function loadScope(db: Kysely<DB>, run: ReportRun): Promise<Scope> {
  const bindings = await db
    .selectFrom('report_bindings')
    .select([
      'concept',
      'clinic_id',
      'form_id',
      'field_id',
      'option',
      'when_field_id',
      'when_option',
    ])
    .where('is_deleted', '=', false)
    .orderBy('id')
    .execute()
  const diagnoses = await diagnosisQuestions(db)
  const groups = Object.keys(run.definition.groups ?? {}).map((name, at) => [name, at + 1] as const)
  return { ...run, bindings, diagnoses, groups: new Map(groups) }
}

type Values = (leaf: Leaf) => LeafValue

/** Computes every cell. Who may see them is for the caller to decide. */
export function runCells(db: Kysely<DB>, run: ReportRun): Promise<CellsOfRun> {
  return readOnly(db, async (trx) => {
    const scope = await loadScope(trx, run)
    const pause = pauses()
    const formulas = cellFormulas(run.definition, run.clinicIds)
    const leaves = formulas.flatMap(({ formula }) => formula.leaves)
    const scans = await planScans(scope, leaves, pause)
    const placed = planRowTotals(run, formulas, (leaf) => scans.get(scanKey(leaf)))
    const values = new Map<string, Values>()
    for (const [key, scan] of scans) {
      await pause()
      values.set(key, await scan.values(trx))
    }
    const found: Values = (leaf) => values.get(scanKey(leaf))!(leaf)
    const cells: CellValue[] = []
    for (const { section, row, column, formula } of formulas) {
      await pause()
      cells.push({ section, row, column, ...formula.value(found, run) })
    }
    return { cells, notPlaced: await countUnplaced(trx, run.definition, placed) }
  })
}

type Placed = { section: string; scan: Scan; whole: Leaf; leaves: Leaf[] }

/** Rows of sections with what they count and what their columns take; their scans learn of it before they run. */
function planRowTotals(
  { definition, clinicIds }: ReportRun,
  formulas: readonly CellFormula[],
  scanOf: (leaf: Leaf) => Scan | undefined,
): Placed[] {
  return sectionsOfColumns(definition).flatMap((section) =>
    section.rows.flatMap((row, at) => {
      const cells = formulas.filter((each) => each.section === section.id && each.row === row.id)
      const leaves = cells.flatMap(({ column, formula }) =>
        column === 'total' ? [] : (formula.leaf ?? []),
      )
      const [first] = leaves
      if (first?.of.kind !== 'count') return []
      const where = { ...rowTests(section, at), manual: '' }
      const { leaf: whole } = buildFormula(definition, clinicIds, cellMeasure(section, row)!, where)
      const scan = scanOf(first)
      if (!scan || !whole) return []
      scan.add(whole)
      return [{ section: section.id, scan, whole, leaves }]
    }),
  )
}

const sectionsOfColumns = (definition: ReportDefinition) =>
  definition.sections.filter((section) =>
    sectionColumns(definition, section).some(({ test }) => test !== null),
  )

/** By section, the sum over its rows of what no column of the paper takes. */
async function countUnplaced(
  db: Kysely<DB>,
  definition: ReportDefinition,
  placed: readonly Placed[],
) {
  const counts: Record<string, number> = {}
  for (const { id } of sectionsOfColumns(definition)) counts[id] = 0
  for (const { section, scan, whole, leaves } of placed)
    counts[section]! += (await scan.unplaced(db))(whole, leaves)
  return counts
}

async function rowsByCell(db: Kysely<DB>, run: ReportRun, wanted: readonly CellFormula[]) {
  return readOnly(db, async (trx) => {
    const scope = await loadScope(trx, run)
    const pause = pauses()
    const leaves = wanted.flatMap(({ formula }) => formula.leaves)
    const scans = await planScans(scope, leaves, pause)
    const found = new Map<string, (leaf: Leaf) => LeafRow[]>()
    for (const [key, scan] of scans) {
      await pause()
      found.set(key, await scan.rows(trx))
    }
    const known = new Map<string, LeafRow[]>()
    const rowsOfLeaf = (leaf: Leaf) => {
      const rows = known.get(partKey(leaf)) ?? found.get(scanKey(leaf))!(leaf)
      known.set(partKey(leaf), rows)
      return rows
    }
    return wanted.map((cell) => {
      const rows = cell.formula.rows(rowsOfLeaf)
      const { section, row, column } = cell
      return {
        section,
        row,
        column,
        source: cell.formula.leaves[0]?.source ?? null,
        ids: rows.map(({ id }) => id),
        patientIds: rows.map(({ patientId }) => patientId),
      }
    })
  })
}

/** The rows behind one cell, by their ids in ascending order. */
export async function loadCellRows(
  db: Kysely<DB>,
  run: ReportRun,
  cell: CellName,
): Promise<CellRows> {
  const wanted = cellFormulas(run.definition, run.clinicIds).filter(
    ({ section, row, column }) =>
      section === cell.section && row === cell.row && column === cell.column,
  )
  const [rows] = await rowsByCell(db, run, wanted)
  return rows
    ? { source: rows.source, ids: rows.ids, patientIds: rows.patientIds }
    : { source: null, ids: [], patientIds: [] }
}

/** The rows behind every cell, in the order of the paper: what closing a run keeps. */
export const loadAllCellRows = (db: Kysely<DB>, run: ReportRun): Promise<(CellName & CellRows)[]> =>
  rowsByCell(db, run, cellFormulas(run.definition, run.clinicIds))

/** SHA-256 of the sorted ids. */
export const hashRowIds = (ids: readonly string[]) =>
  createHash('sha256').update(ids.toSorted().join('\n')).digest()
