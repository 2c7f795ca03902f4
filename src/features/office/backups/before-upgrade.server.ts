import { access, constants, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { readState, writeState } from '~/db/embedded-directory.server'
import type { PendingUpgrade } from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import { isSealed } from '~/server/backup-seal'
import { LEFT_OUT } from '~/server/backup-secrets'
import { backupSettings, refuseWeakPassphrase } from '~/server/backup-settings'
import { type BackupPhase, writeBackup } from '~/server/backup.server'
import { env } from '~/server/env'
import { findInstanceKey } from '~/server/instance-key.server'
import { log } from '~/server/log'
import { storage } from '~/server/storage.server'
import { newId } from '~/shared/id'
import { clinicTimeZone } from '~/shared/zone'
import { isBeforeUpgrade, nameBeforeUpgrade } from './backup'

/** Upgrades whose backups are kept. */
const KEPT = 3
const MB = 1024 * 1024
/** For what PostgreSQL and the other files of the disk need meanwhile. */
const SPARE = 64 * MB

/** Beside the newest backup: the state of the database that it holds. */
const STATE = 'sanad-before-upgrade.json'
type State = { name: string } & Pick<PendingUpgrade, 'applied' | 'inForce'>

type Options = {
  /** Replaces the lost instance key. */
  replacesKey?: boolean
  /** Prints a line for the user at the terminal. */
  say: (line: string) => void
  onProgress: (phase: BackupPhase, done: number, total: number) => void
}

/**
 * Backs up a database that has records, before a newer version changes it: the older version refuses it afterwards.
 * The backup is verified, and kept apart from the daily ones. Throws a Refusal if it cannot be made.
 */
export async function backUpBeforeUpgrade(
  url: string,
  client: pg.Client,
  upgrade: PendingUpgrade,
  { replacesKey, say, onProgress }: Options,
): Promise<void> {
  if (!(await hasRecords(client))) return
  if (env().skipsUpgradeBackup) {
    say('SANAD_SKIP_UPGRADE_BACKUP is set: the database is upgraded without a backup before it.')
    log.warn('the database is upgraded without a backup before it')
    return
  }
  const { folder, passphrase } = backupSettings()
  try {
    await prepareFolder(folder)
    const former = readState(join(folder, STATE)) as State | undefined
    if (former && continues(upgrade, former) && (await exists(join(folder, former.name)))) {
      say(`An interrupted upgrade goes on. The backup before it: ${join(folder, former.name)}`)
      return
    }
    refuseWeakPassphrase()
    await findInstanceKey(client, { replace: replacesKey })
    await refuseSmallDisk(client, folder)
    say('Backing up before the upgrade…')
    const name = nameBeforeUpgrade(new Date(), clinicTimeZone())
    const file = join(folder, name)
    const { bytes, rows } = await writeBackup(url, storage(), file, { passphrase, onProgress })
    const { applied, inForce } = upgrade
    writeState(join(folder, STATE), { name, applied, inForce } satisfies State)
    // an attempt that failed before its first migration
    if (former && former.name !== name && isSame(upgrade, former))
      await rm(join(folder, former.name), { force: true })
    await removeOld(folder)
    say(`Backed up before the upgrade: ${(bytes / MB).toFixed(1)} MB, verified: ${file}`)
    log.info({ file, bytes, rows }, 'the state before the upgrade is backed up')
  } catch (error) {
    throw new Refusal(
      `The database was not upgraded, and its records are unchanged: the backup before it could not be made. ` +
        `${errorSentence(error)} ${REMEDY}`,
      { cause: error },
    )
  }
}

const REMEDY =
  'Then start again. If you made a backup with the version before, SANAD_SKIP_UPGRADE_BACKUP=yes starts without ' +
  'this one.'

const errorSentence = (error: unknown) => (error as Error).message.replace(/\.?$/, '.')

async function hasRecords(client: pg.Client): Promise<boolean> {
  const tables = await client.query(
    `select where to_regclass('users') is not null and to_regclass('patients') is not null`,
  )
  if (!tables.rowCount) return false
  const found = await client.query(
    '(select from users limit 1) union all (select from patients limit 1)',
  )
  return found.rowCount! > 0
}

/** A configured folder may be a removable disk: creating it would write to the wrong disk. */
async function prepareFolder(folder: string) {
  const made = process.env['SANAD_BACKUP_DIR']
    ? access(folder, constants.W_OK)
    : mkdir(folder, { recursive: true, mode: 0o700 })
  await made.catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(
      `${folder} cannot be written (${error.code}). If it is on an external disk, check that the disk is plugged in.`,
      { cause: error },
    )
  })
  // left by a killed process: one process upgrades at a time
  for (const name of await readdir(folder))
    if (isBeforeUpgrade(name.replace(/\.unfinished$/, '')) && name.endsWith('.unfinished'))
      await rm(join(folder, name), { force: true })
}

