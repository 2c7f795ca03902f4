import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { DB } from '~/db/types'
import { diagnosisQuestions } from '~/features/care/problem-codes/diagnosed.server'
import { limited, queue } from '~/server/limited'
import { pauses } from '~/server/pauses'
import { AppError } from '~/shared/errors'
import { type CellName, columnsOf, measureOf, type ReportDefinition } from './grammar'
import type { Source } from './fields'
import {
  type CellFormula,
  expand,
  type Formula,
  formulasOf,
  isWithin,
  type Leaf,
  leavesOf,
  partsOf,
  whereOfRow,
} from './formula'
import { addMonths, type Period } from './period'
import { keyOf, type LeafRow, type LeafValue, type Scan, scanKey, scansOf } from './scan.server'
import type { Scope } from './sources/source.server'

/** What is computed: a definition of which `checkDefinition` finds no problem, for clinics and a period. */
export type Run = {
  definition: ReportDefinition
  clinicIds: readonly string[]
  period: Period
  zone: string
  /** `section/row/column` -> the value that was entered, summed over the clinics */
  manual: ReadonlyMap<string, number>
  now: Date
}

/** `rows`: how many rows the cell counts; of a ratio, its numerator. Null: empty. */
type CellValue = CellName & {
  value: number | null
  numerator: number | null
  denominator: number | null
  rows: number
}

/** `notPlaced`: section -> what its rows count and none of its columns shows. */
export type CellsOfRun = { cells: CellValue[]; notPlaced: Record<string, number> }

/** `ids` and `patientIds` belong together; null: a row without a patient, such as a stock movement. */
type RowsOfCell = { source: Source | null; ids: string[]; patientIds: (string | null)[] }

const MOST_SECONDS = 10
/** query_canceled */
const STOPPED = '57014'

/** Reports are computed one after the other: two at once would keep both cores of a small machine from the day. */
const oneByOne = () => queue('reports', () => limited(1))

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
      return await oneByOne().run(() =>
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
    if (error instanceof DatabaseError && error.code === STOPPED)
      throw new AppError('unavailable', { key: 'reports.tookTooLong', values: { seconds } })
    throw error
  }
}

