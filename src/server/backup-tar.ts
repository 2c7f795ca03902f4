import { Refusal } from '~/db/refusal'
import { makeByteReader } from './byte-reader'

/** A file in an archive. */
export type ArchiveEntry = { name: string; bytes: Buffer }

const BLOCK = 512
/** Larger than anything that we write; what claims more is no archive of ours. */
const LARGEST = 256 * 1024 * 1024

/** A tar archive that every system can open (POSIX.1-1988, "ustar"). Names have at most 100 bytes. */
export async function* writeTar(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<Buffer> {
  for await (const { name, bytes } of entries) {
    yield tarHeader(name, bytes.length)
    yield bytes
    yield Buffer.alloc(paddingBytes(bytes.length))
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** What `writeTar` wrote. Throws a Refusal when it is damaged or cut off. */
export async function* readTarEntries(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<ArchiveEntry> {
  const take = makeByteReader(source)
  for (;;) {
    const header = await take(BLOCK)
    if (header.length < BLOCK) throw damaged()
    if (header.every((byte) => byte === 0)) {
      // to the end, where the preceding stage verifies the file
      while ((await take(BLOCK)).length > 0);
      return
    }
    const { name, size } = readHeader(header)
    const bytes = await take(size + paddingBytes(size))
    if (bytes.length < size) throw damaged()
    yield { name, bytes: bytes.subarray(0, size) }
  }
}

export const damaged = (cause?: unknown) =>
  new Refusal(
    'The backup is damaged, was changed, or its end is missing: nothing of it can be relied on.',
    { cause },
  )

const paddingBytes = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK
const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`

function tarHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`Too long a name for an archive: ${name}`)
  const header = Buffer.alloc(BLOCK)
  header.write(name, 0)
  header.write(octal(0o600, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(size, 12), 124)
  header.write(octal(0, 12), 136)
  header.write('0', 156)
  header.write('ustar\x0000', 257)
  header.write(`${octal(headerSum(header), 7)} `, 148)
  return header
}

function readHeader(header: Buffer) {
  const text = (from: number, to: number) =>
    header.toString('utf8', from, to).replace(/\0[^]*$/, '')
  const size = Number.parseInt(text(124, 136), 8)
  const isSound =
    Number.parseInt(text(148, 156), 8) === headerSum(header) && size >= 0 && size <= LARGEST
  if (!isSound) throw damaged()
  return { name: text(0, 100), size }
}

/** Of the header's bytes, those of the sum itself taken for spaces. */
const headerSum = (header: Buffer) =>
  header.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 32 : byte), 0)
