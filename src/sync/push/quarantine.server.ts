import { sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { PushState } from './push-state'
import { refuseFullQuarantine } from './quotas.server'
import { isId } from '~/shared/id'

/** Stores the rows that could not be applied, whole. A repeated row is stored once. */
export async function storeRefusals(state: PushState) {
  const { ctx, base, refused } = state
  const { db, actor } = ctx
  await supersedeInserted(state)
  if (refused.length === 0) return
  const rows = refused.map(
    ({ table, id, operation, raw, reason, detail, patientId, clinicId }) => ({
      table,
      id,
      operation,
      row: JSON.stringify(raw),
      reason,
      detail: detail ?? null,
      patient: isId(patientId) ? patientId : null,
      clinic: isId(clinicId) ? clinicId : null,
    }),
  )
  const fallbackClinic = actor.clinicId ?? Object.keys(actor.grants)[0] ?? null
  const { numAffectedRows: added } = await sql`insert into sync_quarantine
      (chain_id, user_id, table_name, row_id, operation, row, reason, detail, patient_id, clinic_id)
    select ${base.chainId}::uuid, ${actor.userId}, r.table, r.id, r.operation, r.row, r.reason,
      r.detail, r.patient, coalesce(r.clinic, p.primary_clinic_id, ${fallbackClinic}::uuid)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r ("table" text, id uuid,
      operation text, row text, reason text, detail text, patient uuid, clinic uuid)
    left join patients p on p.id = r.patient
    on conflict do nothing`.execute(db)
  if (added) await refuseFullQuarantine(state)
}

/**
 * Closes quarantined versions of rows that this push has inserted. Other devices of those who sent
 * one may hold a row that their user may not see.
 */
async function supersedeInserted(state: PushState) {
  const { ctx, base, inserted } = state
  if (inserted.length === 0 || !(await isAnythingQuarantined(state))) return
  const ids = inserted.map(({ id }) => id)
  const tables = inserted.map(({ table }) => table)
  await sql`with closed as (
      update sync_quarantine q
      set outcome = 'superseded', settled_by = ${ctx.actor.userId}, settled_at = clock_timestamp()
      from unnest(${tables}::text[], ${ids}::uuid[]) as r (table_name, id)
      where q.row_id = any(${ids}::uuid[]) and q.row_id = r.id and q.table_name = r.table_name
        and q.operation = 'save' and q.settled_at is null
      returning q.chain_id, q.user_id, q.table_name, q.row_id)
    insert into sync_again (chain_id, table_name, row_id)
    select distinct c.id, q.table_name, q.row_id
    from closed q join sync_chains c on c.id = q.chain_id or c.user_id = q.user_id
    where c.id is distinct from ${base.chainId}::uuid
    on conflict (chain_id, table_name, row_id) do update set xid = excluded.xid`.execute(ctx.db)
}

/**
 * Usually false; then none of a push's thousand rows needs to be looked up. Read once in a push, which
 * adds its own refused rows last.
 */
export async function isAnythingQuarantined(state: PushState): Promise<boolean> {
  if (state.hasQuarantine === undefined) {
    const { rows } = await sql<{ isAny: boolean }>`${asPrepared()}
      select exists (select from sync_quarantine where settled_at is null) as "isAny"`.execute(
      state.ctx.db,
    )
    state.hasQuarantine = rows[0]!.isAny
  }
  return state.hasQuarantine
}
