import * as z from 'zod'
import { keysIn } from '~/shared/object'
import type { ReportSource } from '../fields'
import { addCell } from './add'
import { clinicsCell } from './clinics'
import { countCell } from './count'
import { daysCell } from './days'
import type { CellKindRules } from './kind'
import { likeCell } from './like'
import { manualCell } from './manual'
import { medianCell } from './median'
import { ratioCell } from './ratio'
import { subtractCell } from './subtract'
import { sumCell } from './sum'
import { weightedCell } from './weighted'

/** Each kind of cell by the part that it alone has; all that depends on a kind is in its file. */
const KINDS = {
  count: countCell,
  sum: sumCell,
  median: medianCell,
  ratio: ratioCell,
  add: addCell,
  weighted: weightedCell,
  subtract: subtractCell,
  like: likeCell,
  days: daysCell,
  clinics: clinicsCell,
  manual: manualCell,
}
export type CellKind = keyof typeof KINDS
export type CellOfKind<K extends CellKind> =
  (typeof KINDS)[K] extends CellKindRules<infer C> ? C : never
export type Cell = { [K in CellKind]: CellOfKind<K> }[CellKind]

const schemas = Object.values(KINDS).map(({ schema }): z.ZodType<Cell> => schema)
export const cellSchema: z.ZodType<Cell> = z.union(schemas)
export const CELL_KINDS = keysIn(KINDS)

export function kindOfCell(one: Cell): CellKind {
  const kind = CELL_KINDS.find((each) => Object.hasOwn(one, each))
  if (!kind) throw new Error(`No kind of cell has the parts ${Object.keys(one).join(', ')}`)
  return kind
}

// `kindOfCell` finds the kind of the cell before its rules are asked
const rules = KINDS as unknown as Readonly<Record<CellKind, CellKindRules<Cell>>>
export const cellRules = (one: Cell) => rules[kindOfCell(one)]
export const allCellRules = Object.values(rules)

/** The cell with other names of the measures that it refers to. */
export const renameMeasures = (one: Cell, swap: (name: string) => string): Cell =>
  cellRules(one).withNames(one, swap)

export function referencedMeasures(one: Cell): string[] {
  const names: string[] = []
  renameMeasures(one, (name) => {
    names.push(name)
    return name
  })
  return names
}

/** The source whose rows a cell counts by itself; null if it is computed from other measures, or entered. */
export const ownSource = (one: Cell): ReportSource | null => cellRules(one).source(one)
