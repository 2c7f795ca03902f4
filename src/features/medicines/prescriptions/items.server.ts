import { type Kysely, sql } from 'kysely'
import { keysIn } from '~/shared/object'
import type { DB } from '~/db/types'
import { prescriptionItemRecord } from '~/records/prescription'
import { qualified } from '~/records/qualified'
import { STRENGTH_COLUMNS, TITLE_COLUMNS } from '~/records/strength'
import type { Actor } from '~/shared/actor'
import { conflict } from '~/shared/errors'
import type { Language } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { doseText, storedDose } from './writing/dose'
import type { ItemInput } from './prescription'

/** The items of prescriptions, in the order of the form. The caller has checked access. */
export async function loadPrescriptionItems(db: Kysely<DB>, prescriptionIds: readonly string[]) {
  if (prescriptionIds.length === 0) return new Map<string, Item[]>()
  return Map.groupBy(await itemRows(db, prescriptionIds), ({ prescription_id }) => prescription_id)
}

const itemRows = async (db: Kysely<DB>, prescriptionIds: readonly string[]) =>
  (
    await db
      .selectFrom('prescription_items as i')
      .innerJoin('drug_catalogue as d', 'd.id', 'i.drug_id')
      .select(qualified('i', ['id', 'prescription_id', 'clinic_id', ...ENTERED, 'dose']))
      .select(['quantity_dispensed', 'refills_used'])
      .select([...TITLE_COLUMNS, 'form', 'route', 'ingredients'])
      .select(['is_controlled', 'requires_refrigeration'])
      .where('i.prescription_id', 'in', prescriptionIds)
      .where('i.is_deleted', '=', false)
      .orderBy('position')
      .orderBy('i.created_at')
      .orderBy('i.id')
      .execute()
  ).map((row) => ({
    ...row,
    dose: storedDose(row.dose, row.dosage_instructions),
  }))
export type Item = Awaited<ReturnType<typeof itemRows>>[number]

/** What the form asks of each medicine; the dose is checked on its own. */
const ENTERED = keysIn(prescriptionItemRecord.fields)
const CHANGED = ['clinic_id', ...ENTERED, 'dose', 'position'] as const
const WRITTEN = ['id', 'prescription_id', 'patient_id', ...CHANGED] as const
const asGiven = (column: string) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`

type Of = { id: string; patient_id: string; pickup_clinic_id: string }

/**
 * Replaces the items of the prescription with those of the form; a repeated call changes nothing.
 * An item of which something was dispensed cannot be removed, only cancelled.
 */
export async function writeItems(
  db: Kysely<DB>,
  prescription: Of,
  given: readonly ItemInput[],
  { actor, isStale }: { actor: Pick<Actor, 'userId' | 'language'>; isStale: boolean },
) {
  const items = await withInstructions(db, given, actor.language)
  const before = isStale ? await loadItemsHash(db, prescription.id) : null
  const removed = await db
    .updateTable('prescription_items')
    .set({ is_deleted: true, updated_at: new Date() })
    .where('prescription_id', '=', prescription.id)
    .where('is_deleted', '=', false)
    .where(
      'id',
      'not in',
      items.map(({ id }) => id),
    )
    .returning(['id', 'quantity_dispensed'])
    .execute()
  if (removed.some(({ quantity_dispensed }) => quantity_dispensed > 0))
    throw conflict('prescriptions.itemDispensed')

  const rows = items.map((item, position) => ({
    ...item,
    position,
    prescription_id: prescription.id,
    patient_id: prescription.patient_id,
    clinic_id: prescription.pickup_clinic_id,
  }))
  const list = (columns: readonly string[]) => sql.join(columns.map((column) => sql.ref(column)))
  const { rows: written } = await sql<{ id: string }>`
    insert into prescription_items (${list(WRITTEN)}, recorded_by_user_id)
    select ${list(WRITTEN)}, ${actor.userId}::uuid
    from jsonb_populate_recordset(null::prescription_items, ${JSON.stringify(rows)}::jsonb)
    on conflict (id) do update set updated_at = now(), ${sql.join(CHANGED.map(asGiven))}
    where prescription_items.prescription_id = excluded.prescription_id and not prescription_items.is_deleted
      and (prescription_items.drug_id = excluded.drug_id or prescription_items.quantity_dispensed = 0)
    returning id`.execute(db)
  // the id of another prescription's item, of a deleted one, or another medicine after something was dispensed
  if (written.length !== rows.length) throw conflict('prescriptions.itemDispensed')
  // the same values as stored are a request that is repeated; others would undo what somebody else has changed
  if (isStale && before !== (await loadItemsHash(db, prescription.id)))
    throw conflict('errors.staleByOther')
}

/** Whether the prescription is there and not as its user read it. Locks it. */
export async function isOtherVersion(
  db: Kysely<DB>,
  { id, last_modified }: { id: string; last_modified?: Date | null },
): Promise<boolean> {
  const row = await db
    .selectFrom('prescriptions')
    .select('last_modified')
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined && row.last_modified.getTime() !== last_modified?.getTime()
}

/** The items as they are stored, without the times of writing. */
async function loadItemsHash(db: Kysely<DB>, prescriptionId: string): Promise<string | null> {
  const { rows } = await sql<{ items: string | null }>`
    select md5(jsonb_agg(
      to_jsonb(i) - '{updated_at,last_modified,last_modified_by}'::text[] order by id)::text) as items
    from prescription_items i where prescription_id = ${prescriptionId} and not is_deleted`.execute(
    db,
  )
  return rows[0]!.items
}

/** Builds the instructions of a structured dose from its numbers, so that both agree. */
async function withInstructions(db: Kysely<DB>, items: readonly ItemInput[], language: Language) {
  const dosed = items.filter(({ dose }) => dose).map(({ drug_id }) => drug_id)
  if (dosed.length === 0) return items
  const drugs = await db
    .selectFrom('drug_catalogue')
    .select(['id', 'form', 'ingredients', ...STRENGTH_COLUMNS])
    .where('id', 'in', dosed)
    .execute()
  const say = (what: Sayable) => {
    if (typeof what === 'string') return sentence(language, { key: what })
    return 'text' in what ? what.text : sentence(language, what)
  }
  return items.map(({ dose, ...item }) => {
    const drug = dose && drugs.find(({ id }) => id === item.drug_id)
    if (!drug) return { ...item, dose: null }
    const text = doseText(dose, drug, say)
    return { ...item, dosage_instructions: text, dose: { ...dose, text } }
  })
}
