import * as z from 'zod'
import { optional, fieldsSchema, text } from '~/fields/field'
import { needWords, careReasonFields } from '~/features/people/patients/care-reason'
import { reasonInWords } from '~/shared/reason'
import { ListInput } from '~/shared/record'

export const OpenHistory = z
  .object({
    id: z.uuid('validation.id'),
    patientId: z.uuid('validation.id'),
    clinicId: z.uuid('validation.id'),
    ...careReasonFields,
  })
  .superRefine(needWords)

export const ListOpenings = z.object({
  state: z.enum(['open', 'closed'], 'validation.wrongType').default('open'),
  page: ListInput.shape.page,
})

export const OpenEmergency = z.object({
  id: z.uuid('validation.id'),
  patientId: z.uuid('validation.id'),
  reason: reasonInWords({ missing: 'sharing.emergencyReasonNeeded' }),
})
/** What a provider knows of a patient in an emergency. `date_of_birth` is a day, a year or an age. */
export const lookUpFields = {
  given_name: optional(text('devices.column_given_name')),
  surname: optional(text('devices.column_surname')),
  date_of_birth: optional(text('devices.column_date_of_birth')),
}
export const LookUpPatient = fieldsSchema(lookUpFields)

export const EMERGENCY_HOURS = 4

export const AllowEmergency = z.object({ userId: z.uuid('validation.id') })

export const ListEmergencies = z.object({
  state: z.enum(['waiting', 'reviewed'], 'validation.wrongType').default('waiting'),
  page: ListInput.shape.page,
})
