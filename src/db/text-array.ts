/** A value of a column; JSON for one that is no text, number or boolean. */
export type ColumnValue = string | number | boolean | object | null | undefined

/** https://www.postgresql.org/docs/current/catalog-pg-type.html, `text` */
const TEXT = 25
const HEADER = 20
/** No dimension. */
const EMPTY = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, TEXT])

/**
 * A `text[]` in PostgreSQL's binary form, which the client sends as it is: dimensions, whether there
 * are nulls, type of the elements, then length and lower bound of the one dimension; of each element
 * its bytes after their number, which is -1 for null (array_recv in PostgreSQL's arrayfuncs.c).
 */
export function textArray(values: readonly ColumnValue[]): Buffer {
  const texts = values.map(asText)
  const lengths = texts.map((text) => (text === null ? -1 : Buffer.byteLength(text)))
  if (texts.length === 0) return EMPTY
  const array = Buffer.allocUnsafe(
    HEADER + lengths.reduce((sum, length) => sum + 4 + Math.max(0, length), 0),
  )
  array.writeInt32BE(1, 0)
  array.writeInt32BE(1, 4)
  array.writeInt32BE(TEXT, 8)
  array.writeInt32BE(texts.length, 12)
  array.writeInt32BE(1, 16)
  let at = HEADER
  for (const [i, text] of texts.entries()) {
    at = array.writeInt32BE(lengths[i]!, at)
    if (text !== null) at += array.write(text, at)
  }
  return array
}

function asText(value: ColumnValue): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}
