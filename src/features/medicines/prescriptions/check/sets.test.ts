import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { makeFactories } from '../../../../../test/factories'
import { cloneTemplate, test } from '../../../../../test/harness'
import { randomOf } from '../../../../../test/random-day'
import { recording } from '../../../../../test/statements'
import type { DB } from '~/db/types'
import { summaryCare } from '~/features/reports/dashboard/administration.server'
import type { MedicineRow, MedicineTable } from '~/features/medicines/safety/arrivals.server'
import { checkArrived, checkRows } from './arrivals.server'
import { countChecked } from './progress.server'

type Random = ReturnType<typeof randomOf>
type Make = ReturnType<typeof makeFactories>

const DRUGS = [
  { generic_name: 'Amoxicillin', brand_name: 'Amoxil', ingredients: ['amoxicillin'] },
  { generic_name: 'Ibuprofen', brand_name: 'Kufbrand 400', ingredients: ['ibuprofen'] },
  { generic_name: 'Simvastatin', ingredients: ['simvastatin'] },
  { generic_name: 'Clarithromycin', ingredients: ['clarithromycin'] },
  { generic_name: 'Fluoxetine', ingredients: ['fluoxetine'], form: 'capsule' },
  { generic_name: 'Selegiline', ingredients: ['selegiline'] },
  { generic_name: 'Enalapril', ingredients: ['enalapril'] },
  { generic_name: 'Metformin', ingredients: ['metformin'] },
  { generic_name: 'Zzyxol', ingredients: [] },
] as const
const WORDS = ['amoxicillin', 'Zocor', 'Kufbrand', 'Warfarin 5 mg', 'أموكسيسيلين', 'zzyxol', ' ']
const ALLERGIES = [
  { substance: 'Penicillins', substance_kind: 'drug_class', substance_code: 'penicillins' },
  {
    substance: 'NSAIDs',
    substance_kind: 'drug_class',
    substance_code: 'nsaids',
    severity: 'severe',
  },
  { substance: 'Kufbrand', substance_kind: 'other', substance_code: null },
  { substance: 'NKDA', substance_kind: 'other', substance_code: null },
  { substance: 'dust', substance_kind: 'other', substance_code: null },
] as const
const PROBLEMS = [
  ['icd10', 'J45.9', 'Asthma'],
  ['icd10', 'N18.9', 'Chronic kidney disease stage 4'],
  ['uncoded', '', 'Peptic ulcer'],
] as const

const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)]!
const ago = (days: number) => new Date(Date.now() - days * 86_400_000)

/** One of these with everything that the check reads, each of it now and then. */
async function patientWithMedicines(
  { db, make, drugIds, formId }: { db: Kysely<DB>; make: Make; drugIds: string[]; formId: string },
  random: Random,
) {
  const {
    patient_id,
    clinic_id,
    id: visit_id,
  } = await make.visit({
    patient_id: (
      await make.patient({
        sex: pick(random, ['male', 'female', null]),
        date_of_birth: pick(random, ['1950-03-04', '1995-06-07', '2024-08-09', null]),
      })
    ).id,
  })
  const times = async (most: number, work: () => Promise<unknown>) => {
    for (let left = random(most + 1); left > 0; left -= 1) await work()
  }
  await times(2, () => make.allergy({ patient_id, ...pick(random, ALLERGIES) }))
  await times(2, () => {
    const [problem_code_system, problem_code, problem_label] = pick(random, PROBLEMS)
    return make.problem({ patient_id, problem_code_system, problem_code, problem_label })
  })
  await times(2, () =>
    make.vital({
      patient_id,
      timestamp: ago(random(90)),
      weight_kg: pick(random, [null, 8, 20, 70, 700]),
      creatinine_umol_l: pick(random, [null, 70, 300]),
    }),
  )
  await times(1, () =>
    make.pregnancy({
      patient_id,
      state: pick(random, ['pregnant', 'not_pregnant', 'breastfeeding']),
    }),
  )
  await times(2, () =>
    make.medicine({ patient_id, name: pick(random, WORDS.slice(0, -1)), until: null }),
  )
  await times(2, () =>
    make.event({
      patient_id,
      visit_id,
      form_id: formId,
      form_data: JSON.stringify([
        {
          fieldId: 'm',
          name: 'medicine',
          fieldType: 'medicine',
          inputType: 'input-group',
          value: [{ id: uuidv7(), name: pick(random, WORDS) }],
        },
      ]),
    }),
  )
  await times(3, async () => {
    const prescription = await make.prescription({
      patient_id,
      pickup_clinic_id: clinic_id,
      prescribed_at: ago(pick(random, [0, 10, 170, 200])),
      items: JSON.stringify(random(3) === 0 ? [{ name: pick(random, WORDS) }] : []),
    })
    await times(2, async () => {
      const drug_id = pick(random, drugIds)
      const item = await make.prescriptionItem(prescription, {
        drug_id,
        item_status: pick(random, ['active', 'active', 'cancelled']),
      })
      await times(1, () =>
        db
          .insertInto('dispensing_records')
          .values({
            id: uuidv7(),
            clinic_id,
            drug_id,
            patient_id,
            prescription_item_id: item.id,
            quantity_dispensed: 10,
            days_supply: pick(random, [null, 10, 60]),
            dispensed_at: ago(random(40)),
          })
          .execute(),
      )
    })
  })
  return patient_id
}

