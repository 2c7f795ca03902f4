import type pg from 'pg'
import { inClientTransaction, openConnection } from '~/db/connect'
import { migrateRestored } from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import { type BackupPhase, SAME_TEXT } from './backup.server'
import { authenticate, type BackupPart, readBackup } from './backup-contents'
import { damaged } from './backup-tar'
import { bytesOfKey, fingerprintOfText, ownFingerprint } from './instance-key.server'
import {
  compareTables,
  emptyTables,
  backupMigrationSteps,
  type Tables,
} from './restore-tables.server'
import { sessionSettings } from './session-settings'
import type { Storage } from './storage.server'

export type RestoreOptions = {
  passphrase?: string
  /** Fingerprint of one more key that may have signed the backup, beside this machine's own. */
  trust?: string
  /** Whether current records may be replaced. */
  replace?: boolean
  /** Compares each table with the manifest before anything is upgraded. */
  compare?: boolean
  onProgress?: (phase: BackupPhase | 'load', done: number, total: number) => void
}

type Restored = {
  madeAt: string
  tables: number
  rows: number
  files: number
  migrations: string[]
}

/**
 * PostgreSQL does not log rows of tables that a transaction creates, but writes them to the disk before its commit. A
 * killed restore leaves the earlier state, as with the log.
 */
export const WITHOUT_LOG = ['wal_level=minimal', 'max_wal_senders=0', 'autovacuum=off']

/**
 * Restores the database and the files of a backup, then runs the newer migrations. The whole file is
 * authenticated first, and the database changes in one transaction. Needs the database's owner, not a
 * superuser. The caller runs `analyze`.
 */
export async function restoreBackup(
  url: string,
  storage: Storage,
  file: string,
  { passphrase, trust, replace = false, compare, onProgress = () => {} }: RestoreOptions = {},
): Promise<Restored> {
  const own = ownFingerprint()
  const reading = (phase: 'check' | 'load') => ({
    passphrase,
    trusted: [...(own ? [own] : []), ...(trust ? [asFingerprint(trust)] : [])],
    onProgress: (done: number, total: number) => onProgress(phase, done, total),
  })
  await authenticate(file, reading('check'))
  const before = new Set<string>()
  for await (const name of storage.list()) before.add(name)
  const client = await openConnection(url, { statementTimeout: 0, name: 'sanad restore' })
  try {
    const restored = await inClientTransaction(client, async () => {
      // for indexes and foreign keys
      await client.query(`set local maintenance_work_mem = '256MB'`)
      if (!replace && (await isInUse(client)))
        throw new Refusal(
          'There are records here already, and a restore would replace them all: add --replace if that is meant.',
        )
      const files = new Set<string>()
      try {
        return await readBackup(file, reading('load'), (parts) =>
          load(client, storage, files, refuseUnknown(parts), compare),
        )
      } catch (error) {
        for (const name of files) if (!before.has(name)) await storage.remove(name).catch(() => {})
        throw error
      }
    })
    for (const name of before) if (!restored.files.has(name)) await storage.remove(name)
    return { ...restored, files: restored.files.size }
  } finally {
    await client.end()
  }
}

/** As a user types it. */
const asFingerprint = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\da-f]/g, '')
    .replaceAll(/.{4}(?=.)/g, '$&-')

/** Refuses migrations that this version does not know, and a key that this machine cannot use. */
async function* refuseUnknown(parts: AsyncGenerator<BackupPart>): AsyncGenerator<BackupPart> {
  for await (const part of parts) {
    if (part.is === 'key') refuseOtherSecret(part.text)
    if (part.is === 'database') backupMigrationSteps(part.facts)
    yield part
  }
}

/** The second factors of the backup open with its key only. */
function refuseOtherSecret(text: string) {
  const { secret } = sessionSettings()
  if (secret && !bytesOfKey(secret).equals(bytesOfKey(text)))
    throw new Refusal(
      `The backup holds the instance key ${fingerprintOfText(text)}, and SANAD_SECRET is another: ` +
        'restore without SANAD_SECRET, or with that of the machine that made the backup.',
    )
}