/**
 * Whether the upgrade began with the state of the backup and was interrupted. Nobody has changed a record since: the
 * older version refuses the migrations that it does not know, and the newer one serves after the last step, which
 * changes `inForce`.
 */
const continues = (now: PendingUpgrade, then: State) =>
  now.inForce === then.inForce &&
  now.applied.length > then.applied.length &&
  then.applied.every((name) => now.applied.includes(name))

const isSame = (now: PendingUpgrade, then: State) =>
  now.inForce === then.inForce && now.applied.toSorted().join() === then.applied.toSorted().join()

const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )

async function refuseSmallDisk(client: pg.Client, folder: string) {
  const needed = spaceNeeded(await bytesOfTables(client), await bytesOfFiles())
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free < needed)
    throw new Refusal(
      `The disk that holds ${folder} is too small: about ${megabytes(needed)} are needed and ${megabytes(free)} are ` +
        'free. Free some space, or name a folder on another disk in SANAD_BACKUP_DIR.',
    )
}

/**
 * Bytes, estimated: a backup of 20,000 patients takes a quarter of the space of their tables, and photos do not get
 * smaller.
 */
export const spaceNeeded = (tables: number, files: number): number => tables / 2 + files + SPARE

const megabytes = (bytes: number) => `${Math.ceil(bytes / MB).toLocaleString('en')} MB`

async function bytesOfTables(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select coalesce(sum(pg_table_size(oid)), 0)::float8 as bytes from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and not relname like any($1)`,
    [LEFT_OUT],
  )
  return rows[0]!.bytes
}

async function bytesOfFiles(): Promise<number> {
  let bytes = 0
  for await (const name of storage().list())
    bytes += await stat(join(env().filesDir, name)).then(({ size }) => size, unlessRemoved)
  return bytes
}

function unlessRemoved(error: NodeJS.ErrnoException): number {
  if (error.code === 'ENOENT') return 0
  throw error
}

/** The files, newest first. */
async function backupsIn(folder: string) {
  const names = (await readdir(folder)).filter(isBeforeUpgrade)
  const files = await Promise.all(
    names.map(async (name) => ({ name, ...(await stat(join(folder, name))) })),
  )
  return files.toSorted((a, b) => b.mtimeMs - a.mtimeMs)
}

async function removeOld(folder: string) {
  for (const { name } of (await backupsIn(folder)).slice(KEPT))
    await rm(join(folder, name), { force: true })
}

/**
 * Lists the backups of before upgrades that are in the folder of this machine. Each has its name only since it was
 * verified. Runs at each start: an upgrade can be killed after its backup, and a restore empties the list.
 */
export async function listUpgradeBackups(client: pg.Client): Promise<void> {
  const { folder } = backupSettings()
  const isThere = await access(folder).then(
    () => true,
    () => false,
  )
  for (const { name, size, mtimeMs } of isThere ? await backupsIn(folder) : []) {
    const isEncrypted = await isSealedFile(join(folder, name))
    await client.query(
      `insert into backups
         (id, kind, status, percent, file_name, bytes, is_encrypted, created_at, started_at, finished_at)
       select $1, 'upgrade', 'finished', 100, $2, $3, $4, $5, $5, $5
       where not exists (select from backups where kind = 'upgrade' and file_name = $2)`,
      [newId(), name, size, isEncrypted, new Date(mtimeMs)],
    )
  }
  await client.query(
    `delete from backups where kind = 'upgrade' and id not in (
       select id from backups where kind = 'upgrade' order by finished_at desc, id limit $1)`,
    [KEPT],
  )
}

async function isSealedFile(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0)
    return isSealed(buffer.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}
