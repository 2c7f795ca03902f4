import type pg from 'pg'
import type { PerUnit } from '~/records/strength'
import { stableId } from '~/features/imports/stable-id'
import type { Clinic } from './people'
import { randomOf } from './random'

type Flags = {
  is_controlled?: true
  requires_refrigeration?: true
  /** The volume, weight or dose that holds the strength: [5, 'mL']. */
  per?: readonly [quantity: number, unit: PerUnit]
  /** Of a combination, in the order of its ingredients. */
  each?: string
}
type Listed = readonly [
  name: string,
  brand: string | null,
  ingredients: string,
  form: string,
  route: string,
  strength: number,
  unit: string,
  minimum: number,
  flags?: Flags,
]

/**
 * What a clinic of general medicine has on its shelves; most are on the WHO Model List of Essential Medicines (2023). The
 * strengths are of common products, for a demonstration only: each clinic enters its own packages.
 */
const listed: readonly Listed[] = [
  ['Paracetamol', 'Panadol', 'paracetamol', 'tablet', 'oral', 500, 'mg', 500],
  ['Paracetamol', null, 'paracetamol', 'syrup', 'oral', 120, 'mg', 40, { per: [5, 'mL'] }],
  ['Paracetamol', null, 'paracetamol', 'suppository', 'rectal', 125, 'mg', 30],
  ['Ibuprofen', 'Brufen', 'ibuprofen', 'tablet', 'oral', 400, 'mg', 300],
  ['Ibuprofen', null, 'ibuprofen', 'syrup', 'oral', 100, 'mg', 30, { per: [5, 'mL'] }],
  [
    'Acetylsalicylic acid',
    'Aspirin Protect',
    'acetylsalicylic acid',
    'tablet',
    'oral',
    100,
    'mg',
    200,
  ],
  ['Diclofenac', 'Voltaren', 'diclofenac', 'gel', 'topical', 10, 'mg', 20, { per: [1, 'g'] }],
  [
    'Morphine',
    null,
    'morphine',
    'injection',
    'subcutaneous',
    10,
    'mg',
    10,
    { is_controlled: true, per: [1, 'mL'] },
  ],
  ['Tramadol', null, 'tramadol', 'capsule', 'oral', 50, 'mg', 50, { is_controlled: true }],
  [
    'Diazepam',
    null,
    'diazepam',
    'injection',
    'intravenous',
    10,
    'mg',
    10,
    { is_controlled: true, per: [2, 'mL'] },
  ],
  ['Phenobarbital', null, 'phenobarbital', 'tablet', 'oral', 30, 'mg', 50, { is_controlled: true }],
  ['Carbamazepine', 'Tegretol', 'carbamazepine', 'tablet', 'oral', 200, 'mg', 100],
  ['Valproic acid', 'Depakine', 'valproic acid', 'tablet', 'oral', 500, 'mg', 60],
  ['Amoxicillin', 'Amoxil', 'amoxicillin', 'capsule', 'oral', 500, 'mg', 300],
  ['Amoxicillin', null, 'amoxicillin', 'syrup', 'oral', 250, 'mg', 40, { per: [5, 'mL'] }],
  [
    'Amoxicillin + clavulanic acid',
    'Augmentin',
    'amoxicillin;clavulanic acid',
    'tablet',
    'oral',
    625,
    'mg',
    120,
    { each: '500 mg + 125 mg' },
  ],
  ['Phenoxymethylpenicillin', null, 'phenoxymethylpenicillin', 'tablet', 'oral', 250, 'mg', 100],
  [
    'Benzathine benzylpenicillin',
    null,
    'benzathine benzylpenicillin',
    'injection',
    'intramuscular',
    900,
    'mg',
    10,
    { per: [1, 'vial'] },
  ],
  ['Cefalexin', null, 'cefalexin', 'capsule', 'oral', 500, 'mg', 100],
  [
    'Ceftriaxone',
    'Rocephin',
    'ceftriaxone',
    'injection',
    'intramuscular',
    1,
    'g',
    30,
    { per: [1, 'vial'] },
  ],
  ['Azithromycin', 'Zithromax', 'azithromycin', 'capsule', 'oral', 250, 'mg', 60],
  ['Doxycycline', null, 'doxycycline', 'capsule', 'oral', 100, 'mg', 100],
  ['Ciprofloxacin', null, 'ciprofloxacin', 'tablet', 'oral', 500, 'mg', 100],
  ['Metronidazole', 'Flagyl', 'metronidazole', 'tablet', 'oral', 500, 'mg', 150],
  [
    'Sulfamethoxazole + trimethoprim',
    'Bactrim',
    'sulfamethoxazole;trimethoprim',
    'tablet',
    'oral',
    480,
    'mg',
    100,
    { each: '400 mg + 80 mg' },
  ],
  ['Nitrofurantoin', null, 'nitrofurantoin', 'capsule', 'oral', 100, 'mg', 60],
  ['Fluconazole', 'Diflucan', 'fluconazole', 'capsule', 'oral', 150, 'mg', 40],
  ['Clotrimazole', 'Canesten', 'clotrimazole', 'cream', 'topical', 10, 'mg', 30, { per: [1, 'g'] }],
  ['Nystatin', null, 'nystatin', 'drops', 'oral', 100000, 'units', 20, { per: [1, 'mL'] }],
  ['Aciclovir', 'Zovirax', 'aciclovir', 'tablet', 'oral', 200, 'mg', 50],
  ['Albendazole', null, 'albendazole', 'tablet', 'oral', 400, 'mg', 60],
  ['Permethrin', null, 'permethrin', 'cream', 'topical', 50, 'mg', 20, { per: [1, 'g'] }],
  ['Amlodipine', 'Norvasc', 'amlodipine', 'tablet', 'oral', 5, 'mg', 400],
  ['Enalapril', 'Renitec', 'enalapril', 'tablet', 'oral', 10, 'mg', 300],
  ['Losartan', 'Cozaar', 'losartan', 'tablet', 'oral', 50, 'mg', 200],
  ['Hydrochlorothiazide', null, 'hydrochlorothiazide', 'tablet', 'oral', 25, 'mg', 200],
  ['Bisoprolol', 'Concor', 'bisoprolol', 'tablet', 'oral', 5, 'mg', 200],
  ['Furosemide', 'Lasix', 'furosemide', 'tablet', 'oral', 40, 'mg', 100],
  [
    'Furosemide',
    'Lasix',
    'furosemide',
    'injection',
    'intravenous',
    20,
    'mg',
    20,
    { per: [2, 'mL'] },
  ],
  ['Spironolactone', 'Aldactone', 'spironolactone', 'tablet', 'oral', 25, 'mg', 80],
  ['Simvastatin', 'Zocor', 'simvastatin', 'tablet', 'oral', 20, 'mg', 200],
  ['Clopidogrel', 'Plavix', 'clopidogrel', 'tablet', 'oral', 75, 'mg', 60],
  ['Warfarin', null, 'warfarin', 'tablet', 'oral', 5, 'mg', 60],
  ['Digoxin', 'Lanoxin', 'digoxin', 'tablet', 'oral', 0.25, 'mg', 40],
  [
    'Glyceryl trinitrate',
    null,
    'glyceryl trinitrate',
    'spray',
    'sublingual',
    0.4,
    'mg',
    5,
    { per: [1, 'actuation'] },
  ],
  ['Metformin', 'Glucophage', 'metformin', 'tablet', 'oral', 850, 'mg', 500],
  ['Gliclazide', 'Diamicron', 'gliclazide', 'tablet', 'oral', 80, 'mg', 200],
  [
    'Insulin, soluble human',
    'Actrapid',
    'insulin human',
    'injection',
    'subcutaneous',
    100,
    'units',
    20,
    { requires_refrigeration: true, per: [1, 'mL'] },
  ],
  [
    'Insulin, isophane',
    'Insulatard',
    'insulin human',
    'injection',
    'subcutaneous',
    100,
    'units',
    30,
    { requires_refrigeration: true, per: [1, 'mL'] },
  ],
  ['Levothyroxine', 'Euthyrox', 'levothyroxine sodium', 'tablet', 'oral', 50, 'mcg', 100],
  ['Prednisolone', null, 'prednisolone', 'tablet', 'oral', 5, 'mg', 150],
  ['Hydrocortisone', null, 'hydrocortisone', 'cream', 'topical', 10, 'mg', 20, { per: [1, 'g'] }],
  [
    'Salbutamol',
    'Ventolin',
    'salbutamol',
    'inhaler',
    'inhalation',
    100,
    'mcg',
    40,
    { per: [1, 'actuation'] },
  ],
  [
    'Budesonide + formoterol',
    'Symbicort',
    'budesonide;formoterol',
    'inhaler',
    'inhalation',
    160,
    'mcg',
    20,
    { per: [1, 'actuation'], each: '160 mcg + 4.5 mcg' },
  ],
  ['Loratadine', 'Claritin', 'loratadine', 'tablet', 'oral', 10, 'mg', 100],
  ['Epinephrine', null, 'epinephrine', 'ampule', 'intramuscular', 1, 'mg', 10, { per: [1, 'mL'] }],
  ['Omeprazole', 'Losec', 'omeprazole', 'capsule', 'oral', 20, 'mg', 300],
  ['Ondansetron', 'Zofran', 'ondansetron', 'tablet', 'oral', 4, 'mg', 40],
  [
    'Oral rehydration salts',
    null,
    'glucose;potassium chloride;sodium chloride;trisodium citrate',
    'other',
    'oral',
    20.5,
    'g',
    100,
  ],
  ['Zinc sulfate', null, 'zinc sulfate', 'tablet', 'oral', 20, 'mg', 100],
  [
    'Ferrous salt + folic acid',
    null,
    'ferrous sulfate;folic acid',
    'tablet',
    'oral',
    60,
    'mg',
    200,
    { each: '60 mg + 400 mcg' },
  ],
  [
    'Oxytocin',
    null,
    'oxytocin',
    'injection',
    'intramuscular',
    10,
    'units',
    10,
    { requires_refrigeration: true, per: [1, 'mL'] },
  ],
  [
    'Medroxyprogesterone acetate',
    'Depo-Provera',
    'medroxyprogesterone',
    'injection',
    'intramuscular',
    150,
    'mg',
    20,
    { per: [1, 'mL'] },
  ],
  [
    'Chloramphenicol',
    null,
    'chloramphenicol',
    'drops',
    'ophthalmic',
    5,
    'mg',
    20,
    { per: [1, 'mL'] },
  ],
]

