import * as z from 'zod'
import { date, longText, optional, schemaOf, select, tags, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { Saved } from '~/shared/record'

/** Where a medicine that was not prescribed here comes from. */
export const MEDICINE_SOURCES = [
  'other_clinic',
  'pharmacy',
  'brought',
  'traditional',
  'unknown',
] as const
export type MedicineSource = (typeof MEDICINE_SOURCES)[number]

export const medicineFields = {
  name: text('medicines.name', {
    max: 200,
    requiredMessage: 'medicines.nameRequired',
    hint: 'medicines.nameHint',
  }),
  ingredients: tags('medicines.ingredients', { max: 20, hint: 'medicines.ingredientsHint' }),
  dose: optional(text('medicines.dose', { max: 200, hint: 'medicines.doseHint' })),
  source: select(
    'medicines.source',
    MEDICINE_SOURCES,
    (source): MessageKey => `medicines.source_${source}`,
  ),
  since: optional(date('medicines.since')),
  until: optional(date('medicines.until', { hint: 'medicines.untilHint' })),
  notes: optional(longText('medicines.notes', { max: 1000 })),
}

export const SaveMedicine = Saved.extend({ patient_id: z.uuid('validation.id') })
  .extend(schemaOf(medicineFields).shape)
  .superRefine(({ since, until }, ctx) => {
    if (since && until && until < since)
      ctx.addIssue({ code: 'custom', message: 'medicines.untilBeforeSince', path: ['until'] })
  })
export const MedicineId = z.object({ id: z.uuid('validation.id') })
