import type { Message } from '~/shared/errors'
import type { Translated } from '~/shared/language'

/** The lists that a file may hold. */
export const LISTS = ['patients', 'medicines', 'stock'] as const
export type ListName = (typeof LISTS)[number]

/** The target of each column by its heading. Other columns are ignored. */
export type Mapping = Readonly<Record<string, string>>

/** What a column may fill. `required`: without it nothing can be imported. */
export type Target = { name: string; label: Translated; required: boolean }

/** A list of medicines belongs to no clinic. */
export const needsClinic = (list: ListName) => list !== 'medicines'

/** A row as it would be imported: the values of its columns, or why it is rejected. */
export type PreviewRow = {
  line: number
  values: Record<string, string | number | boolean | string[] | null | undefined> | null
  problem: Message | null
}
