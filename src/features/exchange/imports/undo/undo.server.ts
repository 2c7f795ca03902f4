import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { DRUG_COLUMNS } from '~/features/medicines/drugs/catalogue-file'
import { drugName } from '~/features/medicines/drugs/drug'
import { patientName } from '~/features/people/patients/patient'
import { bisect } from '~/server/bisect'
import type { Context } from '~/server/operation'
import { collectAll } from '~/server/garbage.server'
import type { Message } from '~/shared/errors'
import { newId } from '~/shared/id'
import { type PatientBefore, setValues } from './changes.server'
import { CHANGED, type Left, type UndoOutcome, USED } from './left'
import { undoAppointments, undoVisits, undoVitals } from './care.server'
import { undoClinics, undoCodes, undoDepartments, undoUsers } from './records.server'
import { ANSWER_COLUMNS, UPDATED_PATIENT_COLUMNS } from '../patients-file/update-patients.server'
import { count, left, type Tally, sumReasonCounts } from '../tally'
import { committing, isAboutValues, importRefusal } from '../write.server'

type Watch = {
  signal: AbortSignal
  /** Called after each batch with the share of the changes that are undone or left. */
  onProgress: (share: number) => Promise<void>
}

/** Changes per transaction. */
export const UNDO_BATCH = 500
const ACTION = 'imports.undo'
const TABLES = [
  'patients',
  'drug_batches',
  'drug_catalogue',
  'users',
  'clinic_departments',
  'clinics',
  'problem_codes',
  'patient_vitals',
  'appointments',
  'visits',
] as const
const UNDOS = {
  patients: undoPatients,
  drug_batches: undoStock,
  drug_catalogue: undoMedicines,
  users: undoUsers,
  clinic_departments: undoDepartments,
  clinics: undoClinics,
  problem_codes: undoCodes,
  patient_vitals: undoVitals,
  appointments: undoAppointments,
  visits: undoVisits,
}

/**
 * Takes back what an import wrote: a record that it made is deleted, and one that it changed gets its former values. A
 * record that was changed or used since stays and is reported. Each batch removes its changes from the list, so that an
 * interrupted undo continues.
 */
export async function runImportUndo(ctx: Context, importId: string, tally: Tally, watch: Watch) {
  let done = (tally.undone ?? 0) + sumReasonCounts(tally.left)
  const total = done + (await countChanges(ctx.db, importId))
  for (const table of TABLES)
    for (;;) {
      watch.signal.throwIfAborted()
      const step = await committing(
        ctx,
        ACTION,
      )(async (db) => {
        const outcome = await undoBatch(db, ctx, importId, table)
        return outcome && { outcome, counted: await keepCounted(db, importId, tally, outcome) }
      })
      if (!step) break
      done += step.outcome.ids.length
      Object.assign(tally, step.counted)
      collectAll()
      await watch.onProgress(done / total)
    }
}

/** Keeps the tally and what the batch left in its transaction, so that an interrupted undo goes on from them. */
async function keepCounted(
  db: Kysely<DB>,
  importId: string,
  tally: Tally,
  outcome: UndoOutcome,
): Promise<Tally> {
  const counted = structuredClone(tally)
  counted.undone = (counted.undone ?? 0) + outcome.undone
  for (const { reason } of outcome.left) count(counted, left(reason.key, reason.values))
  await db
    .updateTable('imports')
    .set({ tally: JSON.stringify(counted), tries: 0 })
    .where('id', '=', importId)
    .execute()
  // a record that an undo leaves has no line of the file
  await sql`
    insert into import_rejections (import_id, line, reason, cells)
    select ${importId}, last + row_number() over (), reason, array[name, "table", id]
    from jsonb_to_recordset(${JSON.stringify(outcome.left)}::jsonb)
      as given("table" text, id text, name text, reason jsonb)
    cross join (select coalesce(max(line), 0) as last from import_rejections where import_id = ${importId}) l`.execute(
    db,
  )
  return counted
}

export async function countChanges(db: Kysely<DB>, importId: string): Promise<number> {
  const { changes } = await db
    .selectFrom('import_changes')
    .select(({ fn }) => fn.countAll<number>().as('changes'))
    .where('import_id', '=', importId)
    .executeTakeFirstOrThrow()
  return changes
}