export const medicines = listed.map(
  ([
    generic_name,
    brand_name,
    ingredients,
    form,
    route,
    dosage_quantity,
    dosage_units,
    min_stock_level,
    flags,
  ]) => ({
    id: stableId('seed', 'drug', generic_name, form, String(dosage_quantity)),
    generic_name,
    brand_name,
    ingredients: ingredients.split(';'),
    form,
    route,
    dosage_quantity,
    dosage_units,
    min_stock_level,
    is_controlled: flags?.is_controlled ?? false,
    requires_refrigeration: flags?.requires_refrigeration ?? false,
    per_quantity: flags?.per?.[0] ?? null,
    per_unit: flags?.per?.[1] ?? null,
    ingredient_strengths: flags?.each ?? null,
  }),
)

/** Adds the catalogue, and to each clinic its stock: most of it good, some low, some about to expire, a little that has. */
export async function seedMedicines(
  client: pg.Client,
  { seed, clinics, today }: { seed: string; clinics: readonly Pick<Clinic, 'id'>[]; today: Date },
): Promise<void> {
  await client.query(
    `insert into drug_catalogue (id, generic_name, brand_name, ingredients, form, route, dosage_quantity, dosage_units, min_stock_level, is_controlled, requires_refrigeration, per_quantity, per_unit, ingredient_strengths)
     select id, generic_name, brand_name, ingredients, form, route, dosage_quantity, dosage_units, min_stock_level, is_controlled, requires_refrigeration, per_quantity, per_unit, ingredient_strengths
     from jsonb_to_recordset($1) d(id uuid, generic_name text, brand_name text, ingredients text[], form text, route text, dosage_quantity numeric,
       dosage_units text, min_stock_level numeric, is_controlled boolean, requires_refrigeration boolean, per_quantity numeric, per_unit text, ingredient_strengths text)
     on conflict do nothing`,
    [JSON.stringify(medicines)],
  )
  const receipts = clinics.flatMap((clinic) =>
    medicines.flatMap((drug) => receiptsOf(seed, clinic.id, drug, today)),
  )
  await client.query(
    `insert into drug_batches (id, drug_id, batch_number, expiry_date, received_date, supplier_name, is_quarantined, metadata)
     select batch_id, drug_id, batch_number, expiry_date, received_date, supplier, is_quarantined,
       case when is_quarantined then '{"quarantine": {"reason": "Recalled by the manufacturer", "by": null}}' else '{}' end::jsonb
     from jsonb_to_recordset($1) b(batch_id uuid, drug_id uuid, batch_number text, expiry_date date, received_date date, supplier text, is_quarantined boolean)
     on conflict do nothing`,
    [JSON.stringify(receipts)],
  )
  await client.query(
    `insert into inventory_transactions (clinic_id, drug_id, batch_id, transaction_type, quantity, reference_type, reference_id, day, occurred_at)
     select clinic_id, drug_id, batch_id, 'received', quantity, 'receipt', reference_id, received_date, received_date + time '09:00'
     from jsonb_to_recordset($1) r(clinic_id uuid, drug_id uuid, batch_id uuid, quantity numeric, reference_id uuid, received_date date)
     where exists (select from drug_batches b where b.id = r.batch_id)
       and not exists (select from inventory_transactions t where t.reference_id = r.reference_id)
     order by received_date`,
    [JSON.stringify(receipts)],
  )
}

const DAY = 86_400_000
const dayAt = (today: Date, days: number) =>
  new Date(today.getTime() + days * DAY).toISOString().slice(0, 10)

function receiptsOf(seed: string, clinicId: string, drug: (typeof medicines)[number], today: Date) {
  const random = randomOf(seed, 'stock', clinicId, drug.id)
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
