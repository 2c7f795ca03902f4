import type { Message } from '~/shared/errors'
import type { Translated } from '~/shared/language'
import type { FormatKind } from './reader/formats'

/** The lists that a file may hold. */
export const LISTS = [
  'patients',
  'medicines',
  'stock',
  'clinics',
  'departments',
  'users',
  'codes',
  'appointments',
  'visits',
  'vitals',
] as const
export type ListName = (typeof LISTS)[number]

/** The target of each column by its heading. Other columns are ignored. */
export type ColumnMapping = Readonly<Record<string, string>>

/**
 * What a column may fill. `required`: without it nothing can be imported. `holds`: what files write
 * in several ways.
 */
export type ImportTarget = {
  name: string
  label: Translated
  required: boolean
  holds?: FormatKind
}

const OF_NO_CLINIC: ReadonlySet<ListName> = new Set(['medicines', 'clinics', 'codes'])

/** Whether a list belongs to a clinic. */
export const needsClinic = (list: ListName) => !OF_NO_CLINIC.has(list)

/** Lists whose records stay as they are: a stock-take corrects stock. */
export const takesUpdates = (list: ListName) => list !== 'stock'

/** A row as it would be imported: the values of its columns, or why it is rejected. */
export type PreviewRow = {
  line: number
  values: Record<string, string | number | boolean | string[] | null | undefined> | null
  problem: Message | null
  /** The cells of a rejected row by their targets, as the file has them. */
  written?: Readonly<Record<string, string>>
}
