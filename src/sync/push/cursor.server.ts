import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { isOtherWay } from '../schema/other-way'
import { isUnpulledChain } from '../schema/unpulled'
import { choosePushBasePull, type Followed, LastPush } from './delivered'

/** What a device's push is compared with: the newest state that its user has certainly seen. */
export type Base = {
  /** The device, as a chain of pulls and pushes; null for an unknown one. */
  chainId: string | null
  /** That chain, and the one of the same phone on its other way. */
  chainIds: string[]
  pullId: number | null
  /** Null if the base snapshot is unknown; every server-side edit then counts as concurrent. */
  snapshot: string | null
  /** The base of the push before; null if it is unknown. */
  olderSnapshot: string | null
  /** That of a push that this one repeats, if it is newer: what the push did not contain was typed after it. */
  repeatedSnapshot: string | null
  /** Of deletions, if it is another: the app sends none through the hub, so that they may wait for longer. */
  ofDeletions?: { snapshot: string | null }
  /**
   * The snapshot of the device's pulls since a restore, as long as rows are held back from it: rows
   * inserted later were not sent.
   */
  withheldSnapshot: string | null
  /** The snapshot with which the present epoch began; null if no backup was restored. */
  restoreSnapshot: string | null
  /** Transactions of the device's own earlier pushes, which it has seen by definition. */
  own: string[]
  /** Those of its pushes after a row that waited in quarantine: what they wrote is newer than the row. */
  newer: string[]
  /**
   * The time of a former server up to which the device has its rows; null once a push has followed a
   * pull of this server.
   */
  formerAt: number | null
  delivered: LastPush
  basePull: number | null
  /**
   * The first push of a device since a backup was restored, or since a number that is unknown here:
   * what it says of changed columns is about values that the server no longer has.
   */
  isAfterRestore: boolean
  form: FormBase
}

/**
 * The registration form with which a row was edited, for the values that the app empties because the form hides them:
 * that of a snapshot or a later one; of a device's pulls; `unknown`; or none, because a user sees the stored row.
 */
type FormBase = { snapshot: string } | { chainId: string } | 'unknown' | 'none'

const unknownDevice = (): Base => ({
  chainId: null,
  chainIds: [],
  pullId: null,
  snapshot: null,
  olderSnapshot: null,
  repeatedSnapshot: null,
  withheldSnapshot: null,
  restoreSnapshot: null,
  own: [],
  newer: [],
  formerAt: null,
  delivered: new LastPush(),
  basePull: null,
  isAfterRestore: false,
  form: 'unknown',
})

/**
 * The base of a push that follows the pull of that number. A number that is not a pull of this user
 * says nothing; a forced upload with the number 0 names no pull, but its phone may be known.
 */