/** Whether the database holds records. Throws a Refusal for a database that is not Sanad's. */
async function isInUse(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is_ours: boolean; tables: number }>(
    `select to_regclass('schema_migrations') is not null as is_ours, count(*) as tables from pg_class c
     where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
  )
  const { is_ours, tables } = rows[0]!
  if (!is_ours) {
    if (tables > 0)
      throw new Refusal(
        'The database holds tables that are not of Sanad: restore into one of its own.',
      )
    return false
  }
  const found = await client.query(
    '(select from users limit 1) union all (select from patients limit 1)',
  )
  return found.rowCount! > 0
}

/** Loads the parts of a backup, in their order, into the database and the storage; `files` receives their names. */
async function load(
  client: pg.Client,
  storage: Storage,
  files: Set<string>,
  parts: AsyncGenerator<BackupPart>,
  compare = false,
) {
  let madeAt = ''
  let isSealed = false
  let key: string | undefined
  let tables: Tables | undefined
  let rows = 0
  let migrations: string[] = []
  await client.query(SAME_TEXT)
  for await (const part of parts) {
    if (part.is === 'start') ({ madeAt, isSealed } = part.facts)
    if (part.is === 'key') key = part.text
    if (part.is === 'database') tables = await emptyTables(client, part.facts)
    if (part.is === 'file') {
      files.add(part.name)
      await storage.put(part.name, part.bytes)
    }
    if (part.is === 'rows' || part.is === 'end') {
      if (!tables) throw damaged()
      if (part.is === 'rows') await tables.add(part.table, part.bytes)
      else {
        rows = await tables.close(part.facts)
        if (compare) await compareTables(client, tables.columnsOf, part.facts)
        await tables.finish(part.facts)
        const isWithoutSecrets = !isSealed && tables.columnsOf.has('app_passwords')
        migrations = await settle(client, { madeAt, key, isWithoutSecrets })
      }
    }
  }
  return { madeAt, tables: tables!.columnsOf.size, rows, files, migrations }
}

type Settling = {
  madeAt: string
  key: string | undefined
  isWithoutSecrets: boolean
}

/**
 * What a restore writes beside the rows of the backup. Brings the database up to this version, and begins a
 * new epoch for phones, which may have synced after the backup was made, and one for the seals of the audit
 * trail. Returns the newer migrations.
 */
async function settle(
  client: pg.Client,
  { madeAt, key, isWithoutSecrets }: Settling,
): Promise<string[]> {
  // the next `adoptInstanceKey` moves it into the file
  if (key)
    await client.query(`insert into instance_keys (name, value) values ('sessions', $1)`, [
      bytesOfKey(key),
    ])
  if (isWithoutSecrets)
    await client.query('update app_passwords set revoked_at = coalesce(revoked_at, now())')
  const migrations = await migrateRestored(client)
  // one may have been revoked after the backup was made: an administrator allows them again
  await client.query('update api_clients set is_active = false where is_active')
  // they may have been sent since
  await client.query(`update messages set state = 'failed', error = 'expired', due_at = null,
    gateway = coalesce(gateway, 'unknown') where state = 'queued'`)
  await client.query('select begin_sync_epoch(), begin_audit_epoch()')
  await client.query(
    `insert into audit_log (action, via, request_id, table_name, changes)
     values (
       'backups.restore', 'command', '', 'backups',
       jsonb_build_object('made_at', jsonb_build_array(null, $1::text)))`,
    [madeAt],
  )
  return migrations
}

/** The planner's statistics, without those of the row caches. */
export async function analyze(url: string) {
  const client = await openConnection(url, { statementTimeout: 0, name: 'sanad restore' })
  try {
    const { rows } = await client.query<{ names: string }>(
      `select string_agg(oid::regclass::text, ', ') as names from pg_class
       where relkind in ('r', 'p') and not relispartition
         and relnamespace = current_schema()::regnamespace and relname not like 'wire\\_%'`,
    )
    await client.query(`analyze ${rows[0]!.names}`)
  } finally {
    await client.end()
  }
}
