import type pg from 'pg'
import type { PerUnit } from '~/records/strength'
import { stableId } from '~/features/exchange/imports/stable-id'
import table from './medicines.json'
import type { SeedClinic } from './people'
import { seededRandom } from './random'

type SeedMedicine = {
  name: string
  brand?: string
  ingredients: readonly string[]
  form: string
  route: string
  strength: number
  unit: string
  /** The stock below which the clinic orders more. */
  minimum: number
  is_controlled?: boolean
  requires_refrigeration?: boolean
  /** The volume, weight or dose that holds the strength: [5, 'mL']. */
  per?: readonly [quantity: number, unit: PerUnit]
  /** The strengths of a combination, in the order of its ingredients. */
  each?: string
}

// the inferred type of JSON knows no tuples; seed-data.test.ts checks the shape
export const MEDICINES = table.rows as unknown as readonly SeedMedicine[]

export const medicines = MEDICINES.map((medicine) => ({
  id: stableId('seed', 'drug', medicine.name, medicine.form, String(medicine.strength)),
  generic_name: medicine.name,
  brand_name: medicine.brand ?? null,
  ingredients: medicine.ingredients,
  form: medicine.form,
  route: medicine.route,
  dosage_quantity: medicine.strength,
  dosage_units: medicine.unit,
  min_stock_level: medicine.minimum,
  is_controlled: medicine.is_controlled ?? false,
  requires_refrigeration: medicine.requires_refrigeration ?? false,
  per_quantity: medicine.per?.[0] ?? null,
  per_unit: medicine.per?.[1] ?? null,
  ingredient_strengths: medicine.each ?? null,
}))

/** Adds the catalogue, and the stock of each clinic: some of it low, some about to expire or expired. */
export async function seedMedicines(
  client: pg.Client,
  {
    seed,
    clinics,
    today,
  }: { seed: string; clinics: readonly Pick<SeedClinic, 'id'>[]; today: Date },
): Promise<void> {
  await client.query(
    `insert into drug_catalogue (
       id, generic_name, brand_name, ingredients, form, route, dosage_quantity, dosage_units,
       min_stock_level, is_controlled, requires_refrigeration, per_quantity, per_unit,
       ingredient_strengths)
     select
       id, generic_name, brand_name, ingredients, form, route, dosage_quantity, dosage_units,
       min_stock_level, is_controlled, requires_refrigeration, per_quantity, per_unit,
       ingredient_strengths
     from jsonb_to_recordset($1) d(
       id uuid, generic_name text, brand_name text, ingredients text[], form text, route text,
       dosage_quantity numeric, dosage_units text, min_stock_level numeric, is_controlled boolean,
       requires_refrigeration boolean, per_quantity numeric, per_unit text,
       ingredient_strengths text)
     on conflict do nothing`,
    [JSON.stringify(medicines)],
  )
  const receipts = clinics.flatMap((clinic) =>
    medicines.flatMap((drug) => buildReceipts(seed, clinic.id, drug, today)),
  )
  await client.query(
    `insert into drug_batches (
       id, drug_id, batch_number, expiry_date, received_date, supplier_name, is_quarantined,
       metadata)
     select
       batch_id, drug_id, batch_number, expiry_date, received_date, supplier, is_quarantined,
       case
         when is_quarantined
           then '{"quarantine": {"reason": "Recalled by the manufacturer", "by": null}}'
         else '{}'
       end::jsonb
     from jsonb_to_recordset($1) b(
       batch_id uuid, drug_id uuid, batch_number text, expiry_date date, received_date date,
       supplier text, is_quarantined boolean)
     on conflict do nothing`,
    [JSON.stringify(receipts)],
  )
  await client.query(
    `insert into inventory_transactions (
       clinic_id, drug_id, batch_id, transaction_type, quantity, reference_type, reference_id, day,
       occurred_at)
     select
       clinic_id, drug_id, batch_id, 'received', quantity, 'receipt', reference_id, received_date,
       received_date + time '09:00'
     from jsonb_to_recordset($1) r(
       clinic_id uuid, drug_id uuid, batch_id uuid, quantity numeric, reference_id uuid,
       received_date date)
     where exists (select from drug_batches b where b.id = r.batch_id)
       and not exists (
         select from inventory_transactions t where t.reference_id = r.reference_id)
     order by received_date`,
    [JSON.stringify(receipts)],
  )
}

const DAY = 86_400_000
const dayAt = (today: Date, days: number) =>
  new Date(today.getTime() + days * DAY).toISOString().slice(0, 10)

function buildReceipts(
  seed: string,
  clinicId: string,
  drug: (typeof medicines)[number],
  today: Date,
) {
  const random = seededRandom(seed, 'stock', clinicId, drug.id)
  // one in twelve has run out; the rest was delivered once to three times
  const deliveries = random.chance(1 / 12) ? 0 : random.whole(1, 3)
  return Array.from({ length: deliveries }, (_, at) => {
    const received = -random.whole(20, 300)
    // the first delivery of some is old
    const expires = at === 0 && random.chance(0.15) ? random.whole(-25, 85) : random.whole(120, 900)
    return {
      batch_id: stableId('seed', seed, 'batch', clinicId, drug.id, String(at)),
      reference_id: stableId('seed', seed, 'receipt', clinicId, drug.id, String(at)),
      clinic_id: clinicId,
      drug_id: drug.id,
      batch_number: `${drug.generic_name.slice(0, 2).toUpperCase()}${random.whole(10_000, 99_999)}`,
      expiry_date: dayAt(today, expires),
      received_date: dayAt(today, received),
      supplier: random.pick([
        'Central medical store',
        'UNICEF',
        'Al-Hikma Distribution',
        'Droguería Andina',
      ]),
      is_quarantined: random.chance(0.02),
      quantity: Math.max(1, Math.round(drug.min_stock_level * random.between(0.3, 1.6))),
    }
  })
}
