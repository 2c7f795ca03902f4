import {
  type Cell,
  type CellName,
  cellKey,
  sectionColumns,
  cellRules,
  cellMeasure,
  type ReportDefinition,
  type ReportSection,
  type Test,
} from './grammar'
import { type Formula, leafFormula } from './kinds/kind'

export type CellFormula = CellName & { formula: Formula }

/** Passes every row. */
const ALWAYS: Test = { all: [] }

type CellTests = { all: readonly Test[]; none: readonly Test[]; manual: string }

/**
 * The arithmetic of one measure at one place of the report. `where`: the tests of its section, row and column, and the
 * key of the value entered by hand, if the measure is one. `clinicIds`: the clinics of the report.
 */
export function buildFormula(
  definition: ReportDefinition,
  clinicIds: readonly string[],
  measure: string | Cell,
  where: CellTests,
): Formula {
  const cell = typeof measure === 'string' ? definition.measures?.[measure] : measure
  if (!cell) throw new Error(`No measure ${JSON.stringify(measure)}`)
  const named = (name: string, tests: readonly Test[], manual: string) =>
    buildFormula(definition, clinicIds, name, { ...where, all: [...where.all, ...tests], manual })
  return cellRules(cell).formula(cell, {
    clinicIds,
    manual: where.manual,
    like: (name, test) => named(name, [test], where.manual),
    named: (name, ...tests) => named(name, tests, manualEntryKey(definition, name, where.manual)),
    rows: (source, of, rows) =>
      leafFormula({
        source,
        of,
        window: rows.in,
        all: rows.where ? [rows.where, ...where.all] : where.all,
        none: where.none,
      }),
  })
}

/** A manual measure is entered in the first row that shows it, in the same column if it has that. */
function manualEntryKey(definition: ReportDefinition, measure: string, otherwise: string): string {
  const cell = definition.measures?.[measure]
  if (!cell || cellRules(cell).enters(cell) === null) return otherwise
  for (const section of definition.sections)
    for (const row of section.rows)
      if (cellMeasure(section, row) === measure) {
        const ids = sectionColumns(definition, section).map(({ id }) => id)
        const own = otherwise.split('/').slice(2).join('/')
        const column = ids.includes(own) ? own : (ids[0] ?? 'value')
        return cellKey({ section: section.id, row: row.id, column })
      }
  return otherwise
}

const listIfDefined = <T>(value: T | undefined): T[] => (value === undefined ? [] : [value])

/** The tests of a row of a section without those of a column. */
export function rowTests(section: ReportSection, at: number) {
  const row = section.rows[at]!
  const before = section.exclusive
    ? section.rows
        .slice(0, at)
        .filter((each) => sameMeasure(cellMeasure(section, each), cellMeasure(section, row)))
        .map((each) => each.where ?? ALWAYS)
    : []
  return { all: [...listIfDefined(section.where), ...listIfDefined(row.where)], none: before }
}

const sameMeasure = (a: string | Cell | undefined, b: string | Cell | undefined) =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

/** Every cell in the order of the paper, as arithmetic over leaves. */
export function cellFormulas(
  definition: ReportDefinition,
  clinicIds: readonly string[],
): CellFormula[] {
  return definition.sections.flatMap((section) => {
    const columns = sectionColumns(definition, section)
    return section.rows.flatMap((row, at) => {
      if (row.each) return []
      const where = rowTests(section, at)
      return columns.map((column) => {
        const name = { section: section.id, row: row.id, column: column.id }
        const all = [...where.all, ...listIfDefined(column.test ?? undefined)]
        const manual = cellKey(name)
        const measure = cellMeasure(section, row, column)!
        const formula = buildFormula(definition, clinicIds, measure, { ...where, all, manual })
        return { ...name, formula }
      })
    })
  })
}
