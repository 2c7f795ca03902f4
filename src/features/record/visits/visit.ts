import * as z from 'zod'
import { visitRecord } from '~/records/visit'
import { ListInput, RecordId } from '~/shared/record'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { SentMoment } from '~/shared/moment'

/** Tolerance for a clock that is fast: a time within it is not in the future. */
const CLOCKS_DIFFER_MS = 10 * 60_000

const PastMoment = SentMoment.refine(
  (at) => at.getTime() <= Date.now() + CLOCKS_DIFFER_MS,
  'visits.inFuture',
)
export const SaveVisit = visitRecord.save.extend({
  patient_id: z.uuid('validation.id'),
  check_in_timestamp: PastMoment,
  /** When the patient left; null opens the visit again, absent leaves it. */
  closed_at: PastMoment.nullish(),
  /** What the user answered; a program is not asked. */
  confirmed: ConfirmedIfAsked,
})
export const CloseVisit = RecordId.extend({ at: PastMoment.optional() })
/** `appointmentIds`: those that the closing completed; their patients are here again. */
export const ReopenVisit = RecordId.extend({
  appointmentIds: z
    .array(z.uuid('validation.id'), 'validation.wrongType')
    .max(50, 'validation.tooMany')
    .default([]),
})
export const ListOpenVisits = z
  .object({
    clinicId: z.uuid('validation.id').optional(),
    page: ListInput.shape.page,
  })
  .prefault({})
/** Visits that began before this day, in the clinic's time zone. */
export const CloseBefore = z.object({
  clinicId: z.uuid('validation.id'),
  before: z.iso.date('validation.date'),
})
export const ListVisits = z.object({
  patientId: z.uuid('validation.id'),
  page: ListInput.shape.page,
})