async function scopeOf(db: Kysely<DB>, run: Run): Promise<Scope> {
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

/** The mean days of a month, of the three that end with the period. */
const daysOfMonth = ({ last }: Period) => {
  const [first, end] = [addMonths(last, -2), addMonths(last, 1)]
  return (Date.parse(end) - Date.parse(first)) / 86_400_000 / 3
}

const quotientOf = (numerator: number | null, denominator: number | null) =>
  numerator === null || !denominator ? null : numerator / denominator

/**
 * The quotients of the clinics, added up. A clinic without both parts adds nothing; one with a numerator alone has a
 * quotient that nobody knows, and so has the sum.
 */
function sumOfQuotients(clinics: readonly (number | null)[][]): number | null {
  const present = clinics.filter(([numerator, denominator]) => numerator || denominator)
  const quotients = present.map(([numerator = null, denominator = null]) =>
    quotientOf(numerator, denominator),
  )
  if (quotients.length === 0) return null
  return quotients.reduce<number | null>(
    (sum, each) => (sum === null || each === null ? null : sum + each),
    0,
  )
}

function valueOf(
  formula: Formula,
  values: Values,
  run: Pick<Run, 'manual' | 'period'>,
): Omit<CellValue, keyof CellName> {
  const only = (value: number | null, rows: number) => ({
    value,
    numerator: null,
    denominator: null,
    rows,
  })
  if ('leaf' in formula) {
    const { value, rows } = values(formula.leaf)
    return only(value, rows)
  }
  if ('manual' in formula) return only(run.manual.get(formula.manual) ?? null, 0)
  if ('ratio' in formula) {
    const [numerator, denominator] = formula.ratio.map((each) => valueOf(each, values, run))
    const parts = { numerator: numerator!.value, denominator: denominator!.value }
    const rows = numerator!.rows
    const apart = formula.byClinic.map((pair) =>
      pair.map((each) => valueOf(each, values, run).value),
    )
    const quotient =
      apart.length > 0 ? sumOfQuotients(apart) : quotientOf(parts.numerator, parts.denominator)
    if (quotient === null) return { value: null, ...parts, rows }
    const times = formula.times === 'month' ? daysOfMonth(run.period) : formula.times
    const value = (quotient / (formula.share ?? 1)) * times
    return { value: Math.min(value, formula.cap ?? value), ...parts, rows }
  }
  if ('add' in formula) {
    const parts = formula.add.map((each) => valueOf(each, values, run))
    const known = parts.flatMap(({ value }) => (value === null ? [] : [value]))
    if (formula.counts === 'known') return only(known.length, 0)
    if (formula.counts === 'zero') return only(known.filter((each) => each === 0).length, 0)
    if (formula.counts) {
      const limit = formula.counts
      return only(known.filter((each) => isWithin(limit, each)).length, 0)
    }
    const value = known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0)
    return only(
      value,
      parts.reduce((sum, { rows }) => sum + rows, 0),
    )
  }
  if ('weighted' in formula) {
    const parts = formula.weighted.map((each) => valueOf(each, values, run))
    const isKnown = parts.some(({ value }) => value !== null)
    const value = parts.reduce((sum, part, at) => sum + (part.value ?? 0) * formula.weights[at]!, 0)
    return only(
      // quantities and weights have at most three decimals
      isKnown ? Math.round(value * 1_000_000) / 1_000_000 : null,
      parts.reduce((sum, { rows }) => sum + rows, 0),
    )
  }
  const [first, second] = formula.subtract.map((each) => valueOf(each, values, run))
  const isEmpty = first!.value === null || second!.value === null
  return only(
    isEmpty ? null : first!.value! - second!.value!,
    Math.max(0, first!.rows - second!.rows),
  )
}

/** Computes every cell. Who may see them is for the caller to decide. */
export function runCells(db: Kysely<DB>, run: Run): Promise<CellsOfRun> {
  return readOnly(db, async (trx) => {
    const scope = await scopeOf(trx, run)
    const pause = pauses()
    const formulas = formulasOf(run.definition, run.clinicIds)
    const leaves = formulas.flatMap(({ formula }) => leavesOf(formula))
    const scans = await scansOf(scope, leaves, pause)
    const placed = placedIn(run, formulas, (leaf) => scans.get(scanKey(leaf)))
    const values = new Map<string, Values>()
    for (const [key, scan] of scans) {
      await pause()
      values.set(key, await scan.values(trx))
    }
    const found: Values = (leaf) => values.get(scanKey(leaf))!(leaf)
    const cells: CellValue[] = []
    for (const { section, row, column, formula } of formulas) {
      await pause()
      cells.push({ section, row, column, ...valueOf(formula, found, run) })
    }
    return { cells, notPlaced: await unplaced(trx, run.definition, placed) }
  })
}

type Placed = { section: string; scan: Scan; whole: Leaf; leaves: Leaf[] }

/** Rows of sections with what they count and what their columns take; their scans learn of it before they run. */
function placedIn(
  { definition, clinicIds }: Run,
  formulas: readonly CellFormula[],
  scanOf: (leaf: Leaf) => Scan | undefined,
): Placed[] {
  return sectionsOfColumns(definition).flatMap((section) =>
    section.rows.flatMap((row, at) => {
      const cells = formulas.filter((each) => each.section === section.id && each.row === row.id)
      const leaves = cells.flatMap(({ column, formula }) =>
        column !== 'total' && 'leaf' in formula ? [formula.leaf] : [],
      )
      const [first] = leaves
      if (!first || !('count' in first.of)) return []
      const where = { ...whereOfRow(section, at), manual: '' }
      const whole = expand(definition, clinicIds, measureOf(section, row)!, where)
      const scan = scanOf(first)
      if (!scan || !('leaf' in whole)) return []
      scan.add(whole.leaf)
      return [{ section: section.id, scan, whole: whole.leaf, leaves }]
    }),
  )
}

