import type { FieldOf, FormField } from './definition'
import { URGENCIES, type Urgency } from './definition-rules'

export type Note = FieldOf<'text'> & { rules: { urgency: Urgency } }

export const isNote = (field: FormField): field is Note =>
  field.fieldType === 'text' && field.rules?.urgency !== undefined

/** The notes that the answers brought up, most urgent first, else in the order of the form. */
export const notesOf = (fields: readonly FormField[], visible: ReadonlySet<string>): Note[] =>
  fields
    .filter(isNote)
    .filter(({ id, rules: { showIf } }) => showIf !== undefined && visible.has(id))
    .toSorted(
      (one, other) => URGENCIES.indexOf(one.rules.urgency) - URGENCIES.indexOf(other.rules.urgency),
    )
