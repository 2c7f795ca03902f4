import { date, longText, optional, select, tags, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { record } from './record'

/** Where a medicine that was not prescribed here comes from. */
const SOURCES = ['other_clinic', 'pharmacy', 'brought', 'traditional', 'unknown'] as const
export type MedicineSource = (typeof SOURCES)[number]

export const medicineRecord = record('patient_medicines', {
  patient_id: {},
  name: {
    field: text('medicines.name', {
      max: 200,
      requiredMessage: 'medicines.nameRequired',
      hint: 'medicines.nameHint',
    }),
  },
  ingredients: {
    field: tags('medicines.ingredients', { max: 20, hint: 'medicines.ingredientsHint' }),
  },
  dose: { field: optional(text('medicines.dose', { max: 200, hint: 'medicines.doseHint' })) },
  source: {
    field: select(
      'medicines.source',
      SOURCES,
      (source): MessageKey => `medicines.source_${source}`,
    ),
  },
  since: { field: optional(date('medicines.since')) },
  until: { field: optional(date('medicines.until', { hint: 'medicines.untilHint' })) },
  notes: { field: optional(longText('medicines.notes', { max: 1000 })) },
})
