import { type Expression, type SqlBool, sql } from 'kysely'
import type { Context } from '~/server/operation'
import { type Actor, clinicsWhere, isAdmin } from '~/shared/actor'
import { type AppError, conflict } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { deleteRows } from './delete.server'
import { LastPush } from './delivered'
import type { Incoming } from './incoming'
import { newPushState, type PushState } from './push-state'
import { saveRows } from './save.server'
import type { PushedName } from '../schema/tables'

/** A `where` that keeps what the actor may settle: administrators everything, a clinic's administrator what concerns it. */
export function maySettle(actor: Actor, table: string): Expression<SqlBool> {
  if (isAdmin(actor)) return sql<boolean>`true`
  return sql<boolean>`coalesce(${sql.ref(`${table}.clinic_id`)} = any(${clinicsWhere(actor, 'is_clinic_admin') as string[]}::uuid[]), false)`
}

/** What the actor may see: what the actor may settle, or sent. */
export const maySee = (actor: Actor, table: string): Expression<SqlBool> =>
  sql<boolean>`(${maySettle(actor, table)} or ${sql.ref(`${table}.user_id`)} = ${actor.userId})`

type Refusing = (reason: MessageKey) => AppError
const stillRefused: Refusing = (reason) =>
  conflict('sync.stillRefused', {}, { '': { key: reason } })

/** Writes what a user decided who sees the stored row, so nothing on the server counts as concurrent. */
async function decide(
  ctx: Context,
  work: (state: PushState) => Promise<void>,
  refusing: Refusing = stillRefused,
) {
  const { rows } = await sql<{ now: string; own: string }>`
    select pg_current_snapshot()::text as now, pg_current_xact_id()::text as own`.execute(ctx.db)
  const { now: snapshot, own } = rows[0]!
  const base = {
    chainId: null,
    pullId: null,
    snapshot,
    own: [own],
    delivered: new LastPush(),
    basePull: null,
  }
  const state = newPushState(ctx, base)
  await work(state)
  const [refusal] = state.refused
  if (refusal) throw refusing(refusal.reason)
  const [contested] = state.conflicts
  if (contested) throw conflict(contested.isDeleted ? 'sync.rowDeleted' : 'errors.staleByOther')
}

/** Throws what `refusing` makes of the reason when it cannot be: by itself, that it still cannot. */
export const saveDecided = (ctx: Context, row: Incoming, refusing?: Refusing) =>
  decide(ctx, (state) => saveRows(state, row.table, [row]), refusing)

/** Rows of one table, all or none. */
export const saveAllDecided = (
  ctx: Context,
  table: PushedName,
  rows: readonly Incoming[],
  refusing?: Refusing,
) => decide(ctx, (state) => saveRows(state, table, rows), refusing)

export const deleteDecided = (ctx: Context, table: PushedName, id: string, refusing?: Refusing) =>
  decide(ctx, (state) => deleteRows(state, table, [id]), refusing)

/** Queues the stored row for the device that sent it. */
export const tellPhone = (
  { db }: Context,
  chainId: string | null,
  table: string,
  rowId: string | null,
) =>
  chainId && rowId
    ? sql`insert into sync_again (chain_id, table_name, row_id) values (${chainId}, ${table}, ${rowId})
        on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid`.execute(db)
    : undefined
