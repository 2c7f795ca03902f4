import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { openConnection } from '~/db/connect'
import { diskFull, Refusal, saysDiskFull } from '~/db/refusal'
import {
  checksum,
  DATABASE,
  type DatabaseFacts,
  END,
  type EndFacts,
  FORMAT,
  KEY,
  readBackup,
  START,
} from './backup-contents'
import { sealBackup } from './backup-seal'
import { LEFT_OUT, SECRET_COLUMNS, SECRET_TABLES } from './backup-secrets'
import { sign } from './backup-sign'
import { type ArchiveEntry, writeTar } from './backup-tar'
import { sealText } from './trail/trails'
import { fillsOwnDisk } from './disk.server'
import { env } from './env'
import { instanceKeyText, ownFingerprint, signingKey } from './instance-key.server'
import { type FilesState, missingFiles, type Storage } from './storage.server'

type BackupOptions = {
  /** Encrypts the file, which then holds credentials and keys, too. */
  passphrase?: string
  signal?: AbortSignal
  /** `done` of `total`, in a unit of the phase's own. */
  onProgress?: (phase: BackupPhase, done: number, total: number) => void
}
export type BackupPhase = 'files' | 'records' | 'check'

/** What the file holds. */
type BackupSummary = {
  bytes: number
  rows: number
  files: number
  /** Of the instance key of the Sanad that made it; undefined for a backup of format 1. */
  fingerprint: string | undefined
}

/**
 * Writes everything that there is into one file: the database as of one moment, while others go on
 * writing, and the files. The file is read back and checked before it gets its name: whatever
 * happens before, no file of that name is there.
 */
export async function writeBackup(
  url: string,
  storage: Storage,
  file: string,
  { passphrase, signal, onProgress = () => {} }: BackupOptions = {},
): Promise<BackupSummary> {
  const draft = `${file}.unfinished`
  const client = await openConnection(url, { statementTimeout: 0, name: 'sanad backup' })
  try {
    await pipeline(
      writeTar(backupEntries(client, storage, Boolean(passphrase), onProgress)),
      // the middle: twice as large a file costs a small machine less than twice the time
      createGzip({ level: 3 }),
      async function* (source: AsyncIterable<Buffer>) {
        const bytes = passphrase ? sealBackup(source, passphrase) : sign(source, signingKey())
        yield* whileRoom(bytes, draft)
      },
      createWriteStream(draft, { mode: 0o600, flush: true }),
      { signal },
    )
    const summary = await check(draft, passphrase, signal, onProgress)
    await rename(draft, file)
    await syncFolder(dirname(file))
    return summary
  } catch (error) {
    // what went wrong is worth more than that this did, too
    await rm(draft, { force: true }).catch(() => {})
    throw saysDiskFull(String(error)) ? diskFull(file) : (unwritable(file, draft, error) ?? error)
  } finally {
    await client.end()
  }
}

/** Ends the backup before it takes the last space from the database, which may be on the same disk. */
async function* whileRoom(source: AsyncIterable<Uint8Array>, draft: string) {
  for await (const part of source) {
    if (await fillsOwnDisk(dirname(draft))) throw diskFull(draft)
    yield part
  }
}

/** Why no file can be there at all, which the person who named it can mend. */
function unwritable(file: string, draft: string, error: unknown): Refusal | undefined {
  const why: Record<string, string> = {
    ENOENT: 'its folder does not exist',
    ENOTDIR: 'its folder is a file',
    EISDIR: 'that is a folder: name a file in it',
    EACCES: 'writing there is not allowed',
    EPERM: 'writing there is not allowed',
    EROFS: 'what is mounted there can only be read',
  }
  const { code = '', path } = error as NodeJS.ErrnoException
  return path === draft && why[code]
    ? new Refusal(`${file} cannot be written: ${why[code]}.`, { cause: error })
    : undefined
}

