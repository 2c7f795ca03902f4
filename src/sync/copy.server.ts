import type pg from 'pg'
import { to } from 'pg-copy-streams'

/** https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format": a signature of 11 bytes, flags, length of the extension. */
const HEADER = 19

/**
 * What a query of one text column answers, as the bytes that PostgreSQL sends: never decoded, never all in memory.
 * Returns how many rows there were.
 */
export async function copyTexts(
  client: pg.ClientBase,
  query: string,
  take: (bytes: Buffer) => Promise<void>,
): Promise<number> {
  let rows = 0
  let pending: Buffer = Buffer.alloc(0)
  let isHeaderRead = false
  for await (const chunk of client.query(to(`copy (${query}) to stdout (format binary)`)) as AsyncIterable<Buffer>) {
    const bytes = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    const texts: Buffer[] = []
    let at = 0
    if (!isHeaderRead) {
      if (bytes.length < HEADER) {
        pending = bytes
        continue
      }
      at = HEADER + bytes.readInt32BE(HEADER - 4)
      isHeaderRead = true
    }
    // each row: the number of its fields, then the length and the bytes of the one field
    while (at + 6 <= bytes.length && bytes.readInt16BE(at) === 1) {
      const end = at + 6 + bytes.readInt32BE(at + 2)
      if (end > bytes.length) break
      texts.push(bytes.subarray(at + 6, end))
      rows += 1
      at = end
    }
    pending = bytes.subarray(at)
    if (texts.length > 0) await take(Buffer.concat(texts))
  }
  return rows
}
