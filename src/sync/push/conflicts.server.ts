import { sql } from 'kysely'
import { clinicOf, patientOf } from './incoming'
import type { PushState } from './push-state'

/**
 * Stores values that lost against a concurrent change, for a user to resolve. A repeated one is
 * stored once.
 */
export async function storeConflicts({ ctx: { db, actor }, base, conflicts }: PushState) {
  if (conflicts.length === 0) return
  const rows = conflicts.map(({ column, phone, server, isDeleted, incoming }) => ({
    table: incoming.table,
    id: incoming.id,
    column,
    phone,
    server,
    is_deleted: isDeleted,
    edited_at: incoming.values['updated_at'] ?? null,
    patient: patientOf(incoming) || null,
    clinic: clinicOf(incoming.values) || null,
  }))
  await sql`insert into sync_conflicts (chain_id, user_id, table_name, row_id, column_name,
      patient_id, clinic_id, phone_value, server_value, is_deleted, edited_at)
    select ${base.chainId}::uuid, ${actor.userId}, r.table, r.id, r.column,
      r.patient, coalesce(r.clinic, p.primary_clinic_id), r.phone, r.server, r.is_deleted,
      to_timestamp(r.edited_at / 1000)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r
      ("table" text, id uuid, "column" text, patient uuid, clinic uuid,
       phone jsonb, server jsonb, is_deleted boolean, edited_at float8)
    left join patients p on p.id = r.patient
    on conflict do nothing`.execute(db)
}
