import type pg from 'pg'
import { to } from 'pg-copy-streams'

// https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format": a signature of 11 bytes, flags
// (4 bytes) and the length of an empty extension (4 bytes). Each row: the number of fields (2
// bytes), then per field its length (4 bytes) and its bytes. The trailer is the number of fields
// -1.
const FILE_HEADER = 11 + 4 + 4
const FIELD_COUNT = 2
/** The number of fields, the length and value of the integer, the length of the text. */
const ROW_HEADER = FIELD_COUNT + 4 + 4 + 4
const INTEGER_AT = FIELD_COUNT + 4
const TEXT_LENGTH_AT = INTEGER_AT + 4

/**
 * Runs a query whose columns are an integer and a text. Passes the bytes of the texts on as
 * PostgreSQL sends them: they are never decoded, joined or held in memory as a whole (decision 14).
 * Returns the sum of the integers.
 */
export async function copyTexts(
  client: pg.ClientBase,
  query: string,
  take: (bytes: Buffer) => Promise<void>,
): Promise<number> {
  const reader = new TextReader()
  const chunks = client.query(
    to(`copy (${query}) to stdout (format binary)`),
  ) as AsyncIterable<Buffer>
  for await (const chunk of chunks) {
    const texts = reader.read(chunk)
    if (texts.length > 0) await take(texts.length === 1 ? texts[0]! : Buffer.concat(texts))
  }
  return reader.sum
}

/** Parses the binary format; a chunk may end anywhere. */
class TextReader {
  sum = 0
  /** Bytes to skip: what remains of the file header. */
  #skip = FILE_HEADER
  /** Bytes of the current text that have not arrived. */
  #unread = 0
  /** The beginning of a row header that was cut off. */
  #rest: Buffer | undefined

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
      } else if (bytes.length - at < ROW_HEADER) {
        this.#rest = bytes.subarray(at)
        at = bytes.length
      } else {
        this.sum += bytes.readInt32BE(at + INTEGER_AT)
        this.#unread = bytes.readInt32BE(at + TEXT_LENGTH_AT)
        at += ROW_HEADER
      }
    }
    return texts
  }
}

const isTrailer = (bytes: Buffer, at: number) =>
  bytes.length - at >= FIELD_COUNT && bytes.readInt16BE(at) === -1
