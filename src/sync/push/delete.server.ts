import { sql } from 'kysely'
import { returnStock } from '~/features/inventory/movements.server'
import type { Existing } from './merge'
import type { PushState } from './push-state'
import { factsFor, mayDelete } from './rights.server'
import { type PushedName, QUIET } from '../schema/tables'
import { readExisting, writeAll } from './write.server'

type Gone = { id: string; before: Existing }

/** Deletes rows as people on the web do, with what hangs on them. What others changed unseen goes to the inbox, too. */
export async function deleteRows(state: PushState, table: PushedName, ids: readonly string[]) {
  if (ids.length === 0) return
  const { db, actor } = state.ctx
  const existing = await readExisting(db, table, ids, state.base)
  const living = [...existing]
    .filter(([, { isDeleted }]) => !isDeleted)
    .map(([id, before]) => ({ id, before }))
  const facts = await factsFor(
    state.ctx,
    living.map(({ id, before }) => ({ ...before.values, id })),
    table,
  )
  const allowed: Gone[] = []
  for (const gone of living) {
    if (mayDelete(actor, table, { ...gone.before.values, id: gone.id }, facts)) allowed.push(gone)
    else state.refused.push(refusalOf(table, gone, 'sync.reason_notPermitted'))
  }
  const failures = await writeAll(db, allowed, async (some) =>
    table === 'dispensing_records' ? withdrawRecords(state, some) : moveToTrash(state, table, some),
  )
  for (const { row, reason, detail } of failures)
    state.refused.push({ ...refusalOf(table, row, reason), detail })
  const failed = new Set(failures.map(({ row }) => row.id))
  for (const gone of allowed) if (!failed.has(gone.id)) keepUnseen(state, table, gone)
}

/** Under the patient's name and the day that the record was made. */
const moveToTrash = ({ ctx: { db, actor } }: PushState, table: PushedName, some: readonly Gone[]) =>
  sql`select soft_delete(${table}, t.id, concat_ws(', ', nullif(concat_ws(' ', p.given_name, p.surname), ''),
        ${table === 'patients' ? sql`null` : sql`to_char(t.created_at, 'YYYY-MM-DD')`}), ${actor.userId})
    from ${sql.table(table)} t left join patients p on p.id = ${sql.ref(table === 'patients' ? 't.id' : 't.patient_id')}
    where t.id = any(${some.map(({ id }) => id)}::uuid[]) order by t.id`.execute(db)

/** What was given out is never deleted, only countered; what a phone takes back no longer counts. */
async function withdrawRecords({ ctx: { db } }: PushState, some: readonly Gone[]) {
  const ids = some.map(({ id }) => id)
  await db
    .updateTable('dispensing_records')
    .set({ is_deleted: true })
    .where('id', 'in', ids)
    .execute()
  for (const referenceId of ids)
    await returnStock(db, {
      referenceId,
      now: new Date(),
      reason: 'sync.withdrawnRecord',
      isReported: true,
    })
}

/** Delete beats edit: the edit can still be read, and the record be restored with it. */
function keepUnseen(state: PushState, table: PushedName, { id, before: { values, unseen } }: Gone) {
  const incoming = { table, id, values, state: 'edited' as const, changed: [], raw: {} }
  for (const column of unseen) {
    if (
      QUIET.includes(column) ||
      !(column in values) ||
      ['is_deleted', 'deleted_at'].includes(column)
    )
      continue
    state.conflicts.push({
      column,
      phone: null,
      server: values[column]!,
      incoming,
      isDeleted: true,
    })
  }
}

const refusalOf = (
  table: PushedName,
  { id, before: { values } }: Gone,
  reason: PushState['refused'][number]['reason'],
) => ({
  table,
  id,
  operation: 'delete' as const,
  raw: { id },
  reason,
  patientId: table === 'patients' ? id : ((values['patient_id'] as string) ?? null),
  clinicId:
    ((values['clinic_id'] ??
      values['primary_clinic_id'] ??
      values['pickup_clinic_id']) as string) || null,
})
