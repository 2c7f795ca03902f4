import type pg from 'pg'
import { to } from 'pg-copy-streams'

// https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format": a signature of 11 bytes, flags
// (4 bytes) and the length of an empty extension (4 bytes). Each row: the number of fields (2
// bytes), then per field its length (4 bytes) and its bytes. The trailer is the number of fields
// -1.
const FILE_HEADER = 11 + 4 + 4
const FIELD_COUNT = 2
const LENGTH = 4
/** Of the first column: a number of rows, or the patient of one row; null is the length -1. */
const INTEGER = 4
const UUID = 16

/**
 * Runs a query whose columns are a number of rows, or the patient of one row, and a text. Passes the bytes of the texts
 * on as PostgreSQL sends them: they are never decoded, joined or held in memory as a whole (decision 14). Adds the
 * patients to `patients`, and returns the number of rows.
 */
export async function copyTexts(
  client: pg.ClientBase,
  query: string,
  patients: Set<string>,
  take: (bytes: Buffer) => Promise<void>,
): Promise<number> {
  const reader = new TextReader(patients)
  const chunks = client.query(
    to(`copy (${query}) to stdout (format binary)`),
  ) as AsyncIterable<Buffer>
  for await (const chunk of chunks) {
    const texts = reader.read(chunk)
    if (texts.length > 0) await take(texts.length === 1 ? texts[0]! : Buffer.concat(texts))
  }
  return reader.rows
}

/** Parses the binary format; a chunk may end anywhere. */
class TextReader {
  rows = 0
  /** Bytes to skip: what remains of the file header. */
  #skip = FILE_HEADER
  /** Bytes of the current text that have not arrived. */
  #unread = 0
  /** The beginning of a row that was cut off before its text. */
  #rest: Buffer | undefined

  constructor(readonly patients: Set<string>) {}

  /** Returns the parts of texts in the next chunk. */
  read(chunk: Buffer): Buffer[] {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    this.#rest = undefined
    const texts: Buffer[] = []
    let at = Math.min(this.#skip, bytes.length)
    this.#skip -= at
    while (at < bytes.length) {
      if (this.#unread > 0) {
        const text = bytes.subarray(at, at + this.#unread)
        texts.push(text)
        this.#unread -= text.length
        at += text.length
      } else if (isTrailer(bytes, at)) {
        at = bytes.length
      } else {
        const textAt = this.#readFirst(bytes, at)
        if (textAt === null) this.#rest = bytes.subarray(at)
        at = textAt ?? bytes.length
      }
    }
    return texts
  }

  /** Reads the row at `at` up to its text. Returns where the text begins; null: the chunk ends before. */
  #readFirst(bytes: Buffer, at: number): number | null {
    const valueAt = at + FIELD_COUNT + LENGTH
    if (bytes.length < valueAt) return null
    const length = bytes.readInt32BE(valueAt - LENGTH)
    const textAt = valueAt + Math.max(0, length) + LENGTH
    if (bytes.length < textAt) return null
    this.rows += length === INTEGER ? bytes.readInt32BE(valueAt) : 1
    if (length === UUID) this.patients.add(uuidAt(bytes, valueAt))
    this.#unread = bytes.readInt32BE(textAt - LENGTH)
    return textAt
  }
}

const isTrailer = (bytes: Buffer, at: number) =>
  bytes.length - at >= FIELD_COUNT && bytes.readInt16BE(at) === -1

function uuidAt(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + UUID)
  const parts = [0, 8, 12, 16, 20].map((from, part, all) => hex.slice(from, all[part + 1]))
  return parts.join('-')
}
