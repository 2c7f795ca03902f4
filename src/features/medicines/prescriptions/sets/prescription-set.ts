import * as z from 'zod'
import { CODE_SYSTEMS } from '~/records/problem'
import { orNull, Saved } from '~/shared/record'
import { cleanText } from '~/shared/typed-text'
import { Dose } from '../writing/dose'

const MOST_ITEMS = 50

/** One medicine of a set: how it is written for an adult. Of a child, the dose comes from a weight band or is typed. */
const SetItem = z.object({
  drug_id: z.uuid('prescriptions.selectMedication'),
  dosage_instructions: z
    .string('validation.wrongType')
    .overwrite(cleanText)
    .trim()
    .max(1000, 'validation.tooLong'),
  dose: Dose.nullish().transform((dose) => dose ?? null),
  quantity_prescribed: z
    .number('prescriptions.quantityAtLeast1')
    .min(1, 'prescriptions.quantityAtLeast1')
    .max(1_000_000, 'validation.tooLarge'),
  notes: orNull(
    z.string('validation.wrongType').overwrite(cleanText).trim().max(1000, 'validation.tooLong'),
  ),
})
export type SetItem = z.output<typeof SetItem>
const SetItems = z
  .array(SetItem, 'prescriptionSets.noItems')
  .min(1, 'prescriptionSets.noItems')
  .max(MOST_ITEMS, 'validation.tooMany')

const uuid = () => z.uuid('validation.id')

export const SavePrescriptionSet = Saved.extend({
  name: z
    .string('prescriptionSets.nameRequired')
    .trim()
    .min(1, 'prescriptionSets.nameRequired')
    .max(100, 'validation.tooLong'),
  /** Null: the user's own. */
  clinic_id: orNull(uuid()),
  /** The problem for which it is proposed first. */
  problem: z
    .object({
      system: z.enum(CODE_SYSTEMS, 'validation.option'),
      code: z
        .string('validation.wrongType')
        .min(1, 'validation.required')
        .max(50, 'validation.tooLong'),
      label: z
        .string('validation.wrongType')
        .min(1, 'validation.required')
        .max(500, 'validation.tooLong'),
    })
    .nullish()
    .transform((problem) => problem ?? null),
  items: SetItems,
})

/** For a patient, the sets of the recorded problems come first. */
export const ListSets = z.object({ patientId: uuid().optional() })
export const UseSet = z.object({ id: uuid(), patientId: uuid() })
