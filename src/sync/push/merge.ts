import { parseStored } from '~/db/stored-json'
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
  /**
   * Columns that the app empties in each edit, because none of its screens shows them: an empty value is not a
   * person's, and `additional_data` is merged by key.
   */
  emptiedByApp: ReadonlySet<string>
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
    const sent = incoming.values[column]
    const kind = table.columns[column]
    if (sent === undefined || !kind || !writable(table).includes(column)) continue
    const server = existing.values[column] ?? null
    const isTyped = incoming.typed?.includes(column) || !existing.emptiedByApp.has(column)
    if (!isTyped && isEmpty(sent)) continue
    const phone = !isTyped && column === 'additional_data' ? byKey(server, sent) : sent
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

const isEmpty = (value: Wire) => value === null || value === '' || value === '{}' || value === '[]'

/** Adds the keys of a JSON object to the stored ones; another value is as it was sent. */
function byKey(stored: Wire, sent: Wire): Wire {
  const [before, after] = [stored, sent].map((text) => parseStored(String(text)))
  return isObject(before) && isObject(after) ? JSON.stringify({ ...before, ...after }) : sent
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The last push brought another value, which lost: its author has not seen the stored one, although
 * the pull before that push had it.
 */
export const hasLost = (
  { isResent, values, emptiedByApp }: Existing,
  column: string,
  delivered: Delivered,
) =>
  isResent &&
  delivered[column] !== undefined &&
  !(emptiedByApp.has(column) && isEmpty(delivered[column])) &&
  !isDelivered(delivered[column], values[column] ?? null)