const markedRows = async (db: Kysely<DB>): Promise<MedicineRow[]> =>
  (
    await db
      .selectFrom('unchecked_medicines')
      .select(['table_name', 'row_id'])
      .orderBy('row_id')
      .execute()
  ).map(({ table_name, row_id }) => ({ table: table_name as MedicineTable, id: row_id }))

/** What is kept, without what each run makes anew. */
const kept = async (db: Kysely<DB>) =>
  (
    await db
      .selectFrom('safety_overrides')
      .select(['patient_id', 'clinic_id', 'drug_id', 'stage', 'kind', 'warning', 'is_deleted'])
      .select(['prescription_id', 'event_id', 'dispensing_record_id', 'patient_medicine_id'])
      .execute()
  )
    .map((row) => JSON.stringify(row))
    .toSorted()

test('a turn of many rows keeps exactly what checks of single rows keep, on generated patients', async ({
  db,
  make,
}) => {
  const seed = Number(process.env['SANAD_PROPERTY_SEED'] ?? 1)
  const random = randomOf(seed)
  const drugIds: string[] = []
  for (const drug of DRUGS)
    drugIds.push((await make.drug({ ...drug, ingredients: [...drug.ingredients] })).id)
  const formId = (await make.eventForm()).id
  const patients: string[] = []
  for (let n = 0; n < 24; n += 1)
    patients.push(await patientWithMedicines({ db, make, drugIds, formId }, random))

  for (const round of ['at first', 'after changes']) {
    const rows = await markedRows(db)
    expect(rows.length).toBeGreaterThan(10)
    await sql`savepoint singly`.execute(db)
    for (const row of rows) await checkRows(db, [row])
    expect(await markedRows(db)).toEqual([])
    const singly = await kept(db)
    await sql`rollback to savepoint singly`.execute(db)
    await checkRows(db, rows)
    expect(await markedRows(db)).toEqual([])
    const together = await kept(db)
    expect({ seed, round, together }).toEqual({ seed, round, together: singly })
    expect(together.length).toBeGreaterThan(10)

    // what is found no longer, what is new, and what is checked again beside what is kept already
    for (const patient_id of patients) {
      if (random(2) === 0) await make.allergy({ patient_id, ...pick(random, ALLERGIES) })
      if (random(3) === 0)
        await db
          .updateTable('patient_allergies')
          .set({ status: 'refuted' })
          .where('patient_id', '=', patient_id)
          .execute()
      if (random(3) === 0)
        await db
          .updateTable('prescription_items')
          .set({ dosage_instructions: 'Twice a day' })
          .where('patient_id', '=', patient_id)
          .execute()
    }
  }
})

test('a turn needs as many statements for thirty patients as for one', async ({ make, as }) => {
  const drug = await make.drug({ generic_name: 'Amoxicillin', ingredients: ['amoxicillin'] })
  const rows: MedicineRow[] = []
  for (let n = 0; n < 31; n += 1) {
    const { patient_id, clinic_id } = await make.visit()
    await make.allergy({ patient_id, ...ALLERGIES[0] })
    const prescription = await make.prescription({ patient_id, pickup_clinic_id: clinic_id })
    await make.prescriptionItem(prescription, { drug_id: drug.id })
    rows.push({ table: 'prescriptions', id: prescription.id })
  }
  const statementsOf = async (some: readonly MedicineRow[]) => {
    const { ctx, compiled } = recording(as('admin'))
    await checkRows(ctx.db, some)
    return compiled.length
  }
  const ofOne = await statementsOf(rows.slice(0, 1))
  expect(ofOne).toBeGreaterThan(5)
  expect(await statementsOf(rows.slice(1))).toBe(ofOne)
})

test('what is current is checked first, of that the newest, and old prescriptions last', async ({
  db,
  make,
}) => {
  const drug = await make.drug({ generic_name: 'Zzyxol', ingredients: [] })
  const at = [200, 3, 400, 100, 1]
  const ids = new Map<string, number>()
  for (const days of at) {
    const prescription = await make.prescription({ prescribed_at: ago(days) })
    await make.prescriptionItem(prescription, { drug_id: drug.id })
    ids.set(prescription.id, days)
  }
  const order = await db
    .selectFrom('unchecked_medicines')
    .select('row_id')
    .orderBy('is_current', 'desc')
    .orderBy('happened_at', 'desc')
    .execute()
  expect(order.map(({ row_id }) => ids.get(row_id))).toEqual([1, 3, 100, 200, 400])
  // a new allergy makes it the newest there is to check
  await checkArrived(db)
  const [first] = [...ids].find(([, days]) => days === 100)!
  const { patient_id } = await db
    .selectFrom('prescriptions')
    .select('patient_id')
    .where('id', '=', first)
    .executeTakeFirstOrThrow()
  await make.allergy({ patient_id, ...ALLERGIES[0] })
  const again = await db
    .selectFrom('unchecked_medicines')
    .select(['row_id', 'is_current'])
    .execute()
  expect(again).toEqual([{ row_id: first, is_current: true }])
})

