import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import * as z from 'zod'
import { errorCode } from '~/db/error-code'
import { LAST_BEFORE_RELEASES } from '~/db/migrate.server'
import { Refusal } from '~/db/refusal'
import { isSealed, unsealBackup } from './backup-seal'
import { readBackupSignature } from './backup-sign'
import { damaged, type ArchiveEntry, readTarEntries } from './backup-tar'

/*
 * A backup is a compressed tar archive, sealed if there is a passphrase, else signed. Its entries, in this
 * order:
 *   backup.json             what and when this is
 *   instance.key            if it is sealed: the key from which all others are made
 *   files/<name>            pictures and documents
 *   database.json           the manifest: migrations, tables, columns
 *   tables/<name>/<n>.copy  rows as PostgreSQL's COPY writes them, in pieces
 *   files/<name>            those that came while the others were read
 *   end.json                what was written, with a hash of each table: an archive without it is not whole
 * No entry holds SQL. Format 1, of before the first release, did and was not signed: it is no longer read.
 */
export const START = 'backup.json'
export const KEY = 'instance.key'
export const DATABASE = 'database.json'
export const END = 'end.json'

/**
 * A later format that this version cannot read has another number. The backup before an upgrade is written by the newer
 * version and must be readable by the version before: a version with another number writes it in the former format.
 */
export const FORMAT = 2

const Start = z.object({
  product: z.literal('sanad'),
  format: z.number(),
  made_at: z.iso.datetime(),
  /** Fingerprint of the instance key. */
  made_by: z.string().optional(),
})
const Database = z.object({
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  /** The newest seal of the audit trail, as `verify-audit` prints it. */
  seal: z.string().optional(),
})
const End = z.object({
  rows: z.record(z.string(), z.number()),
  /** SHA-256 of each table's rows, as COPY writes them. */
  sums: z.record(z.string(), z.string()),
  files: z.number(),
  sequences: z.record(z.string(), z.string()),
  sha256: z.string(),
})
type StartFacts = {
  madeAt: string
  isSealed: boolean
  /** Of the instance key. */
  fingerprint: string | undefined
}
export type DatabaseFacts = z.output<typeof Database>
export type EndFacts = z.output<typeof End>

/** What reads a backup gets one of these after the other. */
export type BackupPart =
  | { is: 'start'; facts: StartFacts }
  | { is: 'key'; text: string }
  | { is: 'file'; name: string; bytes: Buffer }
  | { is: 'database'; facts: DatabaseFacts }
  | { is: 'rows'; table: string; bytes: Buffer }
  | { is: 'end'; facts: EndFacts }

type Reading = {
  passphrase?: string
  /** Fingerprints of keys that may have signed it. Without them, it is only checked. */
  trusted?: readonly string[]
  onProgress?: (bytes: number, total: number) => void
  signal?: AbortSignal
}

/**
 * Hands a backup's parts to `consume`. Throws a Refusal when the file is not a whole backup, is signed by
 * another key, or the passphrase is not its own.
 */
export async function readBackup<R>(
  file: string,
  reading: Reading,
  consume: (parts: AsyncGenerator<BackupPart>) => Promise<R>,
): Promise<R> {
  const { stages, origin } = await openBackup(file, reading)
  try {
    let result: R
    await pipeline(
      ...stages,
      createGunzip(),
      async (source: AsyncIterable<Buffer>) => {
        result = await consume(readBackupParts(source, origin))
      },
      { signal: reading.signal },
    )
    return result!
  } catch (error) {
    // an error of zlib: the file is cut off or changed
    throw errorCode(error).startsWith('Z_') ? damaged(error) : error
  }
}

/**
 * Checks each byte of a file against its signature or passphrase without reading its parts. Throws as
 * `readBackup`.
 */
export async function authenticate(file: string, reading: Reading): Promise<void> {
  const { stages } = await openBackup(file, reading)
  await pipeline(
    ...stages,
    async (source: AsyncIterable<Buffer>) => {
      for await (const _ of source);
    },
    { signal: reading.signal },
  )
}

