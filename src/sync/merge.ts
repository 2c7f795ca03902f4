import { hash } from 'node:crypto'
import type { Incoming } from './incoming'
import { isSame, type Wire } from './kinds'
import { QUIET, tableNamed, writable } from './tables'

/** What the server has of a row that a phone sends. */
export type Existing = {
  isDeleted: boolean
  /** As the phone would be told it. */
  values: Record<string, Wire>
  /** Columns that others changed since the phone was last known to be up to date, and whether the whole row is news to it. */
  unseen: ReadonlySet<string>
  isNews: boolean
}

export type Conflict = { column: string; phone: Wire; server: Wire }
export type Merged = {
  write: Record<string, Wire>
  conflicts: Conflict[]
}

/** {column: digest} of what the phone delivered of this row with its last push. */
export type Delivered = Readonly<Record<string, string>>

/**
 * Which of a phone's values are written. A value that somebody else changed since the phone last saw it stays as it is
 * here, and the phone's goes to the inbox; whichever clock says what. A value that came with the last push already has
 * been dealt with.
 */
export function merge(incoming: Incoming, existing: Existing, delivered: Delivered): Merged {
  const table = tableNamed(incoming.table)
  const candidates = incoming.state === 'edited' ? incoming.changed : writable(table)
  const merged: Merged = { write: {}, conflicts: [] }
  const quiet: Record<string, Wire> = {}
  for (const column of candidates) {
    const value = incoming.values[column]
    const kind = table.columns[column]
    if (value === undefined || !kind || !writable(table).includes(column)) continue
    const current = existing.values[column] ?? null
    if (isSame(kind, value, current) || delivered[column] === digestOf(value)) continue
    if (QUIET.includes(column)) {
      if (value !== null) quiet[column] = value
    } else if (isContested(incoming, existing, column)) {
      merged.conflicts.push({ column, phone: value, server: current })
    } else {
      merged.write[column] = value
    }
  }
  // notes about a row say something only when the row itself is written
  if (Object.keys(merged.write).length > 0) Object.assign(merged.write, quiet)
  return merged
}

const isContested = (incoming: Incoming, existing: Existing, column: string) =>
  existing.isDeleted || incoming.state === 'copy' || existing.isNews || existing.unseen.has(column)

/** Enough to know a value again, of whatever size: a short one stands for itself. No JSON begins as a hash does here. */
export function digestOf(value: Wire): string {
  const text = JSON.stringify(value)
  return text.length <= AS_IT_IS ? text : `#${hash('md5', text, 'base64').slice(0, 12)}`
}
const AS_IT_IS = 38

/** What the next push of this phone is compared with. */
export const digests = ({ state, changed, values, table }: Incoming): Delivered =>
  Object.fromEntries(
    (state === 'edited' ? changed : writable(tableNamed(table)))
      .filter((column) => values[column] !== undefined)
      .map((column) => [column, digestOf(values[column]!)]),
  )
