import {
  byKind,
  type Cell,
  type CellName,
  cellKey,
  columnsOf,
  type Distinct,
  type Limit,
  measureOf,
  ofClinic,
  type ReportDefinition,
  type Section,
  type Test,
  type Window,
} from './grammar'
import type { Source } from './fields'

/** One number that a scan of a source computes: of the rows of a window that pass all of `all` and none of `none`. */
export type Leaf = {
  source: Source
  of: { count: Distinct | 'row' } | { sum: string } | { median: string } | { days: 'stock' }
  window: Window
  all: readonly Test[]
  none: readonly Test[]
}

export type Formula =
  | { leaf: Leaf }
  | { add: Formula[]; counts: 'known' | 'zero' | Limit | undefined }
  | { weighted: Formula[]; weights: number[] }
  | { subtract: [Formula, Formula] }
  | {
      ratio: [Formula, Formula]
      times: number | 'month'
      /** of each clinic by itself, where a sum over the clinics has no meaning: days of one are not days of another */
      byClinic: [Formula, Formula][]
      cap: number | undefined
      share: number | undefined
    }
  /** the key of a cell in the map of manual values */
  | { manual: string }

export type CellFormula = CellName & { formula: Formula }

/** Passes every row. */
const ALWAYS: Test = { all: [] }

type Where = { all: readonly Test[]; none: readonly Test[]; manual: string }

/**
 * The arithmetic of one measure at one place of the report. `where`: the tests of its section, row and column, and the
 * key of the value entered by hand, if the measure is one. `clinicIds`: the clinics of the report.
 */
export function expand(
  definition: ReportDefinition,
  clinicIds: readonly string[],
  measure: string | Cell,
  where: Where,
): Formula {
  const cell = typeof measure === 'string' ? definition.measures?.[measure] : measure
  if (!cell) throw new Error(`No measure ${JSON.stringify(measure)}`)
  const inner = (name: string, ...more: Test[]) =>
    expand(definition, clinicIds, name, {
      ...where,
      all: [...where.all, ...more],
      manual: manualOf(definition, name, where.manual),
    })
  const all = 'where' in cell && cell.where ? [cell.where, ...where.all] : where.all
  const leaf = (source: Source, of: Leaf['of'], window: Window): Formula => ({
    leaf: { window, all, none: where.none, source, of },
  })
  return byKind<[], Formula>(
    {
      manual: () => ({ manual: where.manual }),
      like: ({ like, and }) =>
        expand(definition, clinicIds, like, { ...where, all: [...where.all, and] }),
      clinics: ({ clinics, is }) => ({
        add: clinicIds.map((each) => inner(clinics, ofClinic(each))),
        counts: is,
      }),
      weighted: ({ weighted }) => ({
        weighted: Object.keys(weighted).map((name) => inner(name)),
        weights: Object.values(weighted),
      }),
      add: ({ add, counts }) => ({ add: add.map((name) => inner(name)), counts }),
      subtract: ({ subtract: [from, less] }) => ({ subtract: [inner(from), inner(less)] }),
      ratio: ({ ratio: [numerator, denominator], times, cap, share }) => ({
        ratio: [inner(numerator), inner(denominator)],
        byClinic:
          times === 'month' && clinicIds.length > 1
            ? clinicIds.map((each) => [
                inner(numerator, ofClinic(each)),
                inner(denominator, ofClinic(each)),
              ])
            : [],
        times,
        cap,
        share,
      }),
      count: (each) => leaf(each.count, { count: each.distinct ?? 'row' }, each.in),
      sum: (each) => leaf(each.of, { sum: each.sum }, each.in),
      median: (each) => leaf(each.of, { median: each.median }, each.in),
      days: (each) => leaf('stock', { days: 'stock' }, each.in),
    },
    cell,
  )
}

/** A manual measure is entered in the first row that shows it, in the same column if it has that. */
function manualOf(definition: ReportDefinition, measure: string, otherwise: string): string {
  const cell = definition.measures?.[measure]
  if (!cell || !('manual' in cell)) return otherwise
  for (const section of definition.sections)
    for (const row of section.rows)
      if (measureOf(section, row) === measure) {
        const ids = columnsOf(definition, section).map(({ id }) => id)
        const own = otherwise.split('/').slice(2).join('/')
        const column = ids.includes(own) ? own : (ids[0] ?? 'value')
        return cellKey({ section: section.id, row: row.id, column })
      }
  return otherwise
}

const of = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value])

/** The tests of a row of a section without those of a column. */
export function whereOfRow(section: Section, at: number) {
  const row = section.rows[at]!
  const before = section.exclusive
    ? section.rows
        .slice(0, at)
        .filter((each) => sameMeasure(measureOf(section, each), measureOf(section, row)))
        .map((each) => each.where ?? ALWAYS)
    : []
  return { all: [...of(section.where), ...of(row.where)], none: before }
}

const sameMeasure = (a: string | Cell | undefined, b: string | Cell | undefined) =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

/** Every cell in the order of the paper, as arithmetic over leaves. */
export function formulasOf(
  definition: ReportDefinition,
  clinicIds: readonly string[],
): CellFormula[] {
  return definition.sections.flatMap((section) => {
    const columns = columnsOf(definition, section)
    return section.rows.flatMap((row, at) => {
      if (row.each) return []
      const where = whereOfRow(section, at)
      return columns.map((column) => {
        const name = { section: section.id, row: row.id, column: column.id }
        const all = [...where.all, ...of(column.test ?? undefined)]
        const manual = cellKey(name)
        const measure = measureOf(section, row, column)!
        const formula = expand(definition, clinicIds, measure, { ...where, all, manual })
        return { ...name, formula }
      })
    })
  })
}

export const leavesOf = (formula: Formula): Leaf[] => {
  if ('leaf' in formula) return [formula.leaf]
  if ('manual' in formula) return []
  return partsOf(formula).flatMap(leavesOf)
}

export function partsOf(
  formula: Exclude<Formula, { leaf: Leaf } | { manual: string }>,
): readonly Formula[] {
  if ('add' in formula) return formula.add
  if ('weighted' in formula) return formula.weighted
  return 'subtract' in formula ? formula.subtract : [...formula.ratio, ...formula.byClinic.flat()]
}

/** Whether a value is within a limit: 84 / (2 × 1.4) is 30, although not as a binary fraction. */
export function isWithin([op, than]: Limit, exact: number): boolean {
  const value = Math.round(exact * 1_000_000) / 1_000_000
  switch (op) {
    case 'below':
      return value < than
    case 'atMost':
      return value <= than
    case 'atLeast':
      return value >= than
    case 'above':
      return value > than
  }
}
