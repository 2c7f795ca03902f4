import { countsPeople, maskingKind } from './measure-kind'
import type { ReportDefinition } from '~/features/reports/cells/definition'
import type { Actor } from '~/shared/actor'
import { FEW, type Mask, computeMasks } from './masking'
import { mayDrill } from './rights'

type Cell = {
  section: string
  row: string
  column: string
  value: number | null
  numerator: number | null
  denominator: number | null
  rows: number
}
/** Null parts and a mask for what the user may not see. `rows`: of patients, to users who may open them. */
export type ShownCell = Omit<Cell, 'rows'> & { rows: number | null; mask: Mask | null }

/**
 * The cells as a user sees them: exact with the right to read the histories of all clinics of the
 * run, else with small counts masked. A report that both signed is exact for all its readers.
 */
export function shownTo(
  actor: Actor,
  cells: readonly Cell[],
  { definition, clinicIds, isExact }: Shown,
): ShownCell[] {
  const isOpen = mayDrill(actor, clinicIds)
  const masks =
    isOpen || isExact
      ? []
      : computeMasks(cells.map((cell) => ({ ...cell, kind: maskingKind(definition, cell) })))
  return cells.map(({ section, row, column, rows, ...parts }, at) => {
    const place = { section, row, column }
    const mask = masks[at] ?? null
    if (mask) return { ...place, value: null, numerator: null, denominator: null, rows: null, mask }
    const canOpen = isOpen && countsPeople(definition, place)
    return { ...place, ...parts, rows: canOpen ? rows : null, mask }
  })
}
type Shown = { definition: ReportDefinition; clinicIds: readonly string[]; isExact: boolean }

/** What is not placed in a column, by section. */
export const notPlacedTo = (
  actor: Actor,
  notPlaced: Readonly<Record<string, number>>,
  { clinicIds, isExact }: Omit<Shown, 'definition'>,
): Record<string, { value: number | null; mask: Mask | null }> =>
  Object.fromEntries(
    Object.entries(notPlaced).map(([section, value]) =>
      value > 0 && value <= FEW && !isExact && !mayDrill(actor, clinicIds)
        ? [section, { value: null, mask: 'few' }]
        : [section, { value, mask: null }],
    ),
  )
