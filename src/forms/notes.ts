import type { EventFieldOfType, EventFormField } from './definition'
import { NOTE_URGENCIES, type NoteUrgency } from './definition-rules'

export type NoteField = EventFieldOfType<'text'> & { rules: { urgency: NoteUrgency } }

export const isNote = (field: EventFormField): field is NoteField =>
  field.fieldType === 'text' && field.rules?.urgency !== undefined

/** The notes that the answers brought up, most urgent first, else in the order of the form. */
export const listVisibleNotes = (
  fields: readonly EventFormField[],
  visible: ReadonlySet<string>,
): NoteField[] =>
  fields
    .filter(isNote)
    .filter(({ id, rules: { showIf } }) => showIf !== undefined && visible.has(id))
    .toSorted(
      (one, other) =>
        NOTE_URGENCIES.indexOf(one.rules.urgency) - NOTE_URGENCIES.indexOf(other.rules.urgency),
    )
