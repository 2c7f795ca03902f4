import { sql } from 'kysely'
import { type Incoming, readRow, type Reason } from './incoming'
import { isId } from '../schema/kinds'
import type { PushState } from './push-state'
import { pushed, type PushedName } from '../schema/tables'

/** Keeps whole what could not be applied. The same row once is enough; one that has come in since is settled by that. */
export async function keepRefusals(state: PushState) {
  const { ctx, base, refused, made } = state
  const { db, actor } = ctx
  if (made.length > 0 && (await somethingWaits(state))) {
    const ids = made.map(({ id }) => id)
    await sql`update sync_quarantine q set outcome = 'superseded', settled_by = ${actor.userId}, settled_at = clock_timestamp()
      from unnest(${made.map(({ table }) => table)}::text[], ${ids}::uuid[]) as r (table_name, id)
      where q.row_id = any(${ids}::uuid[]) and q.row_id = r.id and q.table_name = r.table_name
        and q.operation = 'save' and q.settled_at is null`.execute(db)
  }
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
  await sql`insert into sync_quarantine (chain_id, user_id, table_name, row_id, operation, row, reason, detail, patient_id, clinic_id)
    select ${base.chainId}::uuid, ${actor.userId}, r.table, r.id, r.operation, r.row, r.reason, r.detail, r.patient,
      coalesce(r.clinic, p.primary_clinic_id, ${actor.clinicId ?? Object.keys(actor.grants)[0] ?? null}::uuid)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r ("table" text, id uuid, operation text, row text, reason text,
      detail text, patient uuid, clinic uuid)
    left join patients p on p.id = r.patient
    on conflict do nothing`.execute(db)
}

const WAITING: Reason[] = [
  'sync.reason_unknownPatient',
  'sync.reason_unknownVisit',
  'sync.reason_unknownReference',
]
const AT_ONCE = 500

/** Usually false, which saves a lookup for each of a thousand rows. */
async function somethingWaits({ ctx: { db } }: PushState): Promise<boolean> {
  const { rows } = await sql<{
    is: boolean
  }>`select exists (select from sync_quarantine where settled_at is null) as is`.execute(db)
  return rows[0]!.is
}

/** What this person's phone sent earlier, and what waits for records that have come in now. */
export async function waitingFor(state: PushState): Promise<Incoming[]> {
  const { ctx, made } = state
  const { db, actor } = ctx
  if (made.length === 0 || !(await somethingWaits(state))) return []
  const { rows } = await sql<{ table: PushedName; row: string }>`
    select table_name as table, row from sync_quarantine
    where user_id = ${actor.userId} and operation = 'save' and settled_at is null and reason = any(${WAITING}) and detail = any(${made.map(({ id }) => id)})
    order by received_at limit ${AT_ONCE}`.execute(db)
  return rows.flatMap(({ table, row }) => {
    const read = table in pushed ? readRow(table, JSON.parse(row), 'updated') : undefined
    return read && 'values' in read ? [read] : []
  })
}
