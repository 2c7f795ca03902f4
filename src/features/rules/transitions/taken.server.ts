import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'

/** When an appointment ends: without a duration, after an hour. */
export const endOf = (alias: string) =>
  sql.raw(
    `${alias}.timestamp + make_interval(secs => coalesce(${alias}.duration, 60)::float8 * 60)`,
  )

/** Whether an appointment takes a part of the time from `at` until `end`; none is longer than a week. */
export const isBookedAt = (alias: string, at: RawBuilder<unknown>, end: RawBuilder<unknown>) => {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql<boolean>`(not ${column('is_deleted')}
    and ${column('status')} in ('pending', 'confirmed', 'checked_in')
    and ${column('timestamp')} < ${end}
    and ${column('timestamp')} > ${at} - interval '7 days' and ${endOf(alias)} > ${at})`
}

/**
 * How many appointments to come that a deletion included, or left without their provider, have a time that the provider
 * or the patient has another appointment at by now.
 */
export async function countTakenOf(db: Kysely<DB>, deletionId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with restored as (
      select record_id as id, null::uuid as provider_again from deletions
      where id = ${deletionId} and table_name = 'appointments'
      union
      select record_id, unlinked_from from deletion_items
      where deletion_id = ${deletionId} and table_name = 'appointments'
        and (unlinked_column is null or unlinked_column = 'provider_id')
    )
    select count(*)::int as count from restored join appointments own on own.id = restored.id
    where own.status in ('pending', 'confirmed') and own.timestamp > now() and not own.is_deleted
      and (restored.provider_again is null or own.provider_id = restored.provider_again)
      and exists (
        select from appointments a
        where a.id <> own.id and a.id not in (select id from restored)
          and (a.provider_id = own.provider_id
            or a.patient_id = own.patient_id and restored.provider_again is null)
          and ${isBookedAt('a', sql.ref('own.timestamp'), endOf('own'))})`.execute(db)
  return rows[0]!.count
}
