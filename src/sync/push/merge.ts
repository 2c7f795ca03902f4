import { columnEntryRule, isOfApp } from '../schema/column-rules'
import { isEditedIn, mergeEntries } from '../schema/entries'
import { isSame, type Wire } from '../schema/kinds'
import { QUIET, tableNamed, writable } from '../schema/tables'
import { type Delivered, isDelivered, isUnwritten } from './delivered'
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
  /** Those since the pull of a push that comes again: what it did not contain was typed after that pull. */
  unseenLater: ReadonlySet<string> | null
  /** Columns that the device has sent again since it sent this row, which waited in quarantine. */
  newer: ReadonlySet<string>
  /** The whole row was inserted since then. */
  isConcurrent: boolean
  /** The device holds another version of the row, and had not been sent this one by then. */
  isResent: boolean
  /** Columns that the app empties in each edit, because none of its screens shows them: an empty value is no user's. */
  emptiedByApp: ReadonlySet<string>
  /** Columns that a form lost by a restore may hide: nobody can tell whether the app or its user emptied them. */
  perhapsEmptied: ReadonlySet<string>
  /** What the device's user has seen of the JSON columns that others changed since; absent if it is unknown. */
  bases: Readonly<Record<string, Wire | undefined>>
}

export type Conflict = { column: string; phone: Wire; server: Wire }
type Merged = { write: Record<string, Wire>; conflicts: Conflict[] }

/**
 * Decides column by column. A device's value is written unless someone else changed the column
 * since the device's base snapshot: then the stored value stays and the device's becomes a
 * conflict, whatever the clocks say. Some JSON columns are decided entry by entry. A value that the
 * device's last push has delivered is skipped, and one of a row from quarantine that the device has replaced since.
 */
export function merge(sent: Incoming, existing: Existing, delivered: Delivered): Merged {
  const incoming = asFilling(sent, existing)
  const table = tableNamed(incoming.table)
  const candidates = incoming.state === 'edited' ? incoming.changed : writable(table)
  const merged: Merged = { write: {}, conflicts: [] }
  // the device has deleted it since
  if (existing.isDeleted && existing.newer.has('is_deleted')) return merged
  const quiet: Record<string, Wire> = {}
  for (const column of candidates) {
    const phone = incoming.values[column]
    const kind = table.columns[column]
    if (phone === undefined || !kind || !writable(table).includes(column)) continue
    const server = existing.values[column] ?? null
    const isTyped = incoming.typed?.includes(column) === true
    if (!isTyped && existing.newer.has(column)) continue
    if (!isTyped && isEmptiedByApp(existing, column, phone)) continue
    if (isSame(kind, phone, server) || isDelivered(delivered[column], phone)) continue
    if (QUIET.includes(column)) {
      if (phone !== null) quiet[column] = phone
      continue
    }
    const isLosing =
      !incoming.isFilling &&
      (isContested(incoming, existing, column, delivered) ||
        hasLost(existing, column, delivered) ||
        (!isTyped && isPerhapsEmptied(existing, column, phone)))
    const ofEntries = isTyped ? null : mergeColumn(incoming, existing, column, isLosing)
    if (ofEntries) {
      if (!isSame(kind, ofEntries.value, server)) merged.write[column] = ofEntries.value
      if (ofEntries.lost !== null)
        merged.conflicts.push({ column, phone: ofEntries.lost, server: ofEntries.value })
    } else if (!isLosing) merged.write[column] = phone
    else if (isTyped || !isOfApp(incoming.table, column) || isOnlyCopy(incoming, server))
      merged.conflicts.push({ column, phone, server })
  }
  // quiet columns, such as the author and the time, are written only together with others
  if (Object.keys(merged.write).length > 0) Object.assign(merged.write, quiet)
  return merged
}

/** The columns of an answer about a patient, of which one has the value. */
export const ANSWER_VALUES = ['number_value', 'string_value', 'date_value', 'boolean_value']

/** An answer fills the stored one only while that is empty: it is read again under the lock. */
function asFilling({ isFilling, ...incoming }: Incoming, { values }: Existing): Incoming {
  if (!isFilling) return incoming
  return ANSWER_VALUES.every((column) => isEmpty(values[column] ?? null))
    ? { ...incoming, isFilling }
    : { ...incoming, state: 'copy' }
}

/** Null if the column is decided as a whole. */
function mergeColumn(incoming: Incoming, existing: Existing, column: string, isLosing: boolean) {
  const rule = columnEntryRule(incoming.table, column)
  const [sent, stored] = [incoming.values[column], existing.values[column]]
  if (!rule || typeof sent !== 'string' || typeof stored !== 'string') return null
  const base = isLosing ? existing.bases[column] : stored
  if (!isUntouchable(incoming, existing))
    return mergeEntries(rule, { stored, sent, base: typeof base === 'string' ? base : null })
  // nothing is written; what the app wrote by itself is no conflict
  const merged = mergeEntries(rule, { stored, sent, base: null })
  if (!merged) return null
  const lost = merged.lost ?? merged.value
  return { value: stored, lost: isEditedIn(rule, stored, lost) ? lost : null }
}

/** The whole row is contested. */
const isUntouchable = (incoming: Incoming, existing: Existing) =>
  existing.isDeleted || incoming.state === 'copy' || existing.isConcurrent

function isContested(incoming: Incoming, existing: Existing, column: string, delivered: Delivered) {
  const { unseen, unseenLater } = existing
  const since = delivered[column] === undefined ? (unseenLater ?? unseen) : unseen
  return isUntouchable(incoming, existing) || since.has(column)
}

/** After a restore, only the phone may have it. */
const isOnlyCopy = ({ state }: Incoming, server: Wire) => state !== 'edited' && isEmpty(server)

/** Nobody can tell whether a user cleared it: a user decides. */
const isPerhapsEmptied = ({ perhapsEmptied }: Existing, column: string, value: Wire) =>
  perhapsEmptied.has(column) && isEmpty(value)

const isEmpty = (value: Wire) => value === null || value === '' || value === '{}' || value === '[]'

/**
 * The last push brought another value, which lost or which the app had emptied: its author has not seen the stored one,
 * although the pull before that push had it.
 */
export const hasLost = ({ isResent, values }: Existing, column: string, delivered: Delivered) =>
  isResent &&
  delivered[column] !== undefined &&
  !isUnwritten(delivered[column]) &&
  !isDelivered(delivered[column], values[column] ?? null)

/** A value that nobody typed: the app writes it where it shows nothing. */
export const isEmptiedByApp = ({ emptiedByApp }: Existing, column: string, value: Wire) =>
  emptiedByApp.has(column) && isEmpty(value)
