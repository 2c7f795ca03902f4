import * as z from 'zod'
import { visitRecord } from '~/records/visit'
import { ListInput, RecordId } from '~/shared/record'
import { Moment } from '~/shared/moment'

/** Tolerance for a clock that is fast: a time within it is not in the future. */
const CLOCKS_DIFFER_MS = 10 * 60_000

const PastMoment = Moment.refine(
  (at) => at.getTime() <= Date.now() + CLOCKS_DIFFER_MS,
  'visits.inFuture',
)
export const SaveVisit = visitRecord.save.extend({
  patient_id: z.uuid('validation.id'),
  check_in_timestamp: PastMoment,
})
export const CloseVisit = RecordId.extend({ at: PastMoment.optional() })
export const ListVisits = z.object({
  patientId: z.uuid('validation.id'),
  page: ListInput.shape.page,
})