export async function readPushBase(
  { db, actor, request }: Context,
  pullId: number,
  rows: readonly { table: string; id: string }[],
): Promise<Base> {
  const sender = { ...request, userId: actor.userId }
  const found = await sql<{
    chain_id: string
    chain_ids: string[]
    base_pull: number | null
    base_before: number | null
    former_at: number | null
    delivered: string
    is_withheld: boolean
    made_from: number | null
    named: number | null
    last_id: string
    own: Followed & { delivered: string }
  }>`${asPrepared()} select c.id as chain_id, last.base_pull, last.base_before, c.former_at, last.delivered,
      p.withheld is not null as is_withheld, p.made_from, last.id as last_id,
      -- through the hub, the app names a pull only once its sync is over: the user has seen it
      case when ${Boolean(request.hubPhoneId)} then p.made_from else (
        select m.id from sync_chains g join sync_pulls q on q.chain_id = g.id
          join sync_pulls m on m.chain_id = g.id and m.id = q.made_from and m.ordinal < q.ordinal
        where ${isOtherWay(sender)} order by m.ordinal desc limit 1) end as named,
      json_build_object('base_pull', c.base_pull, 'base_before', c.base_before,
        'delivered', case when last.id <> c.id then c.delivered end) as own,
      array(select g.id from sync_chains g where g.id = c.id or ${isOtherWay(sender)}) as chain_ids
    from sync_pulls p join sync_chains c on c.id = p.chain_id
      -- what the phone pushed last, on either way
      cross join lateral (
        select g.id, g.base_pull, g.base_before, g.delivered from sync_chains g
        where g.id = c.id or ${isOtherWay(sender)}
        order by (select max(q.id) from sync_pushes q where q.chain_id = g.id) desc nulls last,
          g.number limit 1) last
    where p.id = ${pullId} and p.user_id = ${actor.userId} for update of c`.execute(db)
  const chain = found.rows[0]
  if (!chain && pullId === 0) return baseOfUpload({ db, actor, request })
  if (!chain) return { ...unknownDevice(), isAfterRestore: true }
  const delivered = LastPush.read(chain.delivered)
  const followed = choosePushBasePull(chain, delivered, rows)
  const chains = { chainId: chain.chain_id, chainIds: chain.chain_ids }
  const { rows: snapshots } = await sql<{
    id: number
    snapshot: string
    older: string | null
    repeated: string | null
    own: string[]
    is_withheld: boolean
    restore: string | null
    is_newer: boolean
  }>`${asPrepared()}
    select p.id, p.snapshot::text as snapshot, o.snapshot::text as older, p.withheld is not null as is_withheld,
      case when l.ordinal > p.ordinal then l.snapshot::text end as repeated,
      array(select q.xid::text from sync_pushes q
        where q.chain_id = any(${chains.chainIds}::uuid[])
          and q.xid >= pg_snapshot_xmin(coalesce(o.snapshot, p.snapshot))
        union all select r.applied_xid::text from sync_quarantine r
        where r.chain_id = any(${chains.chainIds}::uuid[])
          and r.applied_xid >= pg_snapshot_xmin(coalesce(o.snapshot, p.snapshot))) as own,
      (select e.snapshot::text from sync_epochs e order by e.id desc limit 1) as restore,
      p.chain_id = ${chain.chain_id} and p.id <> ${pullId} and p.ordinal > m.ordinal as is_newer
    from sync_pulls p left join sync_pulls m
      on m.id = ${chain.made_from} and m.chain_id = ${chain.chain_id}
      left join sync_pulls o
      on o.chain_id = any(${chains.chainIds}::uuid[]) and o.id = ${chain.base_before}
      left join sync_pulls l
      on l.chain_id = any(${chains.chainIds}::uuid[]) and l.id = ${chain.base_pull} and l.withheld is null
    where p.chain_id = any(${chains.chainIds}::uuid[])
      and (p.id = ${followed} or (p.id = ${chain.named} and p.withheld is null))
    order by p.ordinal desc`.execute(db)
  // A push has followed a pull of this chain that is newer than the one which this device names: another device has
  // named its number. What that one was sent, this one has not seen.
  const seen = snapshots.find(({ is_newer }) => !is_newer)
  const isCopied = snapshots.length > 0 && !seen
  const basePull = isCopied ? null : (seen?.id ?? followed)
  const isOnlyWay = Boolean(request.hubPhoneId) || chain.last_id === chain.chain_id
  const ofDeletions = isOnlyWay ? undefined : await baseOfDeletions(db, chain, rows)
  const known = { ...unknownDevice(), ...chains, pullId, delivered, basePull, ofDeletions }
  if (seen && !seen.is_withheld)
    return {
      ...known,
      snapshot: seen.snapshot,
      olderSnapshot: seen.older,
      repeatedSnapshot: seen.repeated,
      own: seen.own,
      restoreSnapshot: seen.restore,
      form: { snapshot: seen.snapshot },
    }
  return {
    ...known,
    own: isCopied ? [] : await ownPushes(db, chains.chainIds),
    withheldSnapshot: seen?.snapshot ?? null,
    formerAt: basePull === null && !isCopied ? chain.former_at : null,
    isAfterRestore: chain.is_withheld && basePull === null,
  }
}

/** The base of a chain alone: what its phone pushed on its other way contained no deletions. */
async function baseOfDeletions(
  db: Kysely<DB>,
  { chain_id, own }: { chain_id: string; own: Followed & { delivered: string } },
  rows: readonly { table: string; id: string }[],
) {
  const pullId = choosePushBasePull(own, LastPush.read(own.delivered), rows)
  const found = await db
    .selectFrom('sync_pulls')
    .select(sql<string>`snapshot::text`.as('snapshot'))
    .where('id', '=', pullId ?? 0)
    .where('chain_id', '=', chain_id)
    .where('withheld', 'is', null)
    .executeTakeFirst()
  return { snapshot: found?.snapshot ?? null }
}

/**
 * The app password or the key identifies the phone; without either, it is the user's only phone.
 * The values that its user has seen are unknown.
 */
async function baseOfUpload({ db, actor, request }: Pick<Context, 'db' | 'actor' | 'request'>) {
  const { appPasswordId = null, hubPhoneId = null } = request
  const { rows } = await sql<{ id: string; delivered: string; others: string[] }>`
    select id, delivered,
      array(select g.id from sync_chains g
        where ${isOtherWay({ ...request, userId: actor.userId })}) as others
    from sync_chains
    where user_id = ${actor.userId} and app_password_id is not distinct from ${appPasswordId}::uuid
      and hub_phone_id is not distinct from ${hubPhoneId}::uuid and last_pull_at is not null
    order by id limit 2 for update`.execute(db)
  const [chain] = rows
  if (!chain || rows.length > 1) return unknownDevice()
  const chainIds = [chain.id, ...chain.others]
  const own = await ownPushes(db, chainIds)
  return {
    ...unknownDevice(),
    chainId: chain.id,
    chainIds,
    own,
    delivered: LastPush.read(chain.delivered),
    form: { chainId: chain.id },
  }
}

