import {
  byKind,
  type ByKind,
  type Cell,
  type CellName,
  type CellOf,
  columnsOf,
  measureOf,
  namesIn,
  type ReportDefinition,
} from '~/features/reports/cells/definition'
import { type Source, SOURCES } from '~/features/reports/cells/fields'
import type { Message } from '~/shared/errors'
import type { MaskableCell } from './masking'

type MeasureKind = MaskableCell['kind']

/** A measure that names itself is refused when the definition is saved; this ends it all the same. */
const MOST_NAMES = 20

/** What a cell computes: the measure of its column, its row or its section, by name or in place. */
export function cellAt(definition: ReportDefinition, at: CellName): Cell | null {
  const section = definition.sections.find(({ id }) => id === at.section)
  const row = section?.rows.find(({ id }) => id === at.row)
  if (!section || !row) return null
  const column = columnsOf(definition, section).find(({ id }) => id === at.column)
  const measure = measureOf(section, row, column)
  return typeof measure === 'string' ? (definition.measures?.[measure] ?? null) : (measure ?? null)
}

/** The ratio that a cell shows, also of a part of its rows; null if it shows none. */
export function ratioAt(definition: ReportDefinition, at: CellName): CellOf<'ratio'> | null {
  let cell = cellAt(definition, at)
  for (let depth = 0; cell && 'like' in cell && depth < MOST_NAMES; depth += 1)
    cell = definition.measures?.[cell.like] ?? null
  return cell && 'ratio' in cell ? cell : null
}

/** The counts of a ratio, and all else that makes its value of them. */
export function ratioParts(
  { value, numerator, denominator }: Record<'value' | 'numerator' | 'denominator', number | null>,
  ratio: CellOf<'ratio'> | null,
): Message | null {
  if (numerator === null || denominator === null || !ratio) return null
  const { times, cap, share } = ratio
  const counts = { numerator, denominator }
  // over months only the value says whether it was cut
  const uncut = times === 'month' ? Infinity : (numerator / (denominator * (share ?? 1))) * times
  if (cap !== undefined && value === cap && uncut > cap)
    return times === 100 && share === undefined
      ? { key: 'reports.partsCapped', values: { ...counts, cap } }
      : { key: 'reports.partsCappedAt', values: { ...counts, cap } }
  if (times === 'month') return { key: 'reports.partsMonth', values: counts }
  if (share !== undefined) return { key: 'reports.partsShare', values: { ...counts, share } }
  // "5 of 4" would be said of medicines per prescription
  if (times === 100) return { key: 'reports.partsOf', values: counts }
  return times === 1
    ? { key: 'reports.partsPer', values: counts }
    : { key: 'reports.partsTimes', values: { ...counts, times } }
}

/** What kind of number a cell shows, for masking. A cell that is not known is masked as a count of people. */
export function measureKind(definition: ReportDefinition, at: CellName): MeasureKind {
  const cell = cellAt(definition, at)
  return cell ? kindOf(definition, cell) : 'count'
}

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
