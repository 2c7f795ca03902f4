import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { requestCheck } from '~/features/medicines/safety/arrivals.server'
import { askFor } from '~/server/jobs.server'
import { log } from '~/server/log'
import { type Context, inTransaction } from '~/server/operation'
import { actorById } from '~/server/session.server'
import { runInTurn } from '~/server/turns'
import { addAll } from '~/shared/any-length'
import { newId, isId } from '~/shared/id'
import { pushed, type PushedName } from '../schema/tables'
import { deleteAll, prepareTransaction, saveAll } from './apply.server'
import { storeConflicts } from './conflicts.server'
import { baseOfWaiting, type Waited } from './cursor.server'
import { type Incoming, readRow, type RowRefusal } from './incoming'
import { redirectMerged } from './merged-patients.server'
import { newPushState, type PushState } from './push-state'
import { isAnythingQuarantined } from './quarantine.server'
import { queueReleased } from './resend.server'
import { addUnrecorded } from './stock.server'

/** Rows that one transaction applies. */
export const MOST_RELEASED = 500

type Waiting = {
  id: string
  user_id: string
  chain_id: string | null
  sent_xid: string | null
  table: string
  row: string
  reason: string
  detail: string | null
}

// --- Within a push -------------------------------------------------------------------------------

/**
 * Applies rows of the same user that waited for records which this push has inserted, and rows that
 * waited for those. Returns them.
 */
export async function saveReleased(state: PushState): Promise<Released[]> {
  const all: Released[] = []
  for (let seen = 0; seen < state.inserted.length && all.length < MOST_RELEASED;) {
    const arrived = state.inserted.slice(seen)
    seen = state.inserted.length
    const rows = await redirectMerged(state, await waitingFor(state, arrived))
    // each is an edit of the time at which its device sent it
    const ofOnePush = ({ chainId, sentXid }: Waited) => `${chainId} ${sentXid}`
    for (const sent of Map.groupBy(rows, ofOnePush).values()) {
      const isInPush = state.base.chainIds.includes(sent[0]!.chainId ?? '')
      const base = await baseOfWaiting(state.ctx.db, sent[0]!, { isInPush })
      await saveAll({ ...state, base }, sent)
    }
    addAll(all, rows)
  }
  return all
}

/** A row that waited, with the device that sent it. */
type Released = Incoming & Waited

async function waitingFor(state: PushState, arrived: PushState['inserted']): Promise<Released[]> {
  const { db, actor } = state.ctx
  if (!(await isAnythingQuarantined(state))) return []
  const ids = arrived.map(({ id }) => id)
  const { rows } = await sql<Pick<Waiting, 'table' | 'row' | 'chain_id' | 'sent_xid'>>`
    select table_name as table, row, chain_id, sent_xid::text as sent_xid from waiting_rows
    where detail = any(${ids}) and user_id = ${actor.userId}
    order by received_at, id limit ${MOST_RELEASED}`.execute(db)
  const waiting = keepNewestVersions(
    rows.flatMap((waits) => {
      const row = readWaiting(waits)
      return 'values' in row ? [waitedRow(row, waits)] : []
    }),
  )
  // this push has stored a newer version of the others
  return waiting.filter(
    (row) => !state.inserted.some(({ table, id }) => row.table === table && row.id === id),
  )
}

/** Requests the job if a push has inserted what rows of other users wait for, or more than it applied. */
export async function requestRelease(state: PushState) {
  const { db } = state.ctx
  if (state.inserted.length === 0 || !(await isAnythingQuarantined(state))) return
  const ids = state.inserted.map(({ id }) => id)
  const { rows } = await sql`select from waiting_rows where detail = any(${ids}) limit 1`.execute(
    db,
  )
  if (rows.length > 0) await askForRelease(db)
}

export const askForRelease = (db: Kysely<DB>) => askFor(db, 'release_waiting')

// --- In the background ---------------------------------------------------------------------------