/** A row that waited in quarantine: the device that sent it, and the transaction of the push that brought it. */
export type Waited = { chainId: string | null; sentXid: string | null }

/**
 * For rows that waited in quarantine: what their author had seen when the device sent them is not
 * known any more, so that every edit of others counts as concurrent. What the device has sent since is newer than
 * the row. `isInPush`: the device's push is under way in this transaction.
 */
export async function baseOfWaiting(
  db: Kysely<DB>,
  { chainId, sentXid }: Waited,
  { isInPush = false } = {},
): Promise<Base> {
  const base = unknownDevice()
  if (!chainId) return base
  const chainIds = await loadChainIds(db, chainId)
  const { rows } = await sql<{ xid: string; is_newer: boolean }>`
    select xid::text as xid, coalesce(xid > ${sentXid}::xid8, false) as is_newer
    from (${ownXids(chainIds)}) own (xid)
    where ${sentXid}::xid8 is not null`.execute(db)
  const newer = rows.flatMap(({ xid, is_newer }) => (is_newer ? [xid] : []))
  return {
    ...base,
    chainId,
    chainIds,
    own: rows.flatMap(({ xid, is_newer }) => (is_newer ? [] : [xid])),
    newer: isInPush ? [...newer, await currentXid(db)] : newer,
    form: { chainId },
  }
}

/** The chain, and that of the same phone on its other way. */
async function loadChainIds(db: Kysely<DB>, chainId: string) {
  const chain = await db
    .selectFrom('sync_chains')
    .select(['user_id as userId', 'app_password_id as appPasswordId', 'hub_phone_id as hubPhoneId'])
    .where('id', '=', chainId)
    .executeTakeFirst()
  if (!chain) return [chainId]
  const { rows } = await sql<{ id: string }>`
    select g.id from sync_chains g where g.id = ${chainId} or ${isOtherWay(chain)}`.execute(db)
  return rows.map(({ id }) => id)
}

export async function currentXid(db: Kysely<DB>): Promise<string> {
  const { rows } = await sql<{ xid: string }>`
    select pg_current_xact_id()::text as xid`.execute(db)
  return rows[0]!.xid
}

/** SQL for the transactions of the device's pushes, and of the job that applied its rows from quarantine. */
const ownXids = (chainIds: readonly string[]) => sql`
  (select xid from sync_pushes
   where chain_id = any(${chainIds}::uuid[]) and xid is not null order by id desc limit 1000)
  union all
  (select applied_xid from sync_quarantine
   where chain_id = any(${chainIds}::uuid[]) and applied_xid is not null
   order by applied_xid desc limit 1000)`

async function ownPushes(db: Kysely<DB>, chainIds: readonly string[]) {
  const { rows } = await sql<{ xid: string }>`
    select xid::text as xid from (${ownXids(chainIds)}) own (xid)`.execute(db)
  return rows.map(({ xid }) => xid)
}

type Outcome = {
  rows: number
  conflicts: number
  refused: number
  delivered: LastPush
  /** All that the device holds, as its user requested. */
  isUpload: boolean
}

/** Records the push, with the values that it delivered. */
export async function rememberPush(
  { db, actor, request }: Context,
  { chainId, pullId, basePull }: Base,
  { rows, conflicts, refused, delivered, isUpload }: Outcome,
) {
  const followed =
    pullId === null
      ? sql``
      : sql`pushed_snapshot = pg_current_snapshot(), base_pull = ${pullId}, base_before = ${basePull},`
  await sql`${asPrepared()}
    with push as (
      insert into sync_pushes
        (chain_id, user_id, pull_id, xid, rows, conflicts, refused, is_upload)
      values (${chainId}, ${actor.userId}, ${pullId}, pg_current_xact_id(),
        ${rows}, ${conflicts}, ${refused}, ${isUpload}))
    update sync_chains
    set ${followed} delivered = ${delivered.toText()}, last_push_at = clock_timestamp(),
      rows_pushed = rows_pushed + ${rows}, refused_bytes = null, refused_at = null
    where id = ${chainId}`.execute(db)
  if (pullId !== null) return
  const { appPasswordId, hubPhoneId } = request
  await sql`update sync_chains set refused_bytes = null, refused_at = null
    where ${isUnpulledChain({ userId: actor.userId, appPasswordId, hubPhoneId })}
      and refused_at is not null`.execute(db)
}
