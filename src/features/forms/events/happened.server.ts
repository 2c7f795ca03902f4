import { sql } from 'kysely'

/**
 * When that happened which an event records: at the arrival of its visit, else when it was recorded. Forms from paper
 * are typed days later. Of a statement with `events` and `visits`.
 */
export const happenedAt = sql<Date>`coalesce(visits.check_in_timestamp, events.created_at)`