/** The tables whose rows others name. */
const NAMED = [
  'patients',
  'visits',
  'events',
  'prescriptions',
  'prescription_items',
  'event_forms',
  'drug_catalogue',
  'drug_batches',
  'clinics',
  'users',
]

/**
 * Applies the rows in quarantine that waited for a record which is here by now, in whatever way it
 * came: each as the work of its author, with the author's present permissions. Returns their
 * number.
 */
export async function releaseWaiting(db: Kysely<DB>, signal?: AbortSignal): Promise<number> {
  for (let released = 0; ;) {
    // rows may wait for rows that waited themselves
    const inPass = await releaseOnce(db, signal)
    released += inPass
    if (inPass === 0 || signal?.aborted) return released
  }
}

async function releaseOnce(db: Kysely<DB>, signal?: AbortSignal): Promise<number> {
  let released = 0
  let found = await releasable(db, FIRST)
  while (found.length > 0) {
    // what a device sent is its own work, also once this job has written it: a transaction of its own
    for (const rows of Map.groupBy(found, (row) => `${row.user_id} ${row.chain_id}`).values())
      released += await releaseUserRows(db, rows[0]!.user_id, rows).catch((error: unknown) => {
        // a failure with the rows of one device must not keep those of others waiting
        log.error({ err: error }, 'rows in quarantine could not be applied')
        return 0
      })
    if (signal?.aborted) break
    found = await releasable(db, found.at(-1)!)
  }
  return released
}

type Place = { id: string; received_at: Date }
const FIRST: Place = { id: '00000000-0000-0000-0000-000000000000', received_at: new Date(0) }

/** Rows whose missing record is here, unless they were refused since it was last written, to the millisecond. */
async function releasable(db: Kysely<DB>, after: Place) {
  const isHere = NAMED.map(
    (table) => sql`select from ${sql.table(table)} t where t.id = w.missing and not t.is_deleted
      and (w.retried_at is null or t.last_modified >= w.retried_at)`,
  )
  const { rows } = await sql<Place & { user_id: string; chain_id: string | null }>`
    select w.id, w.received_at, w.user_id, w.chain_id from waiting_rows w
    where exists (${sql.join(isHere, sql` union all `)})
      and (w.received_at, w.id) > (${after.received_at}, ${after.id}::uuid)
    order by w.received_at, w.id limit ${MOST_RELEASED}`.execute(db)
  return rows
}

async function releaseUserRows(db: Kysely<DB>, userId: string, waiting: readonly { id: string }[]) {
  const actor = await actorById(db, userId)
  // a former user may write nothing: an administrator decides
  if (!actor) return 0
  const request = { id: newId(), via: 'phone' as const, address: '', headers: new Headers() }
  const ids = waiting.map(({ id }) => id)
  return runInTurn(`push ${userId}`, () =>
    inTransaction('sync.push', { db, actor, request }, (ctx) => applyWaiting(ctx, ids)),
  )
}

async function applyWaiting(ctx: Context, ids: readonly string[]): Promise<number> {
  await prepareTransaction(ctx)
  const { rows: waiting } = await sql<Waiting>`
    select id, user_id, chain_id, sent_xid::text as sent_xid, table_name as table, row, reason, detail
    from sync_quarantine where id = any(${ids}::uuid[]) and settled_at is null
    order by received_at, id for update`.execute(ctx.db)
  await lockNamed(ctx.db, waiting)
  let applied = 0
  for (const [chainId, ofPhone] of Map.groupBy(waiting, (row) => row.chain_id))
    applied += await applyOfPhone(ctx, chainId, ofPhone)
  await requestCheck(ctx.db)
  return applied
}

/**
 * Locks the records that the rows wait for. Transactions that are changing these records commit first; later ones wait
 * until this one ends. Otherwise a change that commits after the rows were refused could be older than `retried_at`.
 */