async function undoBatch(
  db: Kysely<DB>,
  ctx: Context,
  importId: string,
  table: (typeof TABLES)[number],
) {
  const taken = await db
    .selectFrom('import_changes')
    .select('row_id')
    .where('import_id', '=', importId)
    .where('table_name', '=', table)
    .orderBy('row_id')
    .limit(UNDO_BATCH)
    .forUpdate()
    .execute()
  const ids = taken.map(({ row_id }) => row_id)
  if (ids.length === 0) return null
  const outcome = await UNDOS[table](db, ctx, importId, ids)
  await db
    .deleteFrom('import_changes')
    .where('import_id', '=', importId)
    .where('table_name', '=', table)
    .where('row_id', 'in', ids)
    .execute()
  return { ids, ...outcome }
}

async function undoPatients(
  db: Kysely<DB>,
  { actor }: Context,
  importId: string,
  ids: readonly string[],
): Promise<UndoOutcome> {
  const used = await patientsInUse(db, ids)
  const { rows } = await sql<{
    id: string
    given_name: string | null
    surname: string | null
    is_new: boolean
    is_same: boolean
    before: PatientBefore | null
  }>`
    select p.id, p.given_name, p.surname, c.before is null as is_new, c.before,
      p.last_modified = (c.after ->> 'last_modified')::timestamptz
        and (c.after ->> 'answers')::timestamptz is not distinct from (
          select max(a.last_modified) from patient_additional_attributes a where a.patient_id = p.id)
        as is_same
    from import_changes c join patients p on p.id = c.row_id
    where c.import_id = ${importId} and c.table_name = 'patients' and p.id = any(${ids}::uuid[])
      and not p.is_deleted
    for update of p`.execute(db)
  const kept: Left[] = []
  const deleted: { id: string; label: string }[] = []
  for (const row of rows) {
    const name = patientName(row)
    const use = row.is_new && used.has(row.id) ? USED : null
    const reason = row.is_same ? use : CHANGED
    if (reason) kept.push({ table: 'patients', id: row.id, name, reason })
    else if (row.is_new) deleted.push({ id: row.id, label: name })
  }
  await sql`
    insert into undone_patients (patient_id, deletion_id)
    select record_id, deletion_id
    from soft_delete_all('patients', ${deleted.map(({ id }) => id)}::uuid[],
      ${deleted.map(({ label }) => label)}::text[], ${actor.userId || null}::uuid)
    on conflict (patient_id) do update set deletion_id = excluded.deletion_id`.execute(db)
  const changed = rows.flatMap(({ id, before }) =>
    before && !kept.some((one) => one.id === id) ? [{ id, before }] : [],
  )
  await setValues(
    db,
    'patients',
    UPDATED_PATIENT_COLUMNS,
    changed.map(({ id, before }) => ({ id, values: before.columns })),
  )
  const answers = changed.flatMap(({ before }) => before.answers)
  await setValues(
    db,
    'patient_additional_attributes',
    ANSWER_COLUMNS,
    answers.flatMap(({ id, values }) => (values ? [{ id, values }] : [])),
  )
  await db
    .updateTable('patient_additional_attributes')
    .set({ is_deleted: true })
    .where(
      sql<boolean>`id = any(${answers.flatMap(({ id, values }) => (values ? [] : [id]))}::uuid[])`,
    )
    .execute()
  return { undone: rows.length - kept.length, left: kept }
}

