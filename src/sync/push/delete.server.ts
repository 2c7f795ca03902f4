import { sql } from 'kysely'
import { addAll } from '~/shared/any-length'
import type { PushedName } from '../schema/tables'
import { noteAppointment } from './day.server'
import { conflictsOfDeletion, storedValues } from './decide'
import { readExisting } from './existing.server'
import { type RefusalReason, toRowRefusal } from './incoming'
import type { Existing } from './merge'
import type { PushState } from './push-state'
import { factsFor, mayDelete } from './rights.server'
import { withdrawDispensed } from './stock.server'
import { writeAll } from './write.server'

type Deletion = { id: string; before: Existing }

/**
 * Deletes rows with their children, as users do on the web: undoable, from the trash. A column that
 * someone else changed since the device's base snapshot becomes a conflict.
 */
export async function deleteRows(state: PushState, table: PushedName, ids: readonly string[]) {
  if (ids.length === 0) return
  const { db, actor } = state.ctx
  const existing = await readExisting(db, table, ids, {
    ...state.base,
    ...state.base.ofDeletions,
  })
  const deletions = [...existing]
    .filter(([, { isDeleted }]) => !isDeleted)
    .map(([id, before]): Deletion => ({ id, before }))
  const facts = await factsFor(state.ctx, deletions.map(storedRow), table)
  const isAllowed = (deletion: Deletion) => mayDelete(actor, table, storedRow(deletion), facts)
  for (const deletion of deletions)
    if (!isAllowed(deletion)) refuse(state, table, deletion, 'sync.reason_notPermitted')

  const allowed = deletions.filter(isAllowed)
  const failures = await writeAll(state, allowed, (some) => {
    const allowedIds = some.map(({ id }) => id)
    return table === 'dispensing_records'
      ? withdrawDispensed(state, allowedIds)
      : moveToTrash(state, table, allowedIds)
  })
  for (const { row, reason, detail } of failures) refuse(state, table, row, reason, detail)
  const failed = new Set(failures.map(({ row }) => row.id))
  for (const { id, before } of allowed) {
    if (failed.has(id)) continue
    if (table === 'appointments') noteAppointment(state, id, before)
    addAll(
      state.conflicts,
      conflictsOfDeletion(table, id, before, state.base.delivered.row(table, id)),
    )
  }
}

const storedRow = ({ id, before }: Deletion) => storedValues(id, before)

/** Labels each entry of the trash with the patient's name and the date of the record. */
function moveToTrash({ ctx: { db, actor } }: PushState, table: PushedName, ids: readonly string[]) {
  const isPatient = table === 'patients'
  const patientId = sql.ref(isPatient ? 't.id' : 't.patient_id')
  const date = isPatient ? sql`null` : sql`to_char(t.created_at, 'YYYY-MM-DD')`
  const name = sql`nullif(concat_ws(' ', p.given_name, p.surname), '')`
  return sql`
    select soft_delete_all(${table}, array_agg(t.id), array_agg(concat_ws(', ', ${name}, ${date})), ${actor.userId})
    from ${sql.table(table)} t left join patients p on p.id = ${patientId}
    where t.id = any(${ids}::uuid[])`.execute(db)
}

function refuse(
  state: PushState,
  table: PushedName,
  { id, before: { values } }: Deletion,
  reason: RefusalReason,
  detail?: string,
) {
  const row = { table, id, values, raw: { id } }
  state.refused.push(toRowRefusal(row, 'delete', { reason, detail }))
}
