import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { blockHashSql, digestSql, ID_TYPE, LOWEST_ID, type Trail, TRAIL_NAMES } from './trails'

/** Entries of a block, at most: the digests of one block are in memory. */
const MOST_ENTRIES = 10_000

/**
 * Seals the entries of both trails whose transactions have ended before every running one. Later entries
 * have higher numbers of transactions, so none is missed, and none is sealed twice. Each block is a
 * transaction of its own; a trail of any size is sealed in pieces. Returns the number of new blocks.
 */
export async function sealTrails(
  db: Kysely<DB>,
  { signal, mostEntries = MOST_ENTRIES }: { signal?: AbortSignal; mostEntries?: number } = {},
): Promise<number> {
  let made = 0
  for (const trail of TRAIL_NAMES)
    for (; await sealBlock(db, trail, mostEntries); made += 1) if (signal?.aborted) return made
  return made
}

/** Returns whether there was an entry to seal. Another process that seals is waited for. */
const sealBlock = (db: Kysely<DB>, trail: Trail, mostEntries: number) =>
  db.transaction().execute(async (trx) => {
    // PostgreSQL would sort all unsealed entries of the partitions for each block: it expects few
    await sql`select pg_advisory_xact_lock(hashtext('sanad.seals')),
      set_config('enable_sort', 'off', true)`.execute(trx)
    const newest = await newestBlock(trx)
    const last = await trx
      .selectFrom('audit_blocks')
      .select(['epoch', 'xid', 'id'])
      .where('table_name', '=', trail)
      .orderBy('no', 'desc')
      .limit(1)
      .executeTakeFirst()
    const { epoch, xid, id } = last ?? { epoch: -1, xid: '0', id: LOWEST_ID[trail] }
    const { present } = await trx
      .selectFrom('audit_epochs')
      .select(({ fn }) => fn.max('epoch').as('present'))
      .executeTakeFirstOrThrow()
    const { numAffectedRows = 0n } = await sql`
      with piece as (
        select epoch, xid, id, at, date_trunc('month', at at time zone 'UTC')::date as month,
          ${sql.raw(digestSql(trail))} as digest
        from ${sql.table(trail)}
        where (epoch, xid, id) > (${epoch}, ${xid}::xid8, ${id}::${sql.raw(ID_TYPE[trail])})
          -- every transaction below it has ended
          and (epoch, xid) < (${present}, pg_snapshot_xmin(pg_current_snapshot()))
        order by epoch, xid, id limit ${mostEntries}
      ), numbered as (
        select *, row_number() over entries as n, month <> first_value(month) over entries as is_other_month
        from piece window entries as (order by epoch, xid, id)
      ), entries as (
        select * from numbered
        where n < coalesce((select min(n) from numbered where is_other_month), ${mostEntries} + 1)
      ), block as (
        select ${(newest?.no ?? 0) + 1}::bigint as no, ${trail}::text as table_name, last.epoch, last.xid,
          last.id::text as id, last.month, whole.*, clock_timestamp()::timestamptz(3) as sealed_at,
          ${newest?.hash ?? Buffer.alloc(32)}::bytea as previous
        from (
          select min(at) as first_at, max(at) as last_at, count(*)::integer as count,
            string_agg(digest, '' order by n) as digests
          from entries) whole,
          (select epoch, xid, id, month from entries order by n desc limit 1) last
      )
      insert into audit_blocks (no, table_name, epoch, xid, id, month, first_at, last_at, count, sealed_at,
        previous, hash)
      select no, table_name, epoch, xid, id, month, first_at, last_at, count, sealed_at, previous,
        ${sql.raw(blockHashSql('block', 'block.digests'))}
      from block`.execute(trx)
    return numAffectedRows > 0n
  })

/** The last block of the chain; undefined before the first. */
export const newestBlock = (db: Kysely<DB>) =>
  db
    .selectFrom('audit_blocks')
    .select(['no', 'hash', 'sealed_at'])
    .orderBy('no', 'desc')
    .limit(1)
    .executeTakeFirst()
