import { sql } from 'kysely'
import { previewDocument, takeFromDocument } from '~/features/exchange/documents/documents.server'
import type { Context } from '~/server/operation'

/** The patient of `aDocument`. */
export const MARIA = {
  given_name: 'María',
  surname: 'López',
  sex: 'female',
  date_of_birth: '1980-05-17',
}

export const linesOf = async (ctx: Context, patientId: string, text: string) =>
  (await previewDocument(ctx, { patientId, text })).sections.flatMap(({ kind, lines }) =>
    lines.map((line) => ({ kind, ...line })),
  )

export async function takeAll(
  ctx: Context,
  patientId: string,
  text: string,
  same_person?: boolean,
) {
  const lines = await linesOf(ctx, patientId, text)
  const entries = lines.map(({ key }) => key)
  return takeFromDocument(ctx, { patientId, text, file_name: 'ips.json', entries, same_person })
}

/** What the record has of each kind, without who recorded it and when. */
export async function recordOf({ db }: Context, patientId: string) {
  const of = (kind: string, table: string) => sql`
    select ${kind}::text as kind, to_jsonb(r) as row from ${sql.table(table)} r
    where patient_id = ${patientId} and not is_deleted`
  const all = Object.entries(TABLES).map(([kind, table]) => of(kind, table))
  const { rows } = await sql<{ kind: string; row: Record<string, unknown> }>`
    ${sql.join(all, sql` union all `)}`.execute(db)
  return rows
}
const TABLES = {
  allergy: 'patient_allergies',
  problem: 'patient_problems',
  medicine: 'patient_medicines',
  dose: 'patient_immunizations',
  vital: 'patient_vitals',
}
