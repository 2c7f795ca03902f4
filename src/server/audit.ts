import type { OpenContext } from './operation'

type Entry = {
  action: string
  table: string
  recordId?: string
  clinicId?: string
  patientId?: string
  userId?: string
  /** By column: before and after. */
  changes?: Record<string, readonly unknown[]>
}

/** For what no trigger sees: signing in, an export, a refusal worth keeping. Writes of records audit themselves. */
export async function audit({ db, actor, request }: OpenContext, entry: Entry) {
  await db
    .insertInto('audit_log')
    .values({
      user_id: entry.userId ?? actor?.userId ?? null,
      action: entry.action,
      via: request.via,
      request_id: request.id,
      table_name: entry.table,
      record_id: entry.recordId ?? null,
      clinic_id: entry.clinicId ?? null,
      patient_id: entry.patientId ?? null,
      changes: JSON.stringify(entry.changes ?? {}),
    })
    .execute()
}

/** Writes an export of a list into the audit trail: the format, the filter and the number of lines. */
export const auditExport = (
  ctx: OpenContext,
  table: string,
  asked: Record<string, unknown> & { total: number },
) => audit(ctx, { action: `${table}.export`, table, changes: { export: [null, asked] } })