async function lockNamed(db: Kysely<DB>, waiting: readonly Waiting[]) {
  const ids = waiting.flatMap(({ detail }) => (isId(detail) ? [detail] : []))
  const locked = NAMED.map(
    (table) => sql`(select count(*) from (
      select from ${sql.table(table)} where id = any(${ids}::uuid[]) order by id for share) locked)`,
  )
  await sql`select ${sql.join(locked)}`.execute(db)
}

async function applyOfPhone(ctx: Context, chainId: string | null, waiting: readonly Waiting[]) {
  const state = newPushState(ctx, await baseOfWaiting(ctx.db, { chainId, sentXid: null }))
  const read = waiting.map((waits) => {
    const row = readWaiting(waits)
    return 'values' in row ? waitedRow(row, waits) : row
  })
  const rows = await redirectMerged(
    state,
    keepNewestVersions(read.filter((row) => 'values' in row)),
  )
  for (const [sentXid, sent] of Map.groupBy(rows, (row) => row.sentXid)) {
    const base = await baseOfWaiting(ctx.db, { chainId, sentXid })
    await saveAll({ ...state, base }, sent)
    await deleteAll({ ...state, base }, [], sent)
  }
  await addUnrecorded(state, rows)
  await storeConflicts(state)

  // the row as sent is the same object in the refusal
  const refusals = new Map(
    [...read.filter((row) => 'reason' in row), ...state.refused].map((row) => [row.raw, row]),
  )
  const isApplied = new Set(rows.map(({ raw }) => raw).filter((raw) => !refusals.has(raw)))
  const settled = waiting.filter((_, at) => isApplied.has(read[at]!.raw as object))
  await settleApplied(ctx, settled)
  await queueReleased(state, rows)
  await keepRefused(
    ctx,
    waiting.flatMap(({ id }, at) => {
      const refusal = refusals.get(read[at]!.raw)
      return refusal ? [{ id, reason: refusal.reason, detail: refusal.detail ?? null }] : []
    }),
  )
  return settled.length
}

/** Closes earlier versions of the same rows, too. */
const settleApplied = ({ db, actor }: Context, rows: readonly Waiting[]) =>
  sql`update sync_quarantine q
    set outcome = case when q.id = a.id then 'applied' else 'superseded' end,
      applied_xid = case when q.id = a.id then pg_current_xact_id() end,
      settled_by = ${actor.userId}, settled_at = clock_timestamp()
    from sync_quarantine a
    where a.id = any(${rows.map(({ id }) => id)}::uuid[]) and q.settled_at is null
      and q.user_id = a.user_id and q.table_name = a.table_name and q.row_id = a.row_id
      and q.operation = 'save' and (q.received_at, q.id) <= (a.received_at, a.id)`.execute(db)

/**
 * With the reason why they are refused now. A row that waits for another record from now on is tried as soon as that is
 * here, no matter when it was written: its transaction may be under way.
 */
const keepRefused = (
  { db }: Context,
  rows: readonly { id: string; reason: string; detail: string | null }[],
) =>
  sql`update sync_quarantine q
    set reason = r.reason, detail = r.detail,
      retried_at = case when q.detail is not distinct from r.detail then clock_timestamp() end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r (id uuid, reason text, detail text)
    where q.id = r.id`.execute(db)

// --- Rows ----------------------------------------------------------------------------------------

function readWaiting({ table, row }: { table: string; row: string }): Incoming | RowRefusal {
  const raw = JSON.parse(row) as { id: string }
  if (table in pushed) return readRow(table as PushedName, raw, 'updated')
  return { table, id: raw.id, operation: 'save', raw, reason: 'sync.reason_noRow' }
}

const waitedRow = (row: Incoming, waits: Pick<Waiting, 'chain_id' | 'sent_xid'>): Released => ({
  ...row,
  chainId: waits.chain_id,
  sentXid: waits.sent_xid,
  waited: { chainId: waits.chain_id },
})

/** Of two versions of a row, the one that arrived later. */
const keepNewestVersions = <R extends Incoming>(rows: readonly R[]): R[] => [
  ...new Map(rows.map((row) => [`${row.table} ${row.id}`, row])).values(),
]
