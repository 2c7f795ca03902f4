import { type Expression, type SqlBool, sql } from 'kysely'
import type { Context } from '~/server/operation'
import { type Actor, clinicsWhere, isAdmin } from '~/shared/actor'
import { type AppError, conflict } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import type { PushedName } from '../schema/tables'
import { type Base, baseOfWaiting, type Waited } from './cursor.server'
import { followDay } from './day.server'
import { deleteRows } from './delete.server'
import { LastPush } from './delivered'
import type { Incoming } from './incoming'
import { redirectMerged } from './merged-patients.server'
import { newPushState, type PushState } from './push-state'
import { saveRows } from './save.server'

/**
 * Conflicts and quarantined rows that the actor may resolve: administrators all, others those of
 * clinics they administer.
 */
export function maySettle(actor: Actor, table: string): Expression<SqlBool> {
  if (isAdmin(actor)) return sql<boolean>`true`
  const clinics = clinicsWhere(actor, 'is_clinic_admin') as string[]
  return sql<boolean>`coalesce(${sql.ref(`${table}.clinic_id`)} = any(${clinics}::uuid[]), false)`
}

/** Those that the actor may resolve or has sent. */
export const maySettleOrHasSent = (actor: Actor, table: string): Expression<SqlBool> =>
  sql<boolean>`(${maySettle(actor, table)} or ${sql.ref(`${table}.user_id`)} = ${actor.userId})`

/** Makes the error for a refused row. */
type MakeRefusalError = (reason: MessageKey) => AppError
const stillRefused: MakeRefusalError = (reason) =>
  conflict('sync.stillRefused', {}, { '': { key: reason } })

/**
 * Saves a user's decision by the rules of a push. Throws `errorOf` the reason if the row is
 * refused.
 */
export const saveDecided = (ctx: Context, row: Incoming, errorOf?: MakeRefusalError) =>
  decide(ctx, (state) => saveRows(state, row.table, [row]), errorOf)

/** The same for a row of the app's online mode. */
export const saveOnline = (ctx: Context, row: Incoming, errorOf: MakeRefusalError) =>
  decide(
    ctx,
    (state) => {
      const { snapshot } = state.base
      const base: Base = { ...state.base, form: snapshot === null ? 'unknown' : { snapshot } }
      return saveRows({ ...state, base }, row.table, [row])
    },
    errorOf,
  )

/** The same for a row that another user's phone sent. What that phone has sent since stays. */
export const saveSent = (
  ctx: Context,
  row: Incoming,
  { senderId, ...waited }: Waited & { senderId: string },
) =>
  decide(ctx, async (state) => {
    const { form, newer } = await baseOfWaiting(ctx.db, waited)
    const base: Base = { ...state.base, form, newer }
    const rows = await redirectMerged(state, [row])
    return saveRows({ ...state, base, senderId }, row.table, rows)
  })

/** Rows of one table, all or none. */
export const saveAllDecided = (
  ctx: Context,
  table: PushedName,
  rows: readonly Incoming[],
  errorOf?: MakeRefusalError,
) => decide(ctx, (state) => saveRows(state, table, rows), errorOf)

export const deleteDecided = (
  ctx: Context,
  table: PushedName,
  id: string,
  errorOf?: MakeRefusalError,
) => decide(ctx, (state) => deleteRows(state, table, [id]), errorOf)

/** The user sees the stored row while deciding, so no edit on the server counts as concurrent. */
async function decide(
  ctx: Context,
  work: (state: PushState) => Promise<void>,
  errorOf: MakeRefusalError = stillRefused,
) {
  const state = newPushState(ctx, await currentBase(ctx))
  await work(state)
  const [refusal] = state.refused
  if (refusal) throw errorOf(refusal.reason)
  const [contested] = state.conflicts
  if (contested) throw conflict(contested.isDeleted ? 'sync.rowDeleted' : 'errors.staleByOther')
  await followDay(state)
}

async function currentBase({ db }: Context): Promise<Base> {
  const { rows } = await sql<{ snapshot: string; own: string }>`
    select pg_current_snapshot()::text as snapshot, pg_current_xact_id()::text as own`.execute(db)
  const { snapshot, own } = rows[0]!
  return {
    chainId: null,
    chainIds: [],
    pullId: null,
    snapshot,
    olderSnapshot: null,
    repeatedSnapshot: null,
    withheldSnapshot: null,
    restoreSnapshot: null,
    own: [own],
    newer: [],
    delivered: new LastPush(),
    basePull: null,
    isAfterRestore: false,
    formerAt: null,
    form: 'none',
  }
}

/** Queues the stored row for the device that sent it. */
export const tellPhone = (
  { db }: Context,
  chainId: string | null,
  table: string,
  rowId: string | null,
) =>
  chainId && rowId
    ? sql`insert into sync_again (chain_id, table_name, row_id)
        values (${chainId}, ${table}, ${rowId})
        on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid`.execute(db)
    : undefined
