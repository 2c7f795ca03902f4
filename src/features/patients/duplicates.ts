import * as z from 'zod'

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