test('a prescription keeps the warnings of what was dispensed of it, and loses them with their cause', async ({
  db,
  make,
}) => {
  const { patient_id, clinic_id } = await make.visit()
  const { id: allergy } = await make.allergy({ patient_id, ...ALLERGIES[0] })
  const drug = await make.drug({ generic_name: 'Amoxicillin', ingredients: ['amoxicillin'] })
  const prescription = await make.prescription({
    patient_id,
    pickup_clinic_id: clinic_id,
    prescribed_at: ago(10),
  })
  // half of it is still to come, so that the prescription is checked again
  const item = await make.prescriptionItem(prescription, {
    drug_id: drug.id,
    quantity_prescribed: 20,
  })
  await db
    .insertInto('dispensing_records')
    .values({
      id: uuidv7(),
      clinic_id,
      drug_id: drug.id,
      patient_id,
      prescription_item_id: item.id,
      quantity_dispensed: 10,
      dispensed_at: ago(1),
    })
    .execute()
  await checkArrived(db)
  const unseen = () =>
    db
      .selectFrom('safety_overrides')
      .select(['prescription_id', 'dispensing_record_id'])
      .where('is_deleted', '=', false)
      .execute()
  expect(await unseen()).toEqual([{ prescription_id: prescription.id, dispensing_record_id: null }])
  await db
    .updateTable('patient_allergies')
    .set({ status: 'refuted' })
    .where('id', '=', allergy)
    .execute()
  await checkArrived(db)
  expect(await unseen()).toEqual([])
})

test('the dashboard says how far a long check is, what waits too long, and nothing once it is done', async ({
  db,
  make,
  as,
}) => {
  const checks = async () => (await summaryCare(as('super_admin'), null)).checks
  const drug = await make.drug({ generic_name: 'Zzyxol', ingredients: [] })
  const prescription = await make.prescription()
  await make.prescriptionItem(prescription, { drug_id: drug.id })
  expect(await checks()).toBeNull()
  await db
    .updateTable('unchecked_medicines')
    .set({ marked_at: new Date(Date.now() - 11 * 60_000) })
    .execute()
  expect(await checks()).toEqual({ checked: 0, waiting: 1, isStuck: true })
  const { patient_id } = prescription
  await sql`insert into unchecked_medicines (table_name, row_id, patient_id)
    select 'prescriptions', gen_random_uuid(), ${patient_id}::uuid from generate_series(1, 700)`.execute(
    db,
  )
  await countChecked(db, 300)
  await countChecked(db, 300)
  expect(await checks()).toEqual({ checked: 600, waiting: 701, isStuck: false })
  // the server ended meanwhile, and no turn followed
  await db
    .updateTable('medicine_checks')
    .set({ progressed_at: new Date(Date.now() - 11 * 60_000) })
    .execute()
  expect(await checks()).toEqual({ checked: 600, waiting: 701, isStuck: true })
  await countChecked(db, 0)
  expect(await checks()).toMatchObject({ isStuck: false })
  const nurse = as('registrar', { [prescription.pickup_clinic_id!]: ['can_register_patients'] })
  expect((await summaryCare(nurse, null)).checks).toBeNull()
  expect(await checkArrived(db)).toBe(701)
  expect(await checks()).toBeNull()
  expect(await db.selectFrom('medicine_checks').selectAll().execute()).toEqual([])
})

test('a row that another process checks is not counted', async () => {
  const db = await cloneTemplate(`checks_${process.pid}_${process.env['VITEST_POOL_ID']}`)
  try {
    const { patient_id } = await makeFactories(db).visit()
    await sql`insert into unchecked_medicines (table_name, row_id, patient_id)
      select 'prescriptions', gen_random_uuid(), ${patient_id}::uuid from generate_series(1, 3)`.execute(
      db,
    )
    const rows = await markedRows(db)
    const other = await db.startTransaction().execute()
    await other
      .selectFrom('unchecked_medicines')
      .select('row_id')
      .where('row_id', '=', rows[0]!.id)
      .forUpdate()
      .execute()
    expect(await checkRows(db, rows)).toBe(2)
    const rest = checkArrived(db)
    await other.rollback().execute()
    expect(await rest).toBe(1)
  } finally {
    await db.destroy()
  }
})

test('a check that is stopped keeps what it has checked, and the next one goes on', async ({
  db,
  make,
}) => {
  const { patient_id } = await make.visit()
  await sql`insert into unchecked_medicines (table_name, row_id, patient_id)
    select 'prescriptions', gen_random_uuid(), ${patient_id}::uuid from generate_series(1, 900)`.execute(
    db,
  )
  const stop = new AbortController()
  // a signal that is aborted while the first turn runs
  const first = checkArrived(db, stop.signal)
  stop.abort()
  const done = await first
  const left = (await markedRows(db)).length
  expect(done + left).toBe(900)
  expect(left).toBeGreaterThan(0)
  expect(await checkArrived(db)).toBe(left)
})