const sectionsOfColumns = (definition: ReportDefinition) =>
  definition.sections.filter((section) =>
    columnsOf(definition, section).some(({ test }) => test !== null),
  )

/** By section, the sum over its rows of what no column of the paper takes. */
async function unplaced(db: Kysely<DB>, definition: ReportDefinition, placed: readonly Placed[]) {
  const counts: Record<string, number> = {}
  for (const { id } of sectionsOfColumns(definition)) counts[id] = 0
  for (const { section, scan, whole, leaves } of placed)
    counts[section]! += (await scan.unplaced(db))(whole, leaves)
  return counts
}

async function rowsByCell(db: Kysely<DB>, run: Run, wanted: readonly CellFormula[]) {
  return readOnly(db, async (trx) => {
    const scope = await scopeOf(trx, run)
    const pause = pauses()
    const leaves = wanted.flatMap(({ formula }) => leavesOf(formula))
    const scans = await scansOf(scope, leaves, pause)
    const found = new Map<string, (leaf: Leaf) => LeafRow[]>()
    for (const [key, scan] of scans) {
      await pause()
      found.set(key, await scan.rows(trx))
    }
    const known = new Map<string, LeafRow[]>()
    const rowsOfLeaf = (leaf: Leaf) => {
      const rows = known.get(keyOf(leaf)) ?? found.get(scanKey(leaf))!(leaf)
      known.set(keyOf(leaf), rows)
      return rows
    }
    return wanted.map((cell) => {
      const rows = rowsOfFormula(cell.formula, rowsOfLeaf)
      const { section, row, column } = cell
      return {
        section,
        row,
        column,
        source: leavesOf(cell.formula)[0]?.source ?? null,
        ids: rows.map(({ id }) => id),
        patientIds: rows.map(({ patientId }) => patientId),
      }
    })
  })
}

/** Of a ratio the rows of the numerator; of a difference those that only the first part has. */
function rowsOfFormula(formula: Formula, rowsOfLeaf: (leaf: Leaf) => LeafRow[]): LeafRow[] {
  if ('leaf' in formula) return rowsOfLeaf(formula.leaf)
  if ('manual' in formula) return []
  // how many parts are so is no rows of theirs
  if ('add' in formula && formula.counts) return []
  if ('add' in formula || 'weighted' in formula)
    return partsOf(formula).flatMap((each) => rowsOfFormula(each, rowsOfLeaf))
  if ('ratio' in formula) return rowsOfFormula(formula.ratio[0], rowsOfLeaf)
  const taken = new Set(rowsOfFormula(formula.subtract[1], rowsOfLeaf).map(({ id }) => id))
  return rowsOfFormula(formula.subtract[0], rowsOfLeaf).filter(({ id }) => !taken.has(id))
}

/** The rows behind one cell, by their ids in ascending order. */
export async function rowsOf(db: Kysely<DB>, run: Run, cell: CellName): Promise<RowsOfCell> {
  const wanted = formulasOf(run.definition, run.clinicIds).filter(
    ({ section, row, column }) =>
      section === cell.section && row === cell.row && column === cell.column,
  )
  const [rows] = await rowsByCell(db, run, wanted)
  return rows
    ? { source: rows.source, ids: rows.ids, patientIds: rows.patientIds }
    : { source: null, ids: [], patientIds: [] }
}

/** The rows behind every cell, in the order of the paper: what closing a run keeps. */
export const rowsOfAll = (db: Kysely<DB>, run: Run): Promise<(CellName & RowsOfCell)[]> =>
  rowsByCell(db, run, formulasOf(run.definition, run.clinicIds))

/** SHA-256 of the sorted ids. */
export const hashOfRows = (ids: readonly string[]) =>
  createHash('sha256').update(ids.toSorted().join('\n')).digest()
