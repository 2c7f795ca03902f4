import { requestCheck } from '~/features/medicines/safety/arrivals.server'
import { log } from '~/server/log'
import { type Context, inTransaction } from '~/server/operation'
import { deleteAll, prepareTransaction, saveAll } from './apply.server'
import { storeConflicts } from './conflicts.server'
import { baseOf, rememberPush } from './cursor.server'
import { LastPush } from './delivered'
import { asCopy, type ChangeSet, readChangeSet } from './incoming'
import { redirectMerged } from './merged-patients.server'
import { newPushState } from './push-state'
import { storeRefusals } from './quarantine.server'
import { requestRelease, saveReleased } from './release.server'
import { addUnrecorded } from './unrecorded.server'
import { storeLogs } from './quotas.server'
import { queueResend } from './resend.server'
import { inTurn } from '~/server/turns'

type PushOutcome = { rows: number; conflicts: number; refused: number }

/**
 * Applies a device's change set in one transaction. A row is written; or, where someone else has
 * changed the same column since the device's base snapshot, its value becomes a conflict; or the
 * row goes to quarantine with the reason. Throws `invalid` if the body is no change set.
 */
export async function push(
  ctx: Context,
  pullId: number,
  body: unknown,
  { isUpload = false } = {},
): Promise<PushOutcome> {
  const changes = readChangeSet(body)
  if (Object.keys(changes.ignored).length > 0)
    log.debug({ ignored: changes.ignored }, 'a device sent tables that it does not write')
  // a device that timed out sends the same change set again while the first push is still running
  return inTurn(`push ${ctx.actor.userId}`, () =>
    inTransaction('sync.push', ctx, (inner) => applyChanges(inner, pullId, changes, isUpload)),
  )
}

async function applyChanges(
  ctx: Context,
  pullId: number,
  changes: ChangeSet,
  isUpload: boolean,
): Promise<PushOutcome> {
  await prepareTransaction(ctx)
  const base = await baseOf(ctx, pullId, [...changes.rows, ...changes.deleted])
  const state = newPushState(ctx, base, changes.refused)

  const sent = base.isAfterRestore ? changes.rows.map(asCopy) : changes.rows
  const rows = await redirectMerged(state, sent)
  // as the device sent them: saving changes the values of some rows
  const delivered = LastPush.of(rows, changes.deleted)
  await saveAll(state, rows)
  const released = await saveReleased(state)
  await deleteAll(state, changes.deleted, [...rows, ...released])

  await addUnrecorded(state, [...rows, ...released])
  await storeLogs(state, changes.logs)
  await storeConflicts(state)
  await storeRefusals(state)
  await queueResend(state, [...rows, ...released], changes.deleted, changes.readOnly)
  await requestCheck(ctx.db)
  await requestRelease(state)

  const outcome = {
    rows: rows.length + changes.deleted.length,
    conflicts: state.conflicts.length,
    refused: state.refused.length,
  }
  await rememberPush(ctx, base, { ...outcome, delivered, isUpload })
  return outcome
}
