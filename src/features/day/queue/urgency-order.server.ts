import { type RawBuilder, sql } from 'kysely'

/** SQL: the urgency of the patient of `appointments`, whose number is in `queue_tokens`. */
export const urgencyInQueue = sql<string | null>`urgency_in_queue(
  appointments.patient_id, queue_tokens.clinic_id, queue_tokens.day)`

/** SQL: the order of a queue before the order of waiting. */
export const urgencyOrder: RawBuilder<number> = sql<number>`urgency_rank(${urgencyInQueue})`
