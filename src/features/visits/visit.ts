import * as z from 'zod'
import { longText, optional, reference, schemaOf } from '~/fields/field'
import { ListInput, Saved } from '~/shared/record'
import { Moment } from '~/shared/zone'

export const visitFields = {
  clinic_id: reference('clinics.one', { requiredMessage: 'visits.clinicRequired' }),
  provider_id: optional(reference('visits.provider')),
  reason: optional(longText('visits.reason', { max: 500 })),
}

/** A clock that runs a little fast is not the future. */
const CLOCKS_DIFFER_MS = 10 * 60_000

export const SaveVisit = Saved.extend({
  patient_id: z.uuid('validation.id'),
  check_in_timestamp: Moment.refine(
    (at) => at.getTime() <= Date.now() + CLOCKS_DIFFER_MS,
    'visits.inFuture',
  ),
}).extend(schemaOf(visitFields).shape)
export const VisitId = z.object({ id: z.uuid('validation.id') })
export const ListVisits = z.object({
  patientId: z.uuid('validation.id'),
  page: ListInput.shape.page,
})
