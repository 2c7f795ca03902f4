import type { OpenContext } from '~/server/operation'
import { isAdmin } from '~/shared/actor'
import { lastBackup } from './backups.server'
import { copiesState } from './copies.server'
import { isOldCopy } from './copy-age'

/** State of the backups and their copies, for administrators; null for other users. */
export async function backupHealth(ctx: OpenContext) {
  const { actor, db } = ctx
  if (!actor || !isAdmin(actor)) return null
  const { last, failed } = await lastBackup({ ...ctx, actor }, null)
  const { folder, last: copy, chosenAt, old_after_days: days, failure } = await copiesState(db)
  const madeAt = copy?.madeAt ?? null
  return {
    lastBackupAt: last?.finishedAt ?? null,
    lastFailureAt: failed?.at ?? null,
    copies: folder && {
      lastCopyAt: madeAt,
      isOld: isOldCopy({ madeAt, chosenAt, days }, new Date()),
      failure: failure?.key ?? null,
    },
  }
}