/** Patients with records beyond their registration. A list of care that was taken back left none. */
async function patientsInUse(db: Kysely<DB>, ids: readonly string[]): Promise<Set<string>> {
  const { rows: children } = await sql<{ child: string; child_column: string }>`
    select child, child_column from cascade_rules
    where parent = 'patients' and child <> 'patient_additional_attributes'`.execute(db)
  const each = children.map(
    ({ child, child_column }) => sql<{ id: string }>`
      select ${sql.id(child_column)} as id from ${sql.table(child)} c
      where ${sql.id(child_column)} = any(${ids}::uuid[])
        and not (is_deleted and coalesce(to_jsonb(c) -> 'metadata' ? 'import', false))`,
  )
  if (each.length === 0) return new Set()
  const { rows } = await sql<{ id: string }>`${sql.join(each, sql` union `)}`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

async function undoMedicines(
  db: Kysely<DB>,
  { actor }: Context,
  importId: string,
  ids: readonly string[],
): Promise<UndoOutcome> {
  const columns = sql.join(DRUG_COLUMNS.map((name) => sql.id('d', name)))
  const given = sql.join(DRUG_COLUMNS.map((name) => sql.id('r', name)))
  const { rows } = await sql<{
    id: string
    generic_name: string
    brand_name: string | null
    before: object | null
    is_same: boolean
    is_used: boolean
  }>`
    select d.id, d.generic_name, d.brand_name, c.before,
      (${columns}) is not distinct from (${given}) as is_same,
      -- a batch whose stock came from lists alone, and was taken back, leaves nothing but its entries
      exists (select from drug_batches b where b.drug_id = d.id and not (b.quantity_remaining = 0
          and exists (select from inventory_transactions m where m.batch_id = b.id)
          and not exists (select from inventory_transactions m
            where m.batch_id = b.id and m.reference_type <> 'opening')))
        or exists (select from prescription_items i where i.drug_id = d.id) as is_used
    from import_changes c join drug_catalogue d on d.id = c.row_id
    cross join lateral jsonb_populate_record(d, c.after) r
    where c.import_id = ${importId} and c.table_name = 'drug_catalogue' and d.id = any(${ids}::uuid[])
      and not d.is_deleted
    for update of d`.execute(db)
  const kept: Left[] = []
  const keep = (drug: (typeof rows)[number], reason: Message) =>
    kept.push({ table: 'drug_catalogue', id: drug.id, name: drugName(drug), reason })
  const undone = rows.filter((drug) => {
    const use = !drug.before && drug.is_used ? USED : null
    const reason = drug.is_same ? use : CHANGED
    if (reason) keep(drug, reason)
    return !reason
  })
  await setValues(
    db,
    'drug_catalogue',
    DRUG_COLUMNS,
    undone.flatMap(({ id, before }) => (before ? [{ id, values: before }] : [])),
  )
  const failures = await bisect(
    db,
    undone.filter(({ before }) => !before),
    (some) =>
      sql`
      select soft_delete_all('drug_catalogue', ${some.map(({ id }) => id)}::uuid[], ${some.map(drugName)}::text[],
        ${actor.userId || null}::uuid)`.execute(db),
    (error) => {
      if (!isAboutValues(error)) throw error
      return importRefusal(error)
    },
  )
  for (const { item, failure } of failures) keep(item, failure)
  return { undone: rows.length - kept.length, left: kept }
}

/** The counter-entry of an opening quantity: for a batch that nothing else has moved in the clinic. */
async function undoStock(
  db: Kysely<DB>,
  _ctx: Context,
  importId: string,
  ids: readonly string[],
): Promise<UndoOutcome> {
  const { rows } = await sql<{
    id: string
    drug_id: string
    clinic_id: string
    name: string
    quantity: number
    is_used: boolean
  }>`
    select b.id, b.drug_id, c.after ->> 'clinicId' as clinic_id, (c.after ->> 'quantity')::float8 as quantity,
      d.generic_name || ' ' || b.batch_number as name,
      exists (select from inventory_transactions m where m.batch_id = b.id
        and m.clinic_id = (c.after ->> 'clinicId')::uuid and m.reference_type <> 'opening')
      or exists (select from stock_reservations r where r.batch_id = b.id
        and r.clinic_id = (c.after ->> 'clinicId')::uuid) as is_used
    from import_changes c join drug_batches b on b.id = c.row_id join drug_catalogue d on d.id = b.drug_id
    where c.import_id = ${importId} and c.table_name = 'drug_batches' and b.id = any(${ids}::uuid[])
    for update of b`.execute(db)
  const undone = rows
    .filter(({ is_used }) => !is_used)
    // an import that ran again after its undo can be undone again
    .map((row) => ({ ...row, reference: newId() }))
  await sql`
    select post_stock(clinic_id, drug_id, id, 'adjustment', -quantity, 'opening', reference, null, null,
      clinic_day(now()))
    from jsonb_to_recordset(${JSON.stringify(undone)}::jsonb) as given(id uuid, drug_id uuid, clinic_id uuid,
      quantity numeric, reference uuid)`.execute(db)
  const used = rows.filter(({ is_used }) => is_used)
  return {
    undone: undone.length,
    left: used.map(({ id, name }) => ({ table: 'drug_batches', id, name, reason: USED })),
  }
}
