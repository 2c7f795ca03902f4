import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { LastPush } from './delivered'

/** What a phone's push is compared with: everything that its person has certainly seen. */
export type Base = {
  chainId: string | null
  pullId: number | null
  /** Null if the base snapshot is unknown; every server-side edit then counts as concurrent. */
  snapshot: string | null
  /** The transactions of its own earlier pushes, which are no news to it. */
  own: string[]
  delivered: LastPush
  basePull: number | null
}

const nothing = (): Base => ({
  chainId: null,
  pullId: null,
  snapshot: null,
  own: [],
  delivered: new LastPush(),
  basePull: null,
})

type Identified = { table: string; id: string }

/**
 * The push follows the pull of that number. A number that is not a pull of this person's tells nothing.
 *
 * The client pulls, keeps the columns that were edited on it, and pushes a moment later: so the pull that a push follows
 * says nothing about what its person saw when he edited. What he has seen for certain is the newest pull that an earlier
 * push followed: after that push the phone held nothing unsent. When the answer to that push was lost, the phone sends
 * all of it again, perhaps edited further; then what was true before it still is.
 */
export async function baseOf(
  { db, actor }: Context,
  pullId: number,
  rows: readonly Identified[],
): Promise<Base> {
  const found = await sql<{
    chain_id: string
    base_pull: number | null
    base_before: number | null
    delivered: string
  }>`select c.id as chain_id, c.base_pull, c.base_before, c.delivered
     from sync_pulls p join sync_chains c on c.id = p.chain_id
     where p.id = ${pullId} and p.user_id = ${actor.userId} for update of c`.execute(db)
  const chain = found.rows[0]
  if (!chain) return nothing()
  const delivered = LastPush.read(chain.delivered)
  // all of it comes again: perhaps its answer never arrived
  const basePull = delivered.isWithin(rows) ? chain.base_before : chain.base_pull
  const { rows: bases } = await sql<{ snapshot: string; own: string[] }>`
    select p.snapshot::text as snapshot,
      array(select q.xid::text from sync_pushes q where q.chain_id = p.chain_id and q.xid >= pg_snapshot_xmin(p.snapshot)) as own
    from sync_pulls p where p.id = ${basePull} and p.chain_id = ${chain.chain_id}`.execute(db)
  const base = bases[0] ?? { snapshot: null, own: await ownPushes(db, chain.chain_id) }
  return { chainId: chain.chain_id, pullId, ...base, delivered, basePull }
}

const ownPushes = async (db: Kysely<DB>, chainId: string) => {
  const { rows } = await sql<{ xid: string }>`select xid::text as xid from sync_pushes
    where chain_id = ${chainId} and xid is not null order by id desc limit 1000`.execute(db)
  return rows.map(({ xid }) => xid)
}

type Taken = { rows: number; conflicts: number; refused: number; delivered: LastPush }

/** Remembers that the push was taken in, with what it brought. */
export async function rememberPush({ db, actor }: Context, base: Base, taken: Taken) {
  await sql`insert into sync_pushes (chain_id, user_id, pull_id, xid, rows, conflicts, refused)
    values (${base.chainId}, ${actor.userId}, ${base.pullId}, pg_current_xact_id(), ${taken.rows}, ${taken.conflicts}, ${taken.refused})`.execute(
    db,
  )
  if (!base.chainId) return
  await sql`update sync_chains set pushed_snapshot = pg_current_snapshot(), base_pull = ${base.pullId}, base_before = ${base.basePull},
      delivered = ${taken.delivered.toText()}, last_push_at = clock_timestamp(), rows_pushed = rows_pushed + ${taken.rows}
    where id = ${base.chainId}`.execute(db)
}
