import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { STRENGTH_COLUMNS } from '~/records/strength'
import type { Actor } from '~/shared/actor'
import { conflict } from '~/shared/errors'
import type { Language } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { sentence } from '~/shared/sentence'
import { doseText, storedDose } from './dose'
import type { ItemInput, ItemStatus } from './prescription'

/** The medicines of prescriptions that the caller has been allowed to see, by prescription, in the order of the form. */
export async function itemsOf(db: Kysely<DB>, prescriptionIds: readonly string[]) {
  if (prescriptionIds.length === 0) return new Map<string, Item[]>()
  return Map.groupBy(await itemRows(db, prescriptionIds), ({ prescription_id }) => prescription_id)
}

const itemRows = async (db: Kysely<DB>, prescriptionIds: readonly string[]) =>
  (
    await db
      .selectFrom('prescription_items as i')
      .innerJoin('drug_catalogue as d', 'd.id', 'i.drug_id')
      .select([
        'i.id',
        'i.prescription_id',
        'i.drug_id',
        'i.clinic_id',
        'dosage_instructions',
        'quantity_prescribed',
      ])
      .select([
        'quantity_dispensed',
        'refills_authorized',
        'refills_used',
        'item_status',
        'i.notes',
        'i.dose',
      ])
      .select(['generic_name', 'brand_name', 'form', 'route', 'ingredients', ...STRENGTH_COLUMNS])
      .select(['is_controlled', 'requires_refrigeration'])
      .where('i.prescription_id', 'in', prescriptionIds)
      .where('i.is_deleted', '=', false)
      .orderBy('position')
      .orderBy('i.created_at')
      .orderBy('i.id')
      .execute()
  ).map((row) => ({
    ...row,
    item_status: row.item_status as ItemStatus,
    dose: storedDose(row.dose, row.dosage_instructions),
  }))
export type Item = Awaited<ReturnType<typeof itemRows>>[number]

type Of = { id: string; patient_id: string; pickup_clinic_id: string }

/**
 * Makes the prescription's items what the form says. Repeating it changes nothing more. One of which something was handed
 * out is not taken off: it is called off instead.
 */
export async function writeItems(
  db: Kysely<DB>,
  prescription: Of,
  given: readonly ItemInput[],
  { userId: by, language }: Pick<Actor, 'userId' | 'language'>,
) {
  const items = await withInstructions(db, given, language)
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
  const { rows: written } = await sql<{ id: string }>`
    insert into prescription_items (id, prescription_id, patient_id, drug_id, clinic_id, dosage_instructions,
      quantity_prescribed, refills_authorized, item_status, notes, position, dose, recorded_by_user_id)
    select id, prescription_id, patient_id, drug_id, clinic_id, dosage_instructions, quantity_prescribed,
      refills_authorized, item_status, notes, position, dose, ${by}::uuid
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(id uuid, prescription_id uuid, patient_id uuid, drug_id uuid,
      clinic_id uuid, dosage_instructions text, quantity_prescribed numeric, refills_authorized int, item_status text, notes text, position int, dose jsonb)
    on conflict (id) do update set drug_id = excluded.drug_id, clinic_id = excluded.clinic_id,
      dosage_instructions = excluded.dosage_instructions, quantity_prescribed = excluded.quantity_prescribed,
      refills_authorized = excluded.refills_authorized, item_status = excluded.item_status, notes = excluded.notes,
      position = excluded.position, dose = excluded.dose, updated_at = now()
    where prescription_items.prescription_id = excluded.prescription_id and not prescription_items.is_deleted
      and (prescription_items.drug_id = excluded.drug_id or prescription_items.quantity_dispensed = 0)
    returning id`.execute(db)
  // an id of somebody else's item, of a deleted one, or another medicine where something was handed out
  if (written.length !== rows.length) throw conflict('prescriptions.itemDispensed')
}

/** The instructions of a structured dose are made of it, so that sentence and numbers cannot differ. */
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
