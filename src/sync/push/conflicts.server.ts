import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { columnEntryRule } from '../schema/column-rules'
import { isSame, Wrong } from '../schema/kinds'
import { type PushedName, QUIET, tableNamed } from '../schema/tables'
import { incomingClinicId, incomingPatientId } from './incoming'
import type { PushState } from './push-state'
import { type PlannedWrite, recordset } from './write.server'

/**
 * Stores values that lost against a concurrent change, for a user to resolve. A repeated one is
 * stored once.
 */
export async function storeConflicts({ ctx: { db, actor }, base, conflicts }: PushState) {
  if (conflicts.length === 0) return
  const rows = conflicts.map(({ column, phone, server, isDeleted, incoming }) => ({
    chain: incoming.waited ? incoming.waited.chainId : base.chainId,
    table: incoming.table,
    id: incoming.id,
    sent_as: incoming.sentAs ?? null,
    column,
    phone,
    server,
    is_deleted: isDeleted,
    edited_at: incoming.values['updated_at'] ?? null,
    patient: incomingPatientId(incoming) || null,
    clinic: incomingClinicId(incoming.values) || null,
  }))
  await sql`insert into sync_conflicts (chain_id, user_id, table_name, row_id, sent_as, column_name,
      patient_id, clinic_id, phone_value, server_value, is_deleted, edited_at)
    select r.chain, ${actor.userId}, r.table, r.id, r.sent_as, r.column,
      r.patient, coalesce(r.clinic, p.primary_clinic_id), r.phone, r.server, r.is_deleted,
      to_timestamp(r.edited_at / 1000)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r
      (chain uuid, "table" text, id uuid, sent_as uuid, "column" text, patient uuid, clinic uuid,
       phone jsonb, server jsonb, is_deleted boolean, edited_at float8)
    left join patients p on p.id = r.patient
    on conflict do nothing`.execute(db)
}

// --- Values that a record had earlier --------------------------------------------------------------

type RowConflict = PushState['conflicts'][number]

/** Conflicts whose records are looked up in the audit trail at a time. */
const AT_ONCE = 100

/**
 * Drops the conflicts of values that the record had earlier: a forced upload, and the first push after a restore, send
 * whole rows, with what the phone has not received yet. Nobody typed that again. What the user changed on the phone
 * since its last push stays, also if it equals an earlier value.
 */
export async function dropOlderValues(state: PushState) {
  const asked = state.conflicts.filter(isOfCopy)
  const older = new Set<RowConflict>()
  for (let at = 0; at < asked.length; at += AT_ONCE) {
    const some = asked.slice(at, at + AT_ONCE)
    const earlier = await earlierValues(state.ctx.db, some)
    for (const conflict of some) if (isAmong(earlier, conflict)) older.add(conflict)
  }
  if (older.size > 0) state.conflicts = state.conflicts.filter((each) => !older.has(each))
}

/** Of a row that came as a copy, a column that its phone does not list as changed. */
export function isOfCopy({ incoming, column }: Pick<RowConflict, 'incoming' | 'column'>) {
  const { state, raw } = incoming
  const changed = (raw as { _changed?: unknown })['_changed']
  return state === 'copy' && !(typeof changed === 'string' && changed.split(',').includes(column))
}

type Earlier = Map<string, { value: unknown }[]>
const rowColumnKey = ({ table, id, column }: { table: string; id: string; column: string }) =>
  `${table} ${id} ${column}`

/** The values that the audit trail has of these columns, without the absent ones of before the record was made. */
async function earlierValues(db: Kysely<DB>, conflicts: readonly RowConflict[]): Promise<Earlier> {
  const cells = conflicts.map(({ incoming: { table, id }, column }) => ({ table, id, column }))
  const types = ['"table" text', 'id uuid', '"column" text']
  const { rows } = await sql<{ table: string; id: string; column: string; value: unknown }>`
    select r."table", r.id, r."column", v.value
    from ${recordset(cells, types)}
      join audit_log a on a.table_name = r."table" and a.record_id = r.id and a.changes ? r."column"
      cross join lateral jsonb_path_query(a.changes -> r."column", 'lax $[*]')
        with ordinality v (value, at)
    where not (v.at = 1 and v.value = 'null' and not exists (
      select from audit_log e
      where e.table_name = a.table_name and e.record_id = a.record_id and e.id < a.id))`.execute(db)
  return Map.groupBy(rows, rowColumnKey)
}

function isAmong(earlier: Earlier, { incoming: { table, id }, column, phone }: RowConflict) {
  const kind = tableNamed(table).columns[column]!
  const found = earlier.get(rowColumnKey({ table, id, column })) ?? []
  return found.some(({ value }) => {
    const stored = kind.check(value)
    return !(stored instanceof Wrong) && isSame(kind, phone, stored)
  })
}

// --- Values that were replaced -------------------------------------------------------------------

/**
 * Ends the conflicts about values that the same user has replaced on the same device: the newer value is stored, and
 * taking the older one would undo it. Of columns that are merged by their entries, other entries may still wait. What
 * came for a merged record is still called so once it waits with that record again.
 */
export async function supersedeConflicts(
  { ctx: { db, actor }, base: { chainIds } }: PushState,
  table: PushedName,
  written: readonly PlannedWrite[],
) {
  const typed = written.filter(({ incoming }) => incoming.state === 'edited' && !incoming.waited)
  const cells = typed.flatMap(({ id, values, incoming }) =>
    Object.keys(values)
      .filter((column) => !QUIET.includes(column) && columnEntryRule(table, column) === null)
      .map((column) => ({ id, sent_as: incoming.sentAs ?? null, column })),
  )
  if (cells.length === 0 || chainIds.length === 0) return
  await sql`update sync_conflicts c
    set outcome = 'superseded', settled_by = ${actor.userId}, settled_at = clock_timestamp()
    from ${recordset(cells, ['id uuid', 'sent_as uuid', '"column" text'])}
    where c.settled_at is null and not c.is_deleted and c.chain_id = any(${chainIds}::uuid[])
      and c.user_id = ${actor.userId} and c.table_name = ${table}
      and c.row_id = r.id and coalesce(c.sent_as, c.row_id) = coalesce(r.sent_as, r.id)
      and c.column_name = r."column"`.execute(db)
}
