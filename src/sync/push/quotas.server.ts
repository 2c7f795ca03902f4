import { sql } from 'kysely'
import { conflict } from '~/shared/errors'
import type { ChangeSet } from './incoming'
import type { PushState } from './push-state'

/** Bytes of the log that all phones of a user store in a day: a hundred times what a busy one sends. */
export const LOG_BYTES_PER_DAY = 64 * 1024 * 1024
/** What may wait in quarantine from one user. */
export const QUARANTINE_ROWS = 20_000
export const QUARANTINE_BYTES = 100 * 1024 * 1024

/**
 * The device's own audit trail. Entries over the quota of the day are counted and not stored:
 * refusing the push would keep the records of patients on the phone. Stored entries cost nothing
 * when a phone sends them again.
 */
export async function storeLogs({ ctx: { db, actor }, base }: PushState, logs: ChangeSet['logs']) {
  if (logs.length === 0) return
  await sql`with entries as (
      select distinct on (id) id, row, place
      from rows from (jsonb_to_recordset(${JSON.stringify(logs)}::jsonb) as (id uuid, row text))
        with ordinality as r (id, row, place)
      where not exists (select from event_logs e where e.id = r.id)
      order by id, place
    ), room as (
      select ${LOG_BYTES_PER_DAY}::bigint - coalesce((select log_bytes from sync_storage
        where user_id = ${actor.userId} and day = current_date), 0) as bytes
    ), measured as (
      select id, row, sum(octet_length(row)) over (order by place) <= room.bytes as fits
      from entries, room
    ), stored as (
      insert into event_logs (id, chain_id, received_from, row)
      select id, ${base.chainId}, ${actor.userId}, row from measured where fits
      on conflict (id) do nothing
      returning octet_length(row) as bytes
    )
    insert into sync_storage as s (user_id, log_bytes, logs_dropped)
    values (${actor.userId}, (select coalesce(sum(bytes), 0) from stored),
      (select count(*) from measured where not fits))
    on conflict (user_id) do update set day = excluded.day,
      log_bytes = excluded.log_bytes + case when s.day = excluded.day then s.log_bytes else 0 end,
      logs_dropped = s.logs_dropped + excluded.logs_dropped`.execute(db)
}

/**
 * Throws `conflict` if the quarantine of the user holds too much now that the push has added its
 * rows. The whole push is rolled back then, so that the phone keeps its rows until an administrator
 * has resolved some.
 */
export async function refuseFullQuarantine({ ctx: { db, actor } }: PushState) {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*)::int as count, coalesce(sum(octet_length(row)), 0)::float8 as bytes
    from sync_quarantine where user_id = ${actor.userId} and settled_at is null`.execute(db)
  const { count, bytes } = rows[0]!
  if (count > QUARANTINE_ROWS || bytes > QUARANTINE_BYTES) throw conflict('sync.quarantineFull')
}

/**
 * The same while a push is being read, before all that it refuses is in memory. `counted`: what it has refused so far.
 */
export function refuseTooMany(
  { refused }: Pick<PushState, 'refused'>,
  counted: { rows: number; bytes: number },
) {
  if (refused.length > QUARANTINE_ROWS) throw conflict('sync.quarantineFull')
  for (; counted.rows < refused.length; counted.rows += 1)
    counted.bytes += JSON.stringify(refused[counted.rows]!.raw).length
  if (counted.bytes > QUARANTINE_BYTES) throw conflict('sync.quarantineFull')
}
