import { type Kysely, sql } from 'kysely'
import { kept } from '~/db/kept'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { unpulledOf } from '../schema/unpulled'
import { basePullOf, LastPush } from './delivered'

/** What a device's push is compared with: the newest state that its user has certainly seen. */
export type Base = {
  /** The device, as a chain of pulls and pushes; null for an unknown one. */
  chainId: string | null
  pullId: number | null
  /** Null if the base snapshot is unknown; every server-side edit then counts as concurrent. */
  snapshot: string | null
  /** The base of the push before; null if it is unknown. */
  olderSnapshot: string | null
  /**
   * The snapshot of the device's pulls since a restore, as long as rows are held back from it: rows
   * inserted later were not sent.
   */
  withheldSnapshot: string | null
  /** The snapshot with which the present epoch began; null if no backup was restored. */
  restoreSnapshot: string | null
  /** Transactions of the device's own earlier pushes, which it has seen by definition. */
  own: string[]
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
  pullId: null,
  snapshot: null,
  olderSnapshot: null,
  withheldSnapshot: null,
  restoreSnapshot: null,
  own: [],
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
export async function baseOf(
  { db, actor, request }: Context,
  pullId: number,
  rows: readonly { table: string; id: string }[],
): Promise<Base> {
  const found = await sql<{
    chain_id: string
    base_pull: number | null
    base_before: number | null
    former_at: number | null
    delivered: string
    is_withheld: boolean
  }>`${kept()} select c.id as chain_id, c.base_pull, c.base_before, c.former_at, c.delivered,
      p.withheld is not null as is_withheld
    from sync_pulls p join sync_chains c on c.id = p.chain_id
    where p.id = ${pullId} and p.user_id = ${actor.userId} for update of c`.execute(db)
  const chain = found.rows[0]
  if (!chain && pullId === 0) return baseOfUpload({ db, actor, request })
  if (!chain) return { ...unknownDevice(), isAfterRestore: true }
  const delivered = LastPush.read(chain.delivered)
  const basePull = basePullOf(chain, delivered, rows)
  const { rows: snapshots } = await sql<{
    snapshot: string
    older: string | null
    own: string[]
    is_withheld: boolean
    restore: string | null
  }>`${kept()}
    select p.snapshot::text as snapshot, o.snapshot::text as older, p.withheld is not null as is_withheld,
      array(select q.xid::text from sync_pushes q
        where q.chain_id = p.chain_id
          and q.xid >= pg_snapshot_xmin(coalesce(o.snapshot, p.snapshot))) as own,
      (select e.snapshot::text from sync_epochs e order by e.id desc limit 1) as restore
    from sync_pulls p
      left join sync_pulls o on o.chain_id = p.chain_id and o.id = ${chain.base_before}
    where p.id = ${basePull} and p.chain_id = ${chain.chain_id}`.execute(db)
  const [seen] = snapshots
  const known = { ...unknownDevice(), chainId: chain.chain_id, pullId, delivered, basePull }
  if (seen && !seen.is_withheld)
    return {
      ...known,
      snapshot: seen.snapshot,
      olderSnapshot: seen.older,
      own: seen.own,
      restoreSnapshot: seen.restore,
      form: { snapshot: seen.snapshot },
    }
  return {
    ...known,
    own: await ownPushes(db, chain.chain_id),
    withheldSnapshot: seen?.snapshot ?? null,
    formerAt: basePull === null ? chain.former_at : null,
    isAfterRestore: chain.is_withheld && basePull === null,
  }
}

/**
 * The app password or the key identifies the phone; without either, it is the user's only phone.
 * The values that its user has seen are unknown.
 */
async function baseOfUpload({ db, actor, request }: Pick<Context, 'db' | 'actor' | 'request'>) {
  const { appPasswordId = null, hubPhoneId = null } = request
  const { rows } = await sql<{ id: string; delivered: string }>`
    select id, delivered from sync_chains
    where user_id = ${actor.userId} and app_password_id is not distinct from ${appPasswordId}::uuid
      and hub_phone_id is not distinct from ${hubPhoneId}::uuid and last_pull_at is not null
    order by id limit 2 for update`.execute(db)
  const [chain] = rows
  if (!chain || rows.length > 1) return unknownDevice()
  const own = await ownPushes(db, chain.id)
  return {
    ...unknownDevice(),
    chainId: chain.id,
    own,
    delivered: LastPush.read(chain.delivered),
    form: { chainId: chain.id },
  }
}

/**
 * For rows that waited in quarantine: what their author had seen when the device sent them is not
 * known any more, so that every edit of others counts as concurrent.
 */
export const baseOfWaiting = async (db: Kysely<DB>, chainId: string | null): Promise<Base> => ({
  ...unknownDevice(),
  chainId,
  own: chainId ? await ownPushes(db, chainId) : [],
  form: chainId ? { chainId } : 'unknown',
})

async function ownPushes(db: Kysely<DB>, chainId: string) {
  const { rows } = await sql<{ xid: string }>`
    select xid::text as xid from sync_pushes
    where chain_id = ${chainId} and xid is not null order by id desc limit 1000`.execute(db)
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
  await sql`${kept()}
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
    where ${unpulledOf({ userId: actor.userId, appPasswordId, hubPhoneId })}
      and refused_at is not null`.execute(db)
}
