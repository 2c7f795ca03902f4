import { isFew } from '~/db/kept'
import { requestCheck } from '~/features/medicines/safety/arrivals.server'
import { log } from '~/server/log'
import { type Context, inTransaction } from '~/server/operation'
import { deleteAll, prepareTransaction, saveAll } from './apply.server'
import { dropOlderValues, storeConflicts } from './conflicts.server'
import { readPushBase, currentXid, rememberPush } from './cursor.server'
import { followDay } from './day.server'
import { LastPush } from './delivered'
import type { ChangeSource } from './change-source.server'
import { asCopy, type ChangeSet, type Incoming, type RowId } from './incoming'
import { redirectMerged } from './merged-patients.server'
import { newPushState, type PushState } from './push-state'
import { storeRefusals } from './quarantine.server'
import { requestRelease, saveReleased } from './release.server'
import { addUnrecorded, countedIn } from './stock.server'
import { refuseTooMany, storeLogs } from './quotas.server'
import { beginResend, queueOthers, queueReleased, queueResend } from './resend.server'
import { runInTurn } from '~/server/turns'
import { TrialFailed } from './write.server'

type PushOutcome = { rows: number; conflicts: number; refused: number }

/**
 * Applies a device's change set in one transaction. A row is written; or, where someone else has
 * changed the same column since the device's base snapshot, its value becomes a conflict; or the
 * row goes to quarantine with the reason.
 */
export const push = (
  ctx: Context,
  pullId: number,
  source: ChangeSource,
  { isUpload = false } = {},
): Promise<PushOutcome> =>
  // a device that timed out sends the same change set again while the first push is still running
  runInTurn(`push ${ctx.actor.userId}`, async () => {
    const attempt = (isTrial: boolean) =>
      inTransaction('sync.push', ctx, (inner) =>
        applyChanges(inner, pullId, source, { isUpload, isTrial }),
      )
    // savepoints would be a third of the statements of a small push, and few pushes need them
    if (isFew(source.ids.length)) {
      try {
        return await attempt(true)
      } catch (error) {
        if (!(error instanceof TrialFailed)) throw error
        log.debug({ err: error }, 'a push begins again')
      }
    }
    return attempt(false)
  })

async function applyChanges(
  ctx: Context,
  pullId: number,
  source: ChangeSource,
  { isUpload, isTrial }: { isUpload: boolean; isTrial: boolean },
): Promise<PushOutcome> {
  await prepareTransaction(ctx, source.ids.length)
  const base = await readPushBase(ctx, pullId, source.ids)
  const state = newPushState(ctx, base, { isTrial })
  const saved = await savePieces(state, source)
  const released = await saveReleased(state)
  await deleteAll(state, saved.deleted, [...saved.marked, ...released])

  await followDay(state)
  await dropOlderValues(state)
  await addUnrecorded(state, [...saved.counted, ...countedIn(state, released)])
  await storeConflicts(state)
  await storeRefusals(state)
  await beginResend(state)
  for await (const rows of source.isWhole ? [saved.rows] : redirected(state, source))
    await queueResend(state, rows)
  await queueReleased(state, released)
  await queueOthers(state, saved.deleted, saved.readOnly)
  await requestCheck(ctx.db)
  await requestRelease(state)

  const outcome = {
    rows: saved.count + saved.deleted.length,
    conflicts: state.conflicts.length,
    refused: state.refused.length,
  }
  await rememberPush(ctx, base, { ...outcome, delivered: saved.delivered, isUpload })
  return outcome
}

/** Saves the rows piece by piece. Of earlier pieces only what the end of the push needs is kept. */
async function savePieces(state: PushState, source: ChangeSource) {
  const saved = {
    count: 0,
    /** Of the last piece. */
    rows: [] as Incoming[],
    deleted: [] as RowId[],
    marked: [] as Incoming[],
    counted: [] as Incoming[],
    readOnly: [] as ChangeSet['readOnly'],
    delivered: new LastPush(),
  }
  const refused = { rows: 0, bytes: 0 }
  if (!source.isWhole) await ownTransaction(state)
  for await (const piece of source.pieces()) {
    if (Object.keys(piece.ignored).length > 0)
      log.debug({ ignored: piece.ignored }, 'a device sent tables that it does not write')
    addAll(state.refused, piece.refused)
    refuseTooMany(state, refused)
    saved.rows = await asSent(state, piece)
    // as the device sent them: saving changes the values of some rows
    for (const { table, id } of piece.deleted) saved.delivered.delete(table, id)
    for (const row of saved.rows) saved.delivered.save(row)
    await saveAll(state, saved.rows)
    for (const row of saved.rows) saved.delivered.markUnwritten(row)
    refuseTooMany(state, refused)
    saved.count += saved.rows.length
    addAll(saved.deleted, piece.deleted)
    addAll(
      saved.marked,
      saved.rows.filter(({ values }) => values['is_deleted'] === true),
    )
    addAll(saved.counted, countedIn(state, saved.rows))
    addAll(saved.readOnly, piece.readOnly)
    await storeLogs(state, piece.logs)
    if (!source.isWhole) state.verbatim.clear()
  }
  return saved
}

/** A call with each element as an argument ends the stack at some 120,000. */
function addAll<E>(list: E[], more: readonly E[]) {
  for (const element of more) list.push(element)
}

const asSent = (state: PushState, { rows }: ChangeSet): Promise<Incoming[]> =>
  redirectMerged(state, state.base.isAfterRestore ? rows.map(asCopy) : rows)

/** What an earlier piece wrote is no concurrent edit. */
async function ownTransaction({ ctx, base }: PushState) {
  base.own.push(await currentXid(ctx.db))
}

async function* redirected(state: PushState, source: ChangeSource): AsyncGenerator<Incoming[]> {
  for await (const piece of source.pieces()) yield asSent(state, piece)
}
