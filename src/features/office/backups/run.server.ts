import { access, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { directUrl } from '~/db/db.server'
import { Refusal } from '~/db/refusal'
import type { DB } from '~/db/types'
import { backupSettings } from '~/server/backup-settings'
import { type BackupPhase, MissingFiles, writeBackup } from '~/server/backup.server'
import { askFor, whileAlone } from '~/server/jobs.server'
import { log } from '~/server/log'
import { storage } from '~/server/storage.server'
import type { Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { clinicTimeZone } from '~/shared/zone'
import { isDue, nameOfBackup, REGULAR_KINDS } from './backup'

/** Milliseconds between two updates of what screens show. */
const TELL_MS = 1_000
/** Days that a failure stays on the list. */
const FAILURES_KEPT = 90

/** Makes a requested or due backup. A second process stops. */
export const runBackups = (db: Kysely<DB>, signal?: AbortSignal): Promise<void> =>
  whileAlone(db, 'sanad.backups', async () => {
    await planDaily(db)
    const due = await db
      .updateTable('backups')
      .set({ status: 'running', percent: 0, started_at: new Date() })
      .where('status', 'in', ['waiting', 'running'])
      .returning('id')
      .executeTakeFirst()
    if (due) await make(db, due.id, signal)
  })

/** SQL for the end of the newest of these backups. A time of a clock that was ahead does not count. */
const newest = (which: RawBuilder<unknown>) =>
  sql<Date | null>`max(finished_at) filter (where ${which} and has_happened(finished_at))`

async function planDaily(db: Kysely<DB>) {
  const { finishedAt, failedAt, users } = await db
    .selectFrom('backups')
    .select(newest(sql`status = 'finished' and kind <> 'upgrade'`).as('finishedAt'))
    .select(newest(sql`status = 'failed'`).as('failedAt'))
    // before there are users there is nothing to lose
    .select(sql<boolean>`exists (select from users)`.as('users'))
    .executeTakeFirstOrThrow()
  if (!users || !isDue(new Date(), clinicTimeZone(), { finishedAt, failedAt })) return
  await db
    .insertInto('backups')
    .values({ id: newId(), kind: 'daily' })
    .onConflict((on) => on.doNothing())
    .execute()
}

async function make(db: Kysely<DB>, id: string, signal?: AbortSignal) {
  const { folder, passphrase } = backupSettings()
  const file_name = nameOfBackup(new Date(), clinicTimeZone())
  const end = (values: { status: 'finished' | 'failed'; failure?: string; bytes?: number }) =>
    db
      .updateTable('backups')
      .set({
        ...values,
        file_name,
        is_encrypted: passphrase !== undefined,
        finished_at: new Date(),
        percent: 100,
      })
      .where('id', '=', id)
      .execute()
  try {
    await ready(folder)
    const url = directUrl()
    if (!url) throw new Error('DATABASE_URL is not set')
    const { bytes } = await writeBackup(url, storage(), join(folder, file_name), {
      passphrase,
      signal,
      onProgress: teller(db, id),
    })
    await end({ status: 'finished', bytes })
    await askFor(db, 'backup_copies')
    await forgetOld(db, folder)
  } catch (error) {
    // the process is stopping: the next one starts over
    if (signal?.aborted) return
    log.error({ err: error, backupId: id }, 'a backup failed')
    await end({ status: 'failed', failure: JSON.stringify(backupFailure(error, folder)) })
  }
}

/** A configured folder may be a removable disk: creating it would write to the wrong disk. */
async function ready(folder: string) {
  if (process.env['SANAD_BACKUP_DIR']) await access(folder)
  else await mkdir(folder, { recursive: true, mode: 0o700 })
  // left by a killed process: we hold the lock, so no other process is writing it
  for (const name of await readdir(folder))
    if (/^sanad-\d.*\.unfinished$/.test(name)) await rm(join(folder, name), { force: true })
}

function backupFailure(error: unknown, folder: string): Message {
  if (error instanceof MissingFiles)
    return { key: 'backups.filesMissing', values: { ...error.state } }
  const { code = '', path = '' } = error as NodeJS.ErrnoException
  if (error instanceof Refusal && /is full/.test(error.message))
    return { key: 'backups.diskFull', values: { folder } }
  if (/^E[A-Z]+$/.test(code) && path.startsWith(folder))
    return { key: 'backups.noFolder', values: { folder, code } }
  return { key: 'backups.failed' }
}

/** The share of each phase, in percent. */
const shares: Record<BackupPhase, [from: number, to: number]> = {
  files: [0, 20],
  records: [20, 80],
  check: [80, 100],
}

function teller(db: Kysely<DB>, id: string) {
  let reportedAt = 0
  return (phase: BackupPhase, done: number, total: number) => {
    if (Date.now() - reportedAt < TELL_MS) return
    reportedAt = Date.now()
    const [from, to] = shares[phase]
    const percent = Math.floor(from + ((to - from) * done) / (total || 1))
    db.updateTable('backups')
      .set({ percent })
      .where('id', '=', id)
      .execute()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the progress of a backup could not be stored'),
      )
  }
}

/** Keeps the newest. The files of `npm run backup` are their owner's, and those of before an upgrade are kept apart. */
async function forgetOld(db: Kysely<DB>, folder: string) {
  const old = await db
    .deleteFrom('backups')
    .where('id', 'in', (qb) =>
      qb
        .selectFrom('backups')
        .select('id')
        .where('status', '=', 'finished')
        .where('kind', 'in', REGULAR_KINDS)
        .orderBy('finished_at', 'desc')
        .offset(backupSettings().kept),
    )
    .returning('file_name')
    .execute()
  for (const { file_name } of old) await rm(join(folder, file_name!), { force: true })
  await db
    .deleteFrom('backups')
    .where('status', '=', 'failed')
    .where('created_at', '<', sql<Date>`now() - make_interval(days => ${FAILURES_KEPT})`)
    .execute()
}
