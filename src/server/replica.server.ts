import { type Kysely, sql } from 'kysely'
import { connectPool, createPool } from '~/db/connect'
import { perProcess } from '~/db/per-process'
import type { DB } from '~/db/types'
import type { Actor } from '~/shared/actor'
import { AppError } from '~/shared/errors'
import { env } from './env'
import { log } from './log'

/*
 * Reads from a hot standby (docs/decisions/0044). A user who has written reads there only what includes that write:
 * `user_writes` has the position of the write-ahead log after it. A standby that is away, or behind, is not asked.
 */

/** Milliseconds that a standby may be behind the primary. */
const BEHIND_MS = 10_000
/** Milliseconds until a standby that failed is asked again. */
const AWAY_MS = 5_000

/** The standby of DATABASE_REPLICA_URL. */
class Replica {
  readonly db: Kysely<DB>
  readonly end: () => Promise<void>
  #awayUntil = 0
  /** A position that the primary had, and when: the standby must pass it in time. */
  #mark: { lsn: string; at: number } | undefined

  constructor(url: string) {
    // where the primary is behind a pooler, the standby may be, too
    const isPooled = Boolean(process.env.DATABASE_DIRECT_URL)
    const pool = createPool(url, { name: 'sanad replica', isPooled })
    this.db = connectPool(() => pool)
    this.end = () => pool.end()
  }

  /** Whether it may answer a user. */
  async hasWritesOf(primary: Kysely<DB>, userId: string): Promise<boolean> {
    if (performance.now() < this.#awayUntil) return false
    const { rows } = await sql<{ now: string; written: string | null }>`
      select pg_current_wal_lsn() as now,
        (select lsn from user_writes where user_id = ${userId}) as written`.execute(primary)
    const { now, written } = rows[0]!
    this.#mark ??= { lsn: now, at: performance.now() }
    // null on a primary, which has its own writes, also those that are not on its disk yet
    const found = await sql<{ has_written: boolean; has_mark: boolean }>`
      select has >= coalesce(${written}, '0/0')::pg_lsn as has_written,
        has >= ${this.#mark.lsn}::pg_lsn as has_mark
      from coalesce(pg_last_wal_replay_lsn(), pg_current_wal_insert_lsn()) has`.execute(this.db)
    const { has_written, has_mark } = found.rows[0]!
    const isBehind = !has_mark && performance.now() - this.#mark.at > BEHIND_MS
    if (has_mark) this.#mark = { lsn: now, at: performance.now() }
    return has_written && !isBehind
  }

  failed(error: unknown) {
    this.#awayUntil = performance.now() + AWAY_MS
    log.warn({ err: error }, 'the replica does not answer; the primary does')
  }
}

const replicas = () => perProcess('replicas', () => new Map<string, Replica>())

function replica(): Replica | undefined {
  const url = env().databaseReplicaUrl
  if (!url) return undefined
  const found = replicas().get(url) ?? new Replica(url)
  replicas().set(url, found)
  return found
}

export async function endReplica(): Promise<void> {
  for (const each of replicas().values()) await each.end()
  replicas().clear()
}

type Reader = { db: Kysely<DB>; actor: Actor | null }

/** Runs a read on the replica if that has the user's writes, else on the database of the context. */
export async function onReplica<R>(
  { db, actor }: Reader,
  read: (db: Kysely<DB>) => Promise<R>,
): Promise<R> {
  const from = actor && !db.isTransaction ? replica() : undefined
  if (!from) return read(db)
  try {
    if (await from.hasWritesOf(db, actor!.userId)) return await read(from.db)
  } catch (error) {
    if (error instanceof AppError) throw error
    from.failed(error)
  }
  return read(db)
}

/** Remembers where the log ended after a write of the user, without waiting for the disk. */
export async function rememberWrite({ db, actor }: Reader): Promise<void> {
  if (!actor || !env().databaseReplicaUrl) return
  await sql`insert into user_writes (user_id, lsn)
    select id, pg_current_wal_insert_lsn() from users, set_config('synchronous_commit', 'off', true)
    where id = ${actor.userId}
    on conflict (user_id) do update set lsn = excluded.lsn`.execute(db)
}
