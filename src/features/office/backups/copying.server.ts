import { type Kysely, type Selectable, sql } from 'kysely'
import type { DB } from '~/db/types'
import { backupSettings } from '~/server/backup-settings'
import { whileAlone } from '~/server/jobs.server'
import { log } from '~/server/log'
import type { Message } from '~/shared/errors'
import { copiesState, finishedBackups, ourFolders } from './copies.server'
import { isOldCopy } from './copy-age'
import { copyBackup, FolderProblem } from './second-folder.server'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const now = sql<Date>`clock_timestamp()`

/**
 * Copies the newest backup to the second folder, if its copy is not there, and logs once a day that the last good copy
 * is too old. A second process stops. What goes wrong is stored as the state of the copies.
 */
export const copyBackups = (db: Kysely<DB>, signal?: AbortSignal): Promise<void> =>
  whileAlone(db, 'sanad.backup_copies', async () => {
    await copyNewest(db, signal)
    await reportOld(db)
  })

async function copyNewest(db: Kysely<DB>, signal?: AbortSignal) {
  const before = await db.selectFrom('backup_copies').selectAll().executeTakeFirstOrThrow()
  const newest = await finishedBackups(db)
    .select(['file_name', 'finished_at'])
    .orderBy('finished_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  const { folder, id } = before
  if (!folder || !newest) {
    if (before.begun_at) await db.updateTable('backup_copies').set({ begun_at: null }).execute()
    return
  }
  const isNew = before.failed_at !== null && newest.finished_at! > before.failed_at
  if (before.failure && !isNew && !isTriedAgain(before)) return
  const isCopied = before.file_name === newest.file_name
  // a check that the copy exists changes nothing on the screens
  if (!isCopied) await db.updateTable('backup_copies').set({ begun_at: now }).execute()
  const done = { begun_at: null, asked_at: null }
  try {
    const copy = await copyBackup({
      name: newest.file_name!,
      from: backupSettings().folder,
      folder,
      id,
      kept: backupSettings().kept,
      ours: ourFolders(),
      signal,
    })
    if (isCopied && !copy.isCopied && !before.failure && !before.asked_at) return
    await db
      .updateTable('backup_copies')
      .set({ ...done, failure: null, failed_at: null, is_same_disk: copy.isSameDisk })
      .set({ file_name: newest.file_name, bytes: copy.bytes, made_at: newest.finished_at })
      .set({ copied_at: now, reported_at: null })
      .where('folder', '=', folder)
      .execute()
  } catch (error) {
    // the process is stopping: the next one starts over
    if (signal?.aborted) return
    const failure: Message = error instanceof FolderProblem ? error.text : { key: 'copies.failed' }
    if (failure.key !== before.failure?.key) {
      const err = error instanceof FolderProblem ? undefined : error
      log.warn({ folder, failure: failure.key, err }, 'the newest backup could not be copied')
    }
    await db
      .updateTable('backup_copies')
      .set({ ...done, failure: JSON.stringify(failure), failed_at: now })
      .where('folder', '=', folder)
      .execute()
  }
}

/** A reconnected disk is noticed at once; other failures are retried after an hour. */
function isTriedAgain(row: Selectable<DB['backup_copies']>) {
  const key = row.failure?.key
  const isAway = key === 'copies.noDisk' || key === 'copies.otherDisk'
  return isAway || row.asked_at !== null || Math.abs(Date.now() - row.failed_at!.getTime()) > HOUR
}

async function reportOld(db: Kysely<DB>) {
  const { folder, last, chosenAt, old_after_days, failure } = await copiesState(db)
  const madeAt = last?.madeAt ?? null
  const isOld = isOldCopy({ madeAt, chosenAt, days: old_after_days }, new Date())
  if (!folder || !isOld) return
  const { numUpdatedRows } = await db
    .updateTable('backup_copies')
    .set({ reported_at: now })
    .where((eb) =>
      eb.or([
        eb('reported_at', 'is', null),
        eb('reported_at', '<', new Date(Date.now() - DAY)),
        eb('reported_at', '>', new Date(Date.now() + DAY)),
      ]),
    )
    .executeTakeFirst()
  if (numUpdatedRows)
    log.error(
      { folder, madeAt, failure: failure?.key },
      'the last good copy of a backup is too old',
    )
}
