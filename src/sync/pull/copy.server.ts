import type pg from 'pg'
import { to } from 'pg-copy-streams'

// https://www.postgresql.org/docs/15/sql-copy.html, "Binary Format": a signature of 11 bytes, flags, and the length of an
// extension that is not there; then for each row the number of its fields and each field's length and bytes
const FILE_HEADER = 19
const ROW_HEADER = 2 + 4 + 4 + 4
const COUNT_AT = 6
const LENGTH_AT = 10

/**
 * What a query answers whose columns are an integer and a text, as the bytes that PostgreSQL sends: never decoded, never
 * all in memory, and no longer text is put together here. Returns the sum of the integers.
 */
export async function copyTexts(
  client: pg.ClientBase,
  query: string,
  take: (bytes: Buffer) => Promise<void>,
): Promise<number> {
  let count = 0
  let torn: Buffer | undefined
  let skip = FILE_HEADER
  let unread = 0
  for await (const chunk of client.query(
    to(`copy (${query}) to stdout (format binary)`),
  ) as AsyncIterable<Buffer>) {
    const bytes: Buffer = torn ? Buffer.concat([torn, chunk]) : chunk
    torn = undefined
    const texts: Buffer[] = []
    let at = Math.min(skip, bytes.length)
    skip -= at
    while (at < bytes.length) {
      if (unread > 0) {
        const text = bytes.subarray(at, at + unread)
        texts.push(text)
        unread -= text.length
        at += text.length
      } else if (bytes.length - at >= 2 && bytes.readInt16BE(at) !== 2) {
        // the trailer
        at = bytes.length
      } else if (bytes.length - at < ROW_HEADER) {
        torn = bytes.subarray(at)
        at = bytes.length
      } else {
        count += bytes.readInt32BE(at + COUNT_AT)
        unread = bytes.readInt32BE(at + LENGTH_AT)
        at += ROW_HEADER
      }
    }
    if (texts.length > 0) await take(texts.length === 1 ? texts[0]! : Buffer.concat(texts))
  }
  return count
}
