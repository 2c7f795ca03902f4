import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { explainDatabaseError } from '~/server/constraints'

/** A row that an import wrote. Without `before` the import made it. */
export type ImportChange = {
  table:
    | 'patients'
    | 'drug_catalogue'
    | 'drug_batches'
    | 'clinics'
    | 'clinic_departments'
    | 'users'
    | 'appointments'
    | 'visits'
    | 'patient_vitals'
    | 'problem_codes'
  id: string
  before: object | null
  after: object
}

/** Keeps what an import wrote, in the transaction that wrote it. A row that it wrote twice keeps its first values. */
export async function recordChanges(
  db: Kysely<DB>,
  importId: string,
  changes: readonly ImportChange[],
): Promise<void> {
  if (changes.length === 0) return
  await sql`
    insert into import_changes (import_id, table_name, row_id, before, after)
    select ${importId}, "table", id, before, after
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
      as given("table" text, id uuid, before jsonb, after jsonb)
    on conflict (import_id, table_name, row_id) do update set after = excluded.after`.execute(db)
}

type Table = ImportChange['table'] | 'patient_additional_attributes' | 'user_clinic_permissions'

/** Gives rows the values of some of their columns; the others keep theirs. */
export async function setValues(
  db: Kysely<DB>,
  table: Table,
  columns: readonly string[],
  rows: readonly { id: string; values: object }[],
): Promise<void> {
  if (rows.length === 0) return
  const names = (alias: string) => sql.join(columns.map((column) => sql.id(alias, column)))
  await sql`
    update ${sql.table(table)} t set (${sql.join(columns.map((column) => sql.id(column)))}, updated_at) =
      (select ${names('r')}, clock_timestamp() from jsonb_populate_record(t, given.values) r)
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(id uuid, values jsonb)
    where t.id = given.id`.execute(db)
}

/** Keeps what an import did to patients: `before` of those that it changed, and when each was last changed. */
export async function recordPatients(
  db: Kysely<DB>,
  importId: string,
  patients: readonly { id: string; before: PatientBefore | null }[],
): Promise<void> {
  if (patients.length === 0) return
  await sql`
    insert into import_changes (import_id, table_name, row_id, before, after)
    select ${importId}, 'patients', p.id, given.before,
      jsonb_build_object('last_modified', p.last_modified, 'answers', (
        select max(a.last_modified) from patient_additional_attributes a where a.patient_id = p.id))
    from jsonb_to_recordset(${JSON.stringify(patients)}::jsonb) as given(id uuid, before jsonb)
    join patients p on p.id = given.id
    on conflict (import_id, table_name, row_id) do update set after = excluded.after`.execute(db)
}

/** What an import found of a patient: columns, and answers of the registration form; null where it made the answer. */
export type PatientBefore = {
  columns: Record<string, unknown>
  answers: { id: string; values: Record<string, unknown> | null }[]
}

/** A refused row leaves nothing behind. */
export async function inSavepoint<T>(db: Kysely<DB>, work: () => Promise<T>): Promise<T> {
  await sql`savepoint import_row`.execute(db)
  try {
    const done = await work()
    await sql`release savepoint import_row`.execute(db)
    return done
  } catch (error) {
    await sql`rollback to savepoint import_row`.execute(db)
    await sql`release savepoint import_row`.execute(db)
    throw explainDatabaseError(error)
  }
}
