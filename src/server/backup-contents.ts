import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import * as z from 'zod'
import { Refusal } from '~/db/refusal'
import { isSealed, unseal } from './backup-seal'
import { damaged, type Entry, entriesOf } from './backup-tar'

/*
 * A backup is a compressed tar archive, sealed if there is a passphrase. Its entries, in this order:
 *   backup.json             what and when this is
 *   files/<name>            pictures and documents
 *   database.json           tables, columns, migrations
 *   migrations/<name>.sql   what makes the empty tables
 *   schema/<name>.sql       their functions, triggers and views
 *   tables/<name>/<n>.copy  rows as PostgreSQL's COPY writes them, in pieces
 *   files/<name>            those that came while the others were read
 *   end.json                what was written: an archive without it is not whole
 */
export const START = 'backup.json'
export const DATABASE = 'database.json'
export const END = 'end.json'

/** A later format that this version cannot read has another number. */
export const FORMAT = 1

/**
 * What belongs to the moment and to the machine stays out: who is signed in, links of waiting-room
 * screens, handshakes of phones on the clinic's network, wrong guesses, codes of a set-up, and the
 * account of backups itself. So does what the next start works out again: what phones receive of each
 * row. Names, and patterns of LIKE.
 */
export const LEFT_OUT = [
  'backups',
  'board_links',
  'hub_keys',
  'hub_nonces',
  'sessions',
  'setup_codes',
  'wrong_guesses',
  'wire\\_%',
]

const Start = z.object({
  product: z.literal('sanad'),
  format: z.number(),
  made_at: z.iso.datetime(),
})
const Database = z.object({
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  /** The newest seal of the audit trail, as `verify-audit` prints it. */
  seal: z.string().optional(),
})
const End = z.object({
  rows: z.record(z.string(), z.number()),
  files: z.number(),
  sequences: z.record(z.string(), z.string()),
  sha256: z.string(),
})
export type DatabaseFacts = z.output<typeof Database>
export type EndFacts = z.output<typeof End>

/** What reads a backup gets one of these after the other. */
export type Part =
  | { is: 'start'; madeAt: string }
  | { is: 'file'; name: string; bytes: Buffer }
  | { is: 'database'; facts: DatabaseFacts }
  | { is: 'migration' | 'schema'; name: string; sql: string }
  | { is: 'rows'; table: string; bytes: Buffer }
  | { is: 'end'; facts: EndFacts }

type Reading = {
  passphrase?: string
  onProgress?: (bytes: number, total: number) => void
  signal?: AbortSignal
}

/**
 * Hands a backup's parts to `consume`. Throws a Refusal when the file is not a whole backup, or the
 * passphrase not its own.
 */
export async function readBackup<R>(
  file: string,
  { passphrase, onProgress, signal }: Reading,
  consume: (parts: AsyncGenerator<Part>) => Promise<R>,
): Promise<R> {
  const { start, size } = await beginningOf(file)
  const sealed = isSealed(start)
  if (!sealed && !start.subarray(0, 2).equals(Buffer.of(0x1f, 0x8b)))
    throw new Refusal(`${file} is not a backup of Sanad.`)
  if (sealed && !passphrase) throw new Refusal('The backup is encrypted: its passphrase is needed.')
  let done = 0
  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const bytes of source) {
      onProgress?.((done += bytes.length), size)
      yield bytes
    }
  }
  const opened = (source: AsyncIterable<Buffer>) =>
    sealed ? unseal(counted(source), passphrase!) : counted(source)
  try {
    let result: R
    await pipeline(
      createReadStream(file, { highWaterMark: 256 * 1024 }),
      opened,
      createGunzip(),
      async (source: AsyncIterable<Buffer>) => {
        result = await consume(partsOf(source))
      },
      { signal },
    )
    return result!
  } catch (error) {
    // an error of zlib: the file is cut off or changed
    throw (error as { code?: unknown }).code?.toString().startsWith('Z_') ? damaged(error) : error
  }
}

async function beginningOf(file: string) {
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

async function* partsOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Part> {
  const sum = checksum()
  let isWhole = false
  for await (const entry of entriesOf(source)) {
    const part = partOf(entry)
    if (part.is === 'end' && part.facts.sha256 !== sum.digest()) throw damaged()
    sum.add(entry)
    isWhole = part.is === 'end'
    yield part
  }
  if (!isWhole) throw damaged()
}

function partOf({ name, bytes }: Entry): Part {
  if (name === START) return startOf(bytes)
  if (name === DATABASE)
    return { is: 'database', facts: Database.parse(JSON.parse(bytes.toString())) }
  if (name === END) return { is: 'end', facts: End.parse(JSON.parse(bytes.toString())) }
  const [, folder, rest = ''] = /^([a-z]+)\/(.+)$/.exec(name) ?? []
  if (folder === 'files') return { is: 'file', name: rest, bytes }
  if (folder === 'migrations' || folder === 'schema') {
    const is = folder === 'schema' ? folder : 'migration'
    return { is, name: rest.replace(/\.sql$/, ''), sql: bytes.toString() }
  }
  if (folder === 'tables') return { is: 'rows', table: rest.replace(/\/.*/, ''), bytes }
  throw damaged()
}

function startOf(bytes: Buffer): Part {
  const { format, made_at } = Start.parse(JSON.parse(bytes.toString()))
  if (format > FORMAT)
    throw new Refusal(
      'The backup was made by a newer version of Sanad: install that version or a later one.',
    )
  return { is: 'start', madeAt: made_at }
}

/** Of all entries so far, names and sizes included. */
export function checksum() {
  const hash = createHash('sha256')
  return {
    add({ name, bytes }: Entry) {
      hash.update(`${name}\0${bytes.length}\0`).update(bytes)
    },
    digest: () => hash.copy().digest('hex'),
  }
}
