import { hash } from 'node:crypto'
import type { ImportedRecord, TargetTable } from '../write.server'
import { parseTimestamp, remembering, sourceText } from './reading'

const DIGEST = 8
export const digestText = (text: string) => hash('sha256', text, 'buffer').subarray(0, DIGEST)

/** A hash takes longer than finding it: values such as `null`, a status and the id of a clinic come again and again. */
const cachedDigest = remembering(digestText)
const SHORT = 40
const digestOfValue = (text: string) =>
  text.length > SHORT ? digestText(text) : cachedDigest(text)

/** JSON with the keys in order, as jsonb compares them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  if ((JSON as unknown as { isRawJSON: (one: unknown) => boolean }).isRawJSON(value)) return value // newer than types
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  )
}

/** A moment as `parseTimestamp` writes it. */
const IN_MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** One text for a value as it is sent to a column of this type, and as PostgreSQL returns it. */
function canonicalValue(value: unknown, type: string): string {
  if (value === null || value === undefined) return 'null'
  if (type === 'jsonb' || type.endsWith('[]')) return JSON.stringify(sorted(value))
  if (type.startsWith('timestamptz'))
    return typeof value === 'string' && IN_MILLISECONDS.test(value)
      ? value
      : (parseTimestamp(value) ?? sourceText(value))
  if (type === 'numeric' || type === 'integer') return String(Number(value))
  if (type === 'uuid') return `"${sourceText(value).toLowerCase()}"`
  return JSON.stringify(value)
}

/** The digest of the source row, then one of each value in the order of the target's columns. */
export const rowDigests = (
  source: Buffer,
  { columns }: TargetTable,
  record: ImportedRecord,
): Buffer =>
  Buffer.concat([
    source,
    ...Object.entries(columns).map(([name, type]) =>
      digestOfValue(canonicalValue(record[name], type)),
    ),
  ])

/** The columns whose values differ. Every column, if the number of columns has changed since. */
export function changedColumns({ columns }: TargetTable, before: Buffer, after: Buffer): string[] {
  const names = Object.keys(columns)
  if (before.length !== after.length) return names
  return names.filter((_, at) => {
    const from = DIGEST * (at + 1)
    return !before.subarray(from, from + DIGEST).equals(after.subarray(from, from + DIGEST))
  })
}

/** Whether a stored value is still the one that was imported. */
export function isAsImported(
  { columns }: TargetTable,
  imported: Buffer,
  column: string,
  stored: unknown,
): boolean {
  const from = DIGEST * (Object.keys(columns).indexOf(column) + 1)
  const digest = digestText(canonicalValue(stored, columns[column]!))
  return imported.subarray(from, from + DIGEST).equals(digest)
}
