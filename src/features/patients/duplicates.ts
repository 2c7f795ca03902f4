import * as z from 'zod'
import type { MessageKey } from '~/shared/language'

const text = z.string('validation.wrongType').max(2000, 'validation.tooLong').nullish()

/** Who is being registered, as far as it has been typed. `date_of_birth` as the form takes it: a day, a year, an age. */
export const FindDuplicates = z.object({
  given_name: text,
  surname: text,
  date_of_birth: text,
  approximate: z.boolean('validation.wrongType').optional(),
  sex: text,
  phone: text,
  government_id: text,
  external_patient_id: text,
  hometown: text,
  /** Not himself. */
  exceptId: z.uuid('validation.id').optional(),
})
export type Sought = z.output<typeof FindDuplicates>

/** `id`: chosen by the caller, under which the audit trail keeps the link. */
export const LinkPatient = z.object({
  id: z.uuid('validation.id'),
  patientId: z.uuid('validation.id'),
  clinicId: z.uuid('validation.id'),
})

export const STRENGTHS = ['likely', 'possible'] as const
export type Strength = (typeof STRENGTHS)[number]
export const strengthText = (strength: Strength): MessageKey => `duplicates.strength.${strength}`

/** The evidence that both records are of one person, as shown to users; evidence against it is not shown. */
export const REASONS = [
  'sameGovernmentId',
  'governmentIdSlip',
  'governmentIdNear',
  'sameExternalId',
  'samePhone',
  'phoneSlip',
  'sameName',
  'nameAlike',
  'nameClose',
  'namesSwapped',
  'sameFirstName',
  'sameSurname',
  'sameBirth',
  'birthSwapped',
  'birthSlip',
  'sameYear',
  'yearClose',
  'sameHometown',
  'hometownAlike',
] as const
export type Reason = (typeof REASONS)[number]
export const reasonText = (reason: Reason): MessageKey => `duplicates.${reason}`
