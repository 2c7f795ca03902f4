import { date, longText, number, optional, reference, select, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { VACCINES } from '~/shared/vaccines'
import { record } from './record'

const dose = number('immunizations.dose_number', {
  min: 0,
  max: 20,
  hint: 'immunizations.doseHint',
})

export const immunizationRecord = record('patient_immunizations', {
  patient_id: {},
  visit_id: {},
  // the event whose form wrote the row; such a row is changed in the form
  event_id: {},
  vaccine: {
    field: select(
      'immunizations.vaccine',
      VACCINES,
      (vaccine): MessageKey => `immunizations.vaccines.${vaccine}`,
    ),
  },
  given_on: { field: date('immunizations.given_on') },
  // as it was recorded; a dose at birth is 0
  dose_number: {
    field: optional({ ...dose, schema: dose.schema.int('vitals.whole') }),
  },
  lot: { field: optional(text('immunizations.lot', { max: 100 })) },
  // where it was given; null: elsewhere, or not known
  clinic_id: {
    field: optional(reference('immunizations.clinic', { hint: 'immunizations.clinicHint' })),
  },
  notes: { field: optional(longText('immunizations.notes', { max: 1000 })) },
})
