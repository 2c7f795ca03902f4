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
 * refusing the push would keep the records of patients on the phone.
 */
export async function storeLogs({ ctx: { db, actor }, base }: PushState, logs: ChangeSet['logs']) {
  if (logs.length === 0) return
  const bytes = logs.reduce((sum, { row }) => sum + Buffer.byteLength(row), 0)
  const { rows } = await sql<{ used: number }>`
    select log_bytes as used from sync_storage
    where user_id = ${actor.userId} and day = current_date`.execute(db)
  const isOver = (rows[0]?.used ?? 0) + bytes > LOG_BYTES_PER_DAY
  if (!isOver)
    await sql`insert into event_logs (id, chain_id, received_from, row)
      select id, ${base.chainId}, ${actor.userId}, row
      from jsonb_to_recordset(${JSON.stringify(logs)}::jsonb) as r (id uuid, row text)
      on conflict (id) do nothing`.execute(db)
  const [stored, dropped] = isOver ? [0, logs.length] : [bytes, 0]
  await sql`insert into sync_storage as s (user_id, log_bytes, logs_dropped)
    values (${actor.userId}, ${stored}, ${dropped})
    on conflict (user_id) do update set day = excluded.day,
      log_bytes = excluded.log_bytes + case when s.day = excluded.day then s.log_bytes else 0 end,
      logs_dropped = s.logs_dropped + excluded.logs_dropped`.execute(db)
}

/**
 * Throws `conflict` if the quarantine of the user has no room for what a push would add. The whole
 * push is refused then, so that the phone keeps its rows until an administrator has resolved some.
 */
export async function refuseFullQuarantine({ ctx: { db, actor }, refused }: PushState) {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*)::int as count, coalesce(sum(octet_length(row)), 0)::float8 as bytes
    from sync_quarantine where user_id = ${actor.userId} and settled_at is null`.execute(db)
  const { count, bytes } = rows[0]!
  const added = refused.reduce((sum, { raw }) => sum + JSON.stringify(raw ?? null).length, 0)
  if (count + refused.length > QUARANTINE_ROWS || bytes + added > QUARANTINE_BYTES)
    throw conflict('sync.quarantineFull')
}
