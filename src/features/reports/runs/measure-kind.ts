import {
  type Cell,
  type CellName,
  sectionColumns,
  cellRules,
  cellMeasure,
  referencedMeasures,
  type ReportDefinition,
} from '~/features/reports/cells/definition'
import { SOURCES } from '~/features/reports/cells/fields'
import type { CellSheet, MaskingKind } from '~/features/reports/cells/kinds/kind'

/** A measure that names itself is refused when the definition is saved; this ends it all the same. */
const MOST_NAMES = 20

/** What a cell computes: the measure of its column, its row or its section, by name or in place. */
function cellAt(definition: ReportDefinition, at: CellName): Cell | null {
  const section = definition.sections.find(({ id }) => id === at.section)
  const row = section?.rows.find(({ id }) => id === at.row)
  if (!section || !row) return null
  const column = sectionColumns(definition, section).find(({ id }) => id === at.column)
  const measure = cellMeasure(section, row, column)
  return typeof measure === 'string' ? (definition.measures?.[measure] ?? null) : (measure ?? null)
}

/** How a cell's number stands on the sheet; null: the definition has no such cell. */
export function sheetAt(definition: ReportDefinition, at: CellName): CellSheet | null {
  let cell = cellAt(definition, at)
  for (let depth = 0; cell && depth < MOST_NAMES; depth += 1) {
    const sheet = cellRules(cell).sheet(cell)
    if (!('as' in sheet)) return sheet
    cell = definition.measures?.[sheet.as] ?? null
  }
  return null
}

/** What kind of number a cell shows, for masking. A cell that is not known is masked as a count of people. */
export function maskingKind(definition: ReportDefinition, at: CellName): MaskingKind {
  const cell = cellAt(definition, at)
  return cell ? cellMaskingKind(definition, cell) : 'count'
}

function cellMaskingKind(definition: ReportDefinition, cell: Cell, depth = 0): MaskingKind {
  const { source, shows } = cellRules(cell)
  const own = source(cell)
  const isOfPeople = own
    ? SOURCES[own].perPatient
    : referencedMeasures(cell).some((name) => {
        const part = definition.measures?.[name]
        return (
          part && depth < MOST_NAMES && cellMaskingKind(definition, part, depth + 1) === 'count'
        )
      })
  return isOfPeople ? shows.people : shows.others
}

/** Whether the rows behind a cell belong to patients; those of stock do not. */
export function countsPeople(definition: ReportDefinition, at: CellName): boolean {
  const cell = cellAt(definition, at)
  return cell !== null && opensPeople(definition, cell)
}

function opensPeople(definition: ReportDefinition, cell: Cell, depth = 0): boolean {
  const { source, opens } = cellRules(cell)
  const own = source(cell)
  if (own) return SOURCES[own].perPatient
  return opens(cell).some((name) => {
    const part = definition.measures?.[name]
    return part !== undefined && depth < MOST_NAMES && opensPeople(definition, part, depth + 1)
  })
}

/** What a user enters in the cell; null if it is computed. */
export function manualKind(definition: ReportDefinition, at: CellName) {
  const cell = cellAt(definition, at)
  return cell && cellRules(cell).enters(cell)
}