/** Reads a backup to its end. Throws a Refusal when that cannot be restored from. */
export async function check(
  file: string,
  passphrase?: string,
  signal?: AbortSignal,
  onProgress: BackupOptions['onProgress'] = () => {},
): Promise<BackupSummary> {
  const progress = (done: number, total: number) => onProgress('check', done, total)
  const reading = { passphrase, signal, onProgress: progress }
  const { end, fingerprint } = await readBackup(file, reading, async (parts) => {
    let facts: EndFacts
    let madeBy: string | undefined
    for await (const part of parts) {
      if (part.is === 'start') madeBy = part.facts.fingerprint
      if (part.is === 'end') facts = part.facts
    }
    return { end: facts!, fingerprint: madeBy }
  })
  const rows = Object.values(end.rows).reduce((sum, count) => sum + count, 0)
  return { bytes: (await stat(file)).size, rows, files: end.files, fingerprint }
}

async function* backupEntries(
  client: pg.Client,
  storage: Storage,
  isSealed: boolean,
  onProgress: NonNullable<BackupOptions['onProgress']>,
): AsyncGenerator<ArchiveEntry> {
  const sum = checksum()
  const copied: Copied = { rows: {}, sums: {} }
  const files = new Set<string>()
  async function* entries() {
    yield entry(START, {
      product: 'sanad',
      format: FORMAT,
      made_at: new Date().toISOString(),
      made_by: ownFingerprint(),
    })
    if (isSealed) yield { name: KEY, bytes: Buffer.from(instanceKeyText()!) }
    // A file never changes, it only comes and goes. Those of before the database's moment and those of after it are
    // together at least the ones that the records of that moment name.
    yield* storedFileEntries(storage, files, onProgress)
    await client.query(`${SAME_TEXT}; begin isolation level repeatable read read only`)
    const facts = await databaseFacts(client, isSealed)
    yield* storedFileEntries(storage, files)
    await refuseMissing(client, files)
    yield entry(DATABASE, facts)
    yield* tableEntries(client, facts, isSealed, copied, onProgress)
  }
  for await (const made of entries()) {
    sum.add(made)
    yield made
  }
  const sequences = await readSequences(client)
  await client.query('commit')
  const end: EndFacts = { ...copied, files: files.size, sequences, sha256: sum.digest() }
  yield entry(END, end)
}

/** A backup that lacks files of its records would be found out by a restore. */
async function refuseMissing(client: pg.Client, files: ReadonlySet<string>) {
  if (env().allowsMissingFiles) return
  // a database that this version has not upgraded yet has no such view
  const view = await client.query("select to_regclass('stored_files') is not null as exists")
  if (!view.rows[0].exists) return
  const { rows } = await client.query<{ name: string }>('select name from stored_files')
  const missing = rows.filter(({ name }) => !files.has(name)).length
  if (missing > 0)
    throw new MissingFiles({ referenced: rows.length, missing, folder: env().filesDir })
}

/** Records refer to files that this machine does not have. */
export class MissingFiles extends Refusal {
  constructor(readonly state: FilesState) {
    super(
      `${missingFiles(state)} No backup was written. If the files are lost, set SANAD_ALLOW_MISSING_FILES=yes ` +
        'for backups without them.',
    )
  }
}

const entry = (name: string, value: unknown): ArchiveEntry => ({
  name,
  bytes: Buffer.from(JSON.stringify(value, null, 2)),
})

/** Those that are not among `known` yet. */
async function* storedFileEntries(
  storage: Storage,
  known: Set<string>,
  onProgress?: BackupOptions['onProgress'],
) {
  const names: string[] = []
  for await (const name of storage.list()) if (!known.has(name)) names.push(name)
  for (const [i, name] of names.entries()) {
    const bytes = await storage.get(name)
    onProgress?.('files', i + 1, names.length)
    if (!bytes) continue // removed in the meantime, with the record that named it
    known.add(name)
    yield { name: `files/${name}`, bytes: Buffer.from(bytes) }
  }
}

/**
 * Settings of a session in which COPY writes and reads the same text for the same row in every database,
 * in the order in which the rows were stored.
 */
export const SAME_TEXT = `set datestyle = 'ISO, YMD'; set timezone = 'UTC'; set intervalstyle = 'postgres';
  set extra_float_digits = 1; set bytea_output = 'hex'; set synchronize_seqscans = off`

