import { type Delivered, isDelivered } from './delivered'
import type { Incoming } from './incoming'
import { isSame, type Wire } from '../schema/kinds'
import { QUIET, tableNamed, writable } from '../schema/tables'

/** What the server has of a row that a phone sends. */
export type Existing = {
  isDeleted: boolean
  /** In the form that devices receive. */
  values: Record<string, Wire>
  /** Columns that others changed since the device's base snapshot, and whether the whole row was inserted since. */
  unseen: ReadonlySet<string>
  isConcurrent: boolean
}

export type Conflict = { column: string; phone: Wire; server: Wire }
export type Merged = {
  write: Record<string, Wire>
  conflicts: Conflict[]
}

/**
 * Which of a phone's values are written. A value changed on the server since the device's base snapshot stays as it is
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
    if (isSame(kind, value, current) || isDelivered(delivered[column], value)) continue
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
  existing.isDeleted ||
  incoming.state === 'copy' ||
  existing.isConcurrent ||
  existing.unseen.has(column)
