import type { Context } from '~/server/operation'
import { addAll } from '~/shared/any-length'
import { columnEntryRule, isOfApp } from '../schema/column-rules'
import { isEditedIn } from '../schema/entries'
import { type PushedName, QUIET } from '../schema/tables'
import { type Incoming, type RowRefusal, toRowRefusal, type RowId } from './incoming'
import { type Delivered, deliveredValue, type LastPush } from './delivered'
import { type Conflict, type Existing, hasLost, isEmptiedByApp, merge } from './merge'
import { type RightsFacts, whyNotSave } from './rights.server'
import type { PlannedWrite } from './write.server'

/** What the decisions about a push rest on, and the lists to which they add. */
type Decisions = {
  ctx: Pick<Context, 'actor'>
  base: { delivered: LastPush }
  refused: RowRefusal[]
  conflicts: (Conflict & { incoming: Incoming; isDeleted: boolean })[]
}

/** A new row, unless the author may not write it. */
export function planInsert(
  state: Decisions,
  table: PushedName,
  incoming: Incoming,
  facts: RightsFacts,
): PlannedWrite | null {
  const refused = whyNotSave(
    state.ctx.actor,
    table,
    { ...incoming.values, id: incoming.id },
    null,
    facts,
  )
  if (refused) {
    state.refused.push(toRowRefusal(incoming, 'save', refused))
    return null
  }
  return { id: incoming.id, values: incoming.values, incoming, before: null }
}

/** What to write of a row that is stored already, unless the author may not write it. */
export function planUpdate(
  state: Decisions,
  table: PushedName,
  incoming: Incoming,
  before: Existing,
  facts: RightsFacts,
): PlannedWrite | null {
  const { id } = incoming
  const delivered = state.base.delivered.row(table, incoming.sentAs ?? id)
  const { write: values, conflicts } = merge(incoming, before, delivered)
  if (Object.keys(values).length === 0 && conflicts.length === 0) return null
  // a user may resolve a conflict in favour of the device, so the author needs the right to its
  // value, too
  const contested = Object.fromEntries(conflicts.map(({ column, phone }) => [column, phone]))
  const after = { ...before.values, ...contested, ...values, id }
  // nothing is written into a deleted row: the conflict keeps the device's values
  const refused = before.isDeleted
    ? null
    : whyNotSave(state.ctx.actor, table, after, storedValues(id, before), facts)
  if (refused) {
    incoming.unwritten = Object.keys(values)
    state.refused.push(toRowRefusal(incoming, 'save', refused))
    return null
  }
  const { isDeleted } = before
  if (isDeleted && !before.isConcurrent)
    incoming.unwritten = incoming.changed.filter(
      (column) => !before.unseen.has(column) && !hasLost(before, column, delivered),
    )
  addAll(
    state.conflicts,
    conflicts.map((conflict) => ({ ...conflict, incoming, isDeleted })),
  )
  return Object.keys(values).length > 0 ? { id, values, incoming, before } : null
}

/**
 * What to delete: the named rows and those that the app marked. A repeated delete is skipped: a user
 * may have restored the record since.
 */
export const planDeletions = (
  { base, inserted }: { base: { delivered: LastPush }; inserted: readonly RowId[] },
  named: readonly RowId[],
  rows: readonly Incoming[],
): RowId[] =>
  [...named, ...rows.filter((row) => isMarkedDeleted(row, inserted))].filter(
    ({ table, id }) => base.delivered.row(table, id)['is_deleted'] !== true,
  )

/** The app hides a row by `is_deleted`; a row that was new or unknown here is in the trash then. */
const isMarkedDeleted = ({ table, id, changed, values }: Incoming, inserted: readonly RowId[]) =>
  values['is_deleted'] === true &&
  (changed.includes('is_deleted') || inserted.some((row) => row.id === id && row.table === table))

/**
 * The deletion wins over the edit; the conflict shows the edit, and the record can be restored with
 * it.
 */
export function conflictsOfDeletion(
  table: PushedName,
  id: string,
  before: Existing,
  delivered: Delivered,
): Decisions['conflicts'] {
  const { values, unseen } = before
  const incoming = { table, id, values, state: 'edited' as const, changed: [], raw: {} }
  const isShown = (column: string) =>
    column in values &&
    !QUIET.includes(column) &&
    !['is_deleted', 'deleted_at'].includes(column) &&
    !isOfApp(table, column) &&
    isEdited(table, column, before)
  const lost = Object.keys(delivered).filter(
    (column) =>
      hasLost(before, column, delivered) &&
      !isEmptiedByApp(before, column, deliveredValue(delivered[column]!)),
  )
  return [...new Set([...unseen, ...lost])]
    .filter(isShown)
    .map((column) => ({ column, phone: null, server: values[column]!, incoming, isDeleted: true }))
}

/** A user has changed the JSON column, and not only the app by itself. */
function isEdited(table: PushedName, column: string, { bases, values }: Existing): boolean {
  const rule = columnEntryRule(table, column)
  const [base, stored] = [bases[column], values[column]]
  if (!rule || typeof base !== 'string' || typeof stored !== 'string') return true
  return isEditedIn(rule, base, stored)
}

/** With the clinic that recorded it, which no device knows. */
export const storedValues = (id: string, { values, recordedClinicId }: Existing) => ({
  ...values,
  id,
  recorded_clinic_id: recordedClinicId,
})