async function databaseFacts(client: pg.Client, isSealed: boolean): Promise<DatabaseFacts> {
  const tables = await client.query<DatabaseFacts['tables'][number]>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       -- rows of partitions are copied through their table
       and not c.relispartition and not c.relname like any($1)
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and not exists (
         select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
     group by c.relname order by c.relname`,
    [isSealed ? LEFT_OUT : [...LEFT_OUT, ...SECRET_TABLES]],
  )
  const migrations = await client.query<DatabaseFacts['migrations'][number]>(
    'select name, checksum from schema_migrations order by name',
  )
  const facts = { migrations: migrations.rows, tables: tables.rows }
  // a version before the seals
  if (!tables.rows.some(({ name }) => name === 'audit_blocks')) return facts
  const seals = await client.query<{ no: number; hash: Buffer }>(
    'select no, hash from audit_blocks order by no desc limit 1',
  )
  return seals.rows[0] ? { ...facts, seal: sealText(seals.rows[0]) } : facts
}

/** Bytes of rows in one entry: what is held in memory. */
const PIECE = 1024 * 1024

/** By table: how many rows it had, and the SHA-256 of them all. */
type Copied = Pick<EndFacts, 'rows' | 'sums'>

/** Adds to `copied` what each table had. */
async function* tableEntries(
  client: pg.Client,
  { tables }: DatabaseFacts,
  isSealed: boolean,
  copied: Copied,
  onProgress: NonNullable<BackupOptions['onProgress']>,
): AsyncGenerator<ArchiveEntry> {
  const sizes = await client.query<{ name: string; size: number }>(
    `select name, pg_table_size(oid) + coalesce(
       (select sum(pg_table_size(inhrelid)) from pg_inherits where inhparent = oid), 0) as size
     from unnest($1::text[]) name, to_regclass(quote_ident(name)) oid`,
    [tables.map(({ name }) => name)],
  )
  const sizeByTable = new Map(sizes.rows.map(({ name, size }) => [name, size]))
  const total = [...sizeByTable.values()].reduce((sum, size) => sum + size, 0)
  let before = 0
  let reported = -1
  const tell = (done: number) => {
    if (done > reported) onProgress('records', (reported = done), total)
  }
  for (const { name, columns } of tables) {
    const size = sizeByTable.get(name) ?? 0
    const copy = client.query(copyTo(copyOut(name, columns, isSealed)))
    const hash = createHash('sha256')
    let read = 0
    let number = 0
    for await (const bytes of regroupBytes(copy, PIECE)) {
      hash.update(bytes)
      yield { name: `tables/${name}/${String((number += 1)).padStart(6, '0')}.copy`, bytes }
      // text is larger or smaller than what PostgreSQL keeps on its disk: never past the table's end
      tell(before + Math.min((read += bytes.length), size))
    }
    copied.rows[name] = copy.rowCount
    copied.sums[name] = hash.digest('hex')
    before += size
    tell(before)
  }
}

/** Of the rows of a table, or of all partitions of one. `withSecrets`: as they are. */
export function copyOut(table: string, columns: string[], withSecrets: boolean): string {
  const hidden = withSecrets ? undefined : SECRET_COLUMNS[table]
  const values = columns.map((column) => hidden?.[column] ?? pg.escapeIdentifier(column))
  return `copy (select ${values.join(', ')} from ${pg.escapeIdentifier(table)}) to stdout`
}

/** `isFrozen`: into a table that this transaction made or truncated. */
export const copyIn = (table: string, columns: string[], { isFrozen = false } = {}) =>
  `copy ${pg.escapeIdentifier(table)} (${columns.map(pg.escapeIdentifier).join(', ')}) from stdin` +
  (isFrozen ? ' (freeze)' : '')

async function* regroupBytes(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = []
  let length = 0
  for await (const bytes of source) {
    held.push(bytes)
    length += bytes.length
    if (length < size) continue
    yield Buffer.concat(held)
    held = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(held)
}

/** Those that were used, with the last number each gave. */
async function readSequences(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = current_schema() and last_value is not null`,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** Or a power cut may take the new name away again. Not every system lets a folder be opened. */
export async function syncFolder(folder: string) {
  const handle = await open(folder).catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}
