import {
  byKind,
  type ByKind,
  type Cell,
  type CellName,
  columnsOf,
  measureOf,
  namesIn,
  type ReportDefinition,
} from '~/features/reports/cells/definition'
import { type Source, SOURCES } from '~/features/reports/cells/fields'
import type { MaskableCell } from './masking'

type MeasureKind = MaskableCell['kind']

/** What a cell computes: the measure of its column, its row or its section, by name or in place. */
export function cellAt(definition: ReportDefinition, at: CellName): Cell | null {
  const section = definition.sections.find(({ id }) => id === at.section)
  const row = section?.rows.find(({ id }) => id === at.row)
  if (!section || !row) return null
  const column = columnsOf(definition, section).find(({ id }) => id === at.column)
  const measure = measureOf(section, row, column)
  return typeof measure === 'string' ? (definition.measures?.[measure] ?? null) : (measure ?? null)
}

/** What kind of number a cell shows, for masking. A cell that is not known is masked as a count of people. */
export function measureKind(definition: ReportDefinition, at: CellName): MeasureKind {
  const cell = cellAt(definition, at)
  return cell ? kindOf(definition, cell) : 'count'
}

const MOST_NAMES = 20

const ofRows = (source: Source, kind: MeasureKind) => (SOURCES[source].perPatient ? kind : 'other')
/** What a measure shows that is computed from others: `kind` if one of them counts people. */
const ofParts =
  (kind: MeasureKind) =>
  (cell: Cell, definition: ReportDefinition, depth: number): MeasureKind =>
    namesIn(cell)
      .map((name) => definition.measures?.[name])
      .some((part) => part && depth < MOST_NAMES && kindOf(definition, part, depth + 1) === 'count')
      ? kind
      : 'other'

const kinds: ByKind<[ReportDefinition, number], MeasureKind> = {
  count: ({ count }) => ofRows(count, 'count'),
  sum: ({ of }) => ofRows(of, 'sum'),
  median: ({ of }) => ofRows(of, 'sum'),
  ratio: () => 'ratio',
  // its rows say whether they are few
  weighted: ofParts('sum'),
  like: ofParts('count'),
  clinics: ofParts('count'),
  add: ofParts('count'),
  subtract: ofParts('count'),
  days: () => 'other',
  manual: () => 'other',
}

/** A measure that names itself is refused when the definition is saved; `depth` ends it all the same. */
const kindOf = (definition: ReportDefinition, cell: Cell, depth = 0): MeasureKind =>
  byKind(kinds, cell, definition, depth)

const isOfPeople = (definition: ReportDefinition, names: readonly string[], depth: number) =>
  depth < MOST_NAMES &&
  names.some((name) => {
    const cell = definition.measures?.[name]
    return cell !== undefined && byKind(people, cell, definition, depth + 1)
  })
const partsOfPeople = (cell: Cell, definition: ReportDefinition, depth: number) =>
  isOfPeople(definition, namesIn(cell), depth)

/** Whether the rows behind a cell of the kind belong to patients. */
const people: ByKind<[ReportDefinition, number], boolean> = {
  count: ({ count }) => SOURCES[count].perPatient,
  sum: ({ of }) => SOURCES[of].perPatient,
  median: ({ of }) => SOURCES[of].perPatient,
  // its rows are those of its numerator
  ratio: ({ ratio: [numerator] }, definition, depth) => isOfPeople(definition, [numerator], depth),
  weighted: partsOfPeople,
  like: partsOfPeople,
  add: partsOfPeople,
  subtract: partsOfPeople,
  clinics: () => false,
  days: () => false,
  manual: () => false,
}

/** Whether the rows behind a cell belong to patients; those of stock do not. */
export function countsPeople(definition: ReportDefinition, at: CellName): boolean {
  const cell = cellAt(definition, at)
  return cell !== null && byKind(people, cell, definition, 0)
}

/** What a user enters in the cell; null if it is computed. */
export function manualKind(definition: ReportDefinition, at: CellName) {
  const cell = cellAt(definition, at)
  return cell && 'manual' in cell ? cell.manual : null
}
