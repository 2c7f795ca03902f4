import { sql } from 'kysely'
import { type Context, inTransaction } from '~/server/operation'
import { requestCheck } from '~/features/safety/arrivals.server'
import { log } from '~/server/log'
import { baseOf, rememberPush } from './cursor.server'
import { deleteRows } from './delete.server'
import { LastPush } from './delivered'
import { keepConflicts } from './conflicts.server'
import { type ChangeSet, type Incoming, readChangeSet } from './incoming'
import { newPushState, type PushState } from './push-state'
import { keepRefusals, waitingFor } from './quarantine.server'
import { redirectMerged } from './merged-patients.server'
import { saveRows } from './save.server'
import { queueResend } from './resend.server'
import { inTurn } from './turns'
import { pushedTables } from '../schema/tables'

export type PushOutcome = { rows: number; conflicts: number; refused: number }

/**
 * Applies a device's change set in one transaction. A value that contradicts a concurrent change becomes a conflict, a row
 * that cannot be applied goes to quarantine. Throws `invalid` when the body is no change set.
 */
export async function push(ctx: Context, pullId: number, body: unknown): Promise<PushOutcome> {
  const set = readChangeSet(body)
  if (Object.keys(set.ignored).length > 0)
    log.debug({ ignored: set.ignored }, 'a phone sent what is not its to write')
  // one at a time: a device that timed out sends the same again while the first push is running
  return inTurn(`push ${ctx.actor.userId}`, () =>
    inTransaction('sync.push', ctx, (inner) => takeIn(inner, pullId, set)),
  )
}

async function takeIn(ctx: Context, pullId: number, set: ChangeSet): Promise<PushOutcome> {
  // one at a time across processes, too; the low page cost makes the planner look rows up by id instead of scanning tables
  await sql`select set_config('random_page_cost', '1.1', true),
    pg_advisory_xact_lock(hashtext('sanad.sync'), hashtext(${ctx.actor.userId}))`.execute(ctx.db)
  const base = await baseOf(ctx, pullId, [...set.rows, ...set.deleted])
  const state = newPushState(ctx, base, set.refused)
  const rows = await redirectMerged(state, set.rows)
  // as sent, before merges change it
  const delivered = deliveredBy(rows, set.deleted)
  await saveAll(state, rows)
  const waiting = await waitingFor(state)
  await saveAll(state, waiting)
  const asGone = rows.filter(
    ({ changed, values }) => changed.includes('is_deleted') && values['is_deleted'] === true,
  )
  // children first, so that each is deleted by itself and not by a cascade
  for (const [table] of pushedTables.toReversed()) {
    // a repeated delete is skipped: the record may have been restored since, on purpose
    const isDone = (id: string) => base.delivered.row(table, id)['is_deleted'] === true
    const ids = [...set.deleted, ...asGone]
      .filter((row) => row.table === table && !isDone(row.id))
      .map(({ id }) => id)
    await deleteRows(state, table, ids)
  }
  await keepLogs(state, set.logs)
  await keepConflicts(state)
  await keepRefusals(state)
  await queueResend(state, [...rows, ...waiting], set.deleted)
  // nothing is refused for its warnings; users see these later
  await requestCheck(ctx.db)
  const outcome = {
    rows: rows.length + set.deleted.length,
    conflicts: state.conflicts.length,
    refused: state.refused.length,
  }
  await rememberPush(ctx, base, { ...outcome, delivered })
  return outcome
}

/** Table by table, in the order in which they refer to each other. */
async function saveAll(state: PushState, rows: readonly Incoming[]) {
  for (const [table] of pushedTables) {
    const ofTable = rows.filter((row) => row.table === table)
    if (ofTable.length > 0) await saveRows(state, table, ofTable)
  }
}

function deliveredBy(rows: readonly Incoming[], deleted: ChangeSet['deleted']): LastPush {
  const delivered = new LastPush()
  for (const { table, id } of deleted) delivered.delete(table, id)
  for (const row of rows) delivered.save(row)
  return delivered
}

async function keepLogs(
  { ctx: { db, actor }, base }: PushState,
  logs: readonly { id: string; row: string }[],
) {
  if (logs.length === 0) return
  await sql`insert into event_logs (id, chain_id, received_from, row)
    select id, ${base.chainId}, ${actor.userId}, row from jsonb_to_recordset(${JSON.stringify(logs)}::jsonb) as r (id uuid, row text)
    on conflict (id) do nothing`.execute(db)
}
