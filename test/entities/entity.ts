import type { Insertable } from 'kysely'
import type { DB } from '~/db/types'
import type { Tab } from '~/features/record/timeline/tabs'
import type { Fields } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import type { Field } from '../e2e/edit-fields'

type Values<T extends keyof DB> = Partial<Insertable<DB[T]>>
/** Tables of records of a patient. */
export type OfPatient = {
  [T in keyof DB]: DB[T] extends { id: unknown; patient_id: string } ? T : never
}[keyof DB]
type Named = { id: string; name: string }
/** Two clinics in which the row is edited. */
type Clinics = { clinics: readonly [Named, Named] }
type Say = (key: MessageKey) => string

/**
 * What tests need to know of a record of a patient that a tab of the patient's page lists and a dialog edits. Its
 * factory, a row of each clinic, its calls, its editor and its dialogs follow.
 */
export type Entity<T extends OfPatient> = {
  record: { table: T; fields: Fields }
  /** Of its operations: `<noun>.save`, `<noun>.delete`, and the list of a patient. */
  noun: string
  list: 'list' | 'ofPatient'
  tab: Tab
  /** The components, under src/features. */
  dialog: string
  table: string
  /** A valid row, besides its id and its patient. */
  stored: () => Values<T>
  /** What else the row of each clinic has, where the usual one is in the way of other calls. */
  ofSide?: (side: { clinic: { id: string }; visit: { id: string } }) => Values<T>
  /** What a valid save says, besides the id and the patient. */
  saved: (side?: { clinic: { id: string }; visit: { id: string } }) => object
  /** A text by which the row of that save is found in the list. */
  shows: string
  edited: {
    /** The row that is edited, where it differs from the usual one. */
    from: (world: Clinics) => Values<T>
    /** A text of the row that remains when every field has been changed. */
    row: string
    /** The new values by column; `more`: fields whose values are not their words. */
    values: Record<string, string | number>
    more?: (world: Clinics, say: Say) => Field[]
    /** Labels of fields that are not changed here, with the reason. */
    left?: (say: Say) => Record<string, string>
    /** The field that is changed in Arabic. */
    one: string
  }
}

export const entity = <T extends OfPatient>(facts: Entity<T>) => facts