/** The first stages of a pipeline: the archive of a backup as gzip wrote it. */
async function openBackup(file: string, { passphrase, trusted, onProgress }: Reading) {
  const { start, size } = await readFileStart(file)
  const sealed = isSealed(start)
  if (!sealed && !start.subarray(0, 2).equals(Buffer.of(0x1f, 0x8b)))
    throw new Refusal(`${file} is not a backup of Sanad.`)
  if (sealed && !passphrase) throw new Refusal('The backup is encrypted: its passphrase is needed.')
  const signature = sealed ? undefined : await readBackupSignature(file)
  if (!sealed && !signature)
    throw new Refusal(
      `${damaged().message} A version before the first release did not sign its backups: ${olderFiles}`,
    )
  if (signature && trusted && !trusted.includes(signature.fingerprint))
    throw unknownKey(signature.fingerprint)
  let done = 0
  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const bytes of source) {
      onProgress?.((done += bytes.length), signature?.length ?? size)
      yield bytes
    }
  }
  const opened = (source: AsyncIterable<Buffer>) =>
    sealed
      ? unsealBackup(counted(source), passphrase!)
      : (signature?.checked(counted(source)) ?? counted(source))
  const bytes = createReadStream(file, {
    highWaterMark: 256 * 1024,
    ...(signature && { end: signature.length - 1 }),
  })
  const origin = { isSealed: sealed, fingerprint: signature?.fingerprint }
  return { stages: [bytes, opened] as const, origin }
}

const unknownKey = (fingerprint: string) =>
  new Refusal(
    `The backup is signed with the key ${fingerprint}, which this machine does not know. ` +
      'Compare it with the fingerprint that Sanad printed at its first start on the machine that ' +
      'made the backup, and shows there on the Backups screen. ' +
      `If they are the same, add --trust ${fingerprint}`,
  )

async function readFileStart(file: string) {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(
      error.code === 'ENOENT'
        ? `There is no file ${file}.`
        : `${file} cannot be read: ${error.message}.`,
    )
  })
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(8), 0, 8, 0)
    return { start: buffer.subarray(0, bytesRead), size: (await handle.stat()).size }
  } finally {
    await handle.close()
  }
}

const olderFiles = `the last commit that reads them is ${LAST_BEFORE_RELEASES}. Restore it there, and back up anew.`

type Origin = Pick<StartFacts, 'isSealed' | 'fingerprint'>

async function* readBackupParts(
  source: AsyncIterable<Uint8Array>,
  origin: Origin,
): AsyncGenerator<BackupPart> {
  const sum = checksum()
  let isWhole = false
  const once = new Set<string>()
  for await (const entry of readTarEntries(source)) {
    const part = parsePart(entry, origin)
    if (once.size === 0 && part.is !== 'start') throw damaged()
    if (part.is === 'start' || part.is === 'database' || part.is === 'end') {
      if (isWhole || once.has(part.is)) throw damaged()
      once.add(part.is)
    }
    if (part.is === 'end' && part.facts.sha256 !== sum.digest()) throw damaged()
    sum.add(entry)
    isWhole = part.is === 'end'
    yield part
  }
  if (!isWhole) throw damaged()
}

function parsePart({ name, bytes }: ArchiveEntry, origin: Origin): BackupPart {
  if (name === START) return parseStartPart(bytes, origin)
  if (name === KEY) return { is: 'key', text: bytes.toString() }
  if (name === DATABASE) return { is: 'database', facts: parsed(Database, bytes) }
  if (name === END) return { is: 'end', facts: parsed(End, bytes) }
  const [, folder, rest = ''] = /^([a-z]+)\/(.+)$/.exec(name) ?? []
  if (folder === 'files') return { is: 'file', name: rest, bytes }
  if (folder === 'tables') return { is: 'rows', table: rest.replace(/\/.*/, ''), bytes }
  throw damaged()
}

function parseStartPart(bytes: Buffer, { isSealed: sealed, fingerprint }: Origin): BackupPart {
  const { format, made_at, made_by } = parsed(Start, bytes)
  if (format > FORMAT)
    throw new Refusal(
      'The backup was made by a newer version of Sanad: install that version or a later one.',
    )
  if (format < FORMAT)
    throw new Refusal(`The backup is of a version before the first release: ${olderFiles}`)
  const facts = { madeAt: made_at, isSealed: sealed, fingerprint: fingerprint ?? made_by }
  return { is: 'start', facts }
}

function parsed<S extends z.ZodType>(schema: S, bytes: Buffer): z.output<S> {
  try {
    return schema.parse(JSON.parse(bytes.toString()))
  } catch (error) {
    throw damaged(error)
  }
}

/** Of all entries so far, names and sizes included. */
export function checksum() {
  const hash = createHash('sha256')
  return {
    add({ name, bytes }: ArchiveEntry) {
      hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    },
    digest: () => hash.copy().digest('hex'),
  }
}
