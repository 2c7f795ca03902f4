import { isSame, type Wire } from '../schema/kinds'
import { QUIET, tableNamed, writable } from '../schema/tables'
import { type Delivered, isDelivered } from './delivered'
import type { Incoming } from './incoming'

/** The stored version of a row that a device sends. */
export type Existing = {
  isDeleted: boolean
  /** The clinic that recorded a row of a history. */
  recordedClinicId: string | null
  /** In the form that devices receive. */
  values: Record<string, Wire>
  /** Columns that others changed since the device's base snapshot. */
  unseen: ReadonlySet<string>
  /** The whole row was inserted since then. */
  isConcurrent: boolean
  /** The device holds another version of the row, and had not been sent this one by then. */
  isResent: boolean
}

export type Conflict = { column: string; phone: Wire; server: Wire }
type Merged = { write: Record<string, Wire>; conflicts: Conflict[] }

/**
 * Decides column by column. A device's value is written unless someone else changed the column
 * since the device's base snapshot: then the stored value stays and the device's becomes a
 * conflict, whatever the clocks say. A value that the device's last push has delivered is skipped.
 */
export function merge(incoming: Incoming, existing: Existing, delivered: Delivered): Merged {
  const table = tableNamed(incoming.table)
  const candidates = incoming.state === 'edited' ? incoming.changed : writable(table)
  const merged: Merged = { write: {}, conflicts: [] }
  const quiet: Record<string, Wire> = {}
  for (const column of candidates) {
    const phone = incoming.values[column]
    const kind = table.columns[column]
    if (phone === undefined || !kind || !writable(table).includes(column)) continue
    const server = existing.values[column] ?? null
    if (isSame(kind, phone, server) || isDelivered(delivered[column], phone)) continue
    if (QUIET.includes(column)) {
      if (phone !== null) quiet[column] = phone
    } else if (isContested(incoming, existing, column) || hasLost(existing, column, delivered)) {
      merged.conflicts.push({ column, phone, server })
    } else {
      merged.write[column] = phone
    }
  }
  // quiet columns, such as the author and the time, are written only together with others
  if (Object.keys(merged.write).length > 0) Object.assign(merged.write, quiet)
  return merged
}

const isContested = (incoming: Incoming, existing: Existing, column: string) =>
  existing.isDeleted ||
  incoming.state === 'copy' ||
  existing.isConcurrent ||
  existing.unseen.has(column)

/**
 * The last push brought another value, which lost: its author has not seen the stored one, although
 * the pull before that push had it.
 */
export const hasLost = ({ isResent, values }: Existing, column: string, delivered: Delivered) =>
  isResent &&
  delivered[column] !== undefined &&
  !isDelivered(delivered[column], values[column] ?? null)
