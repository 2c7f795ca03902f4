import {
  type Cell,
  type CellName,
  columnsOf,
  measureOf,
  namesIn,
  type ReportDefinition,
} from '~/features/reports/cells/definition'
import { SOURCES } from '~/features/reports/cells/fields'
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

/** What kind of number a cell shows, for masking. */
export function measureKind(definition: ReportDefinition, at: CellName): MeasureKind {
  const cell = cellAt(definition, at)
  return cell ? kindOf(definition, cell) : 'other'
}

const MOST_NAMES = 20

/** A measure that names itself is refused when the definition is saved; `depth` ends it all the same. */
function kindOf(definition: ReportDefinition, cell: Cell, depth = 0): MeasureKind {
  if ('ratio' in cell) return 'ratio'
  if ('count' in cell) return SOURCES[cell.count].perPatient ? 'count' : 'other'
  if ('of' in cell) return SOURCES[cell.of].perPatient ? 'sum' : 'other'
  const parts = namesIn(cell).map((name) => definition.measures?.[name])
  const isOfPeople = parts.some(
    (part) => part && depth < MOST_NAMES && kindOf(definition, part, depth + 1) === 'count',
  )
  // a weighted count says by its rows whether they are few
  return isOfPeople ? ('weighted' in cell ? 'sum' : 'count') : 'other'
}

/** Whether the rows behind a cell belong to patients; those of stock do not. */
export function countsPeople(definition: ReportDefinition, at: CellName): boolean {
  const isOfPeople = (cell: Cell | null | undefined, depth = 0): boolean => {
    if (!cell || depth > MOST_NAMES) return false
    if ('count' in cell) return SOURCES[cell.count].perPatient
    if ('of' in cell) return SOURCES[cell.of].perPatient
    if ('clinics' in cell) return false
    // the rows of a ratio are those of its numerator
    const names = 'ratio' in cell ? [cell.ratio[0]] : namesIn(cell)
    return names.some((name) => isOfPeople(definition.measures?.[name], depth + 1))
  }
  return isOfPeople(cellAt(definition, at))
}

/** What a user enters in the cell; null if it is computed. */
export function manualKind(definition: ReportDefinition, at: CellName) {
  const cell = cellAt(definition, at)
  return cell && 'manual' in cell ? cell.manual : null
}
