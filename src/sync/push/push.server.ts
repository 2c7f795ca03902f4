import { sql } from 'kysely'
import { requestCheck } from '~/features/medicines/safety/arrivals.server'
import { log } from '~/server/log'
import { type Context, inTransaction } from '~/server/operation'
import { pushedTables } from '../schema/tables'
import { storeConflicts } from './conflicts.server'
import { baseOf, rememberPush } from './cursor.server'
import { deleteRows } from './delete.server'
import { LastPush } from './delivered'
import { byTable, type ChangeSet, type Incoming, readChangeSet, type RowId } from './incoming'
import { redirectMerged } from './merged-patients.server'
import { newPushState, type PushState } from './push-state'
import { releasedRows, storeRefusals } from './quarantine.server'
import { addUnrecorded } from './unrecorded.server'
import { storeLogs } from './quotas.server'
import { queueResend } from './resend.server'
import { saveRows } from './save.server'
import { storedIds } from './write.server'
import { inTurn } from '~/server/turns'

type PushOutcome = { rows: number; conflicts: number; refused: number }

/**
 * Applies a device's change set in one transaction. A row is written; or, where someone else has
 * changed the same column since the device's base snapshot, its value becomes a conflict; or the
 * row goes to quarantine with the reason. Throws `invalid` if the body is no change set.
 */
export async function push(ctx: Context, pullId: number, body: unknown): Promise<PushOutcome> {
  const changes = readChangeSet(body)
  if (Object.keys(changes.ignored).length > 0)
    log.debug({ ignored: changes.ignored }, 'a device sent tables that it does not write')
  // a device that timed out sends the same change set again while the first push is still running
  return inTurn(`push ${ctx.actor.userId}`, () =>
    inTransaction('sync.push', ctx, (inner) => applyChanges(inner, pullId, changes)),
  )
}

async function applyChanges(
  ctx: Context,
  pullId: number,
  changes: ChangeSet,
): Promise<PushOutcome> {
  await prepareTransaction(ctx)
  const base = await baseOf(ctx, pullId, [...changes.rows, ...changes.deleted])
  const state = newPushState(ctx, base, changes.refused)

  const rows = await redirectMerged(state, changes.rows)
  // as the device sent them: saving changes the values of some rows
  const delivered = deliveredBy(rows, changes.deleted)
  await saveAll(state, rows)
  const released = await releasedRows(state)
  await saveAll(state, released)
  const marked = [...rows, ...released].filter((row) => isMarkedDeleted(row, state.inserted))
  await deleteAll(state, [...changes.deleted, ...marked])

  await addUnrecorded(state, rows)
  await storeLogs(state, changes.logs)
  await storeConflicts(state)
  await storeRefusals(state)
  await queueResend(state, [...rows, ...released], changes.deleted, changes.readOnly)
  await requestCheck(ctx.db)

  const outcome = {
    rows: rows.length + changes.deleted.length,
    conflicts: state.conflicts.length,
    refused: state.refused.length,
  }
  await rememberPush(ctx, base, { ...outcome, delivered })
  return outcome
}

/**
 * One push of a user at a time, across processes. The low page cost makes the planner look rows up
 * by id; in small tables it would scan instead, once for each statement of a push.
 */
const prepareTransaction = ({ db, actor }: Context) =>
  sql`select set_config('random_page_cost', '1.1', true),
    pg_advisory_xact_lock(hashtext('sanad.sync'), hashtext(${actor.userId}))`.execute(db)

/** Table by table, in the order of their references. */
async function saveAll(state: PushState, rows: readonly Incoming[]) {
  // most rows are new: looking up all ids at once is faster than reading each table
  const stored = await storedIds(state.ctx.db, rows)
  const newIds = new Set(rows.map(({ id }) => id).filter((id) => !stored.has(id)))
  for (const [table, ofTable] of byTable(rows)) await saveRows(state, table, ofTable, newIds)
}

/** Children first, so that each is deleted by itself and not by a cascade. */
async function deleteAll(state: PushState, deleted: readonly RowId[]) {
  // a repeated delete is skipped: a user may have restored the record since
  const isRepeated = ({ table, id }: RowId) =>
    state.base.delivered.row(table, id)['is_deleted'] === true
  for (const [table] of pushedTables.toReversed()) {
    const ofTable = deleted.filter((row) => row.table === table && !isRepeated(row))
    await deleteRows(
      state,
      table,
      ofTable.map(({ id }) => id),
    )
  }
}

/** The app hides a row by `is_deleted`; a row that was new or unknown here is in the trash then. */
const isMarkedDeleted = ({ table, id, changed, values }: Incoming, inserted: readonly RowId[]) =>
  values['is_deleted'] === true &&
  (changed.includes('is_deleted') || inserted.some((row) => row.id === id && row.table === table))

function deliveredBy(rows: readonly Incoming[], deleted: readonly RowId[]): LastPush {
  const delivered = new LastPush()
  for (const { table, id } of deleted) delivered.delete(table, id)
  for (const row of rows) delivered.save(row)
  return delivered
}
