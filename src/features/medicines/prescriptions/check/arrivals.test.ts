import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { makeFactories } from '../../../../../test/factories'
import { test } from '../../../../../test/harness'
import { saveAllergy } from '~/features/care/allergies/allergies.server'
import { listDispensingQueue } from '~/features/medicines/dispensing/queue.server'
import { recordPregnancy } from '~/features/care/pregnancies/pregnancies.server'
import {
  listOverrides,
  reviewOverride,
  unseenWarnings,
} from '~/features/medicines/safety/overrides.server'
import { checkArrived } from './arrivals.server'
import { getPrescription, savePrescription } from '../prescriptions.server'
import { checkDrugs } from './safety-check.server'

type Make = ReturnType<typeof makeFactories>
const medicine = (name: string, more: object = {}) => ({ id: uuidv7(), name, ...more })
const formData = (...medicines: object[]) =>
  JSON.stringify([
    {
      fieldId: 'm',
      name: 'medicine',
      fieldType: 'medicine',
      inputType: 'input-group',
      value: medicines,
    },
  ])

/**
 * A patient with an allergy to penicillins, and a prescription of amoxicillin that came past every
 * screen.
 */
async function arrived(make: Make) {
  const { patient_id, clinic_id } = await make.visit()
  await make.allergy({
    patient_id,
    substance: 'Penicillins',
    substance_kind: 'drug_class',
    substance_code: 'penicillins',
  })
  const drug = await make.drug({ generic_name: 'Amoxicillin', ingredients: ['amoxicillin'] })
  const prescription = await make.prescription({ patient_id, pickup_clinic_id: clinic_id })
  const item = await make.prescriptionItem(prescription, { drug_id: drug.id })
  return { patient_id, clinic_id, drug, prescription, item }
}

describe('a prescription that came past the screens', () => {
  test('is marked until it is checked; then its warnings wait to be seen, and stand in the list to review', async ({
    make,
    as,
    asUser,
    db,
  }) => {
    const { prescription, clinic_id } = await arrived(make)
    const admin = asUser(await make.user({ role: 'admin' }))
    const read = () => getPrescription(admin, { id: prescription.id })
    expect(await read()).toMatchObject({ isUnchecked: true, unseen: [] })
    expect(await checkArrived(db)).toBe(1)
    expect(await read()).toMatchObject({
      isUnchecked: false,
      unseen: [{ kind: 'allergy', match: 'class', substance: 'Penicillins' }],
      // no reason was given: the user who changes or dispenses it is asked
      overrides: [],
    })
    const { rows } = await listOverrides(as('provider', { [clinic_id]: ['is_clinic_admin'] }), {})
    expect(rows).toMatchObject([
      { stage: 'arrived', reason: null, prescription_id: prescription.id },
    ])
    // a second check says nothing twice
    await db
      .updateTable('prescriptions')
      .set({ metadata: '{"a":1}' })
      .where('id', '=', prescription.id)
      .execute()
    expect(await checkArrived(db)).toBe(1)
    expect((await listOverrides(admin, {})).rows).toHaveLength(1)
    await reviewOverride(admin, { id: rows[0]!.id })
    expect((await read()).unseen).toEqual([])
  })

  test('is checked although another row of its batch cannot be', async ({ owner: db }) => {
    const make = makeFactories(db)
    const broken = (await arrived(make)).prescription
    const { prescription } = await arrived(make)
    await sql`create function refuse_warning() returns trigger language plpgsql as $$
      begin raise exception 'refused' using errcode = 'check_violation'; end $$`.execute(db)
    await sql`create trigger refuse_warning before insert on safety_overrides for each row
      when (new.prescription_id = ${sql.lit(broken.id)}) execute function refuse_warning()`.execute(
      db,
    )
    expect(await checkArrived(db)).toBe(1)
    const waiting = await db.selectFrom('unchecked_medicines').select('row_id').execute()
    expect(waiting).toEqual([{ row_id: broken.id }])
    const kept = await db.selectFrom('safety_overrides').select('prescription_id').execute()
    expect(kept).toEqual([{ prescription_id: prescription.id }])
  })

  test('counts as seen once a user saves it with a reason', async ({ make, asUser, db }) => {
    const { patient_id, clinic_id, drug, prescription, item } = await arrived(make)
    await checkArrived(db)
    const me = asUser(await make.user({ role: 'admin' }))
    const { last_modified, unseen } = await getPrescription(me, { id: prescription.id })
    const changed = {
      id: prescription.id,
      last_modified,
      patient_id,
      provider_id: me.actor.userId,
      pickup_clinic_id: clinic_id,
      visit_id: null,
      notes: '',
      items: [{ id: item.id, drug_id: drug.id, dosage_instructions: 'Three times a day' }],
    }
    expect(await savePrescription(me, changed)).toMatchObject({ ok: false })
    const overrides = [{ key: unseen[0]!.key, reason: 'Tolerated since' }]
    expect(await savePrescription(me, { ...changed, overrides })).toMatchObject({ ok: true })
    expect(await getPrescription(me, { id: prescription.id })).toMatchObject({
      unseen: [],
      isUnchecked: false,
      overrides: [{ reason: 'Tolerated since' }],
    })
  })

  test('loses a warning that no longer applies and that no user has seen', async ({
    make,
    as,
    db,
  }) => {
    const { prescription, item } = await arrived(make)
    await checkArrived(db)
    await db
      .updateTable('prescription_items')
      .set({ item_status: 'cancelled' })
      .where('id', '=', item.id)
      .execute()
    await db
      .updateTable('prescriptions')
      .set({ items: '["Foo"]' })
      .where('id', '=', prescription.id)
      .execute()
    await checkArrived(db)
    expect((await listOverrides(as('admin'), {})).rows).toEqual([])
  })

  test('is checked by the names of its free text, and by those of a form, too', async ({
    make,
    as,
    db,
  }) => {
    const { patient_id, clinic_id } = await arrived(make)
    await make.prescription({
      patient_id,
      pickup_clinic_id: clinic_id,
      items: JSON.stringify([{ name: 'Amoxicillin 500mg caps' }]),
    })
    await make.event({ patient_id, form_data: formData(medicine('أموكسيسيلين')) })
    await checkArrived(db)
    const { rows } = await listOverrides(as('admin'), {})
    expect(
      rows
        .filter(({ kind }) => kind === 'allergy')
        .map(({ warning }) => warning.drug)
        .toSorted(),
    ).toEqual(['Amoxicillin', 'Amoxicillin 500mg caps', 'أموكسيسيلين'].toSorted())
  })
})

describe('what a patient takes', () => {
  const DAY = 86_400_000
  const ago = (days: number) => new Date(Date.now() - days * DAY)

  test('is read from forms for as long as they say, and from the list of medicines from elsewhere', async ({
    make,
    as,
    db,
  }) => {
    const { id: patient_id } = await make.patient({ sex: 'male', date_of_birth: '1980-01-05' })
    const clarithromycin = await make.drug({
      generic_name: 'Clarithromycin',
      ingredients: ['clarithromycin'],
    })
    const simvastatin = await make.drug({
      generic_name: 'Simvastatin',
      brand_name: 'Zocor X',
      ingredients: ['simvastatin'],
    })
    const kinds = async (drugId: string) =>
      (await checkDrugs(as('admin'), { patientId: patient_id, drugIds: [drugId] })).warnings.map(
        ({ kind }) => kind,
      )
    const event = await make.event({
      patient_id,
      created_at: ago(40),
      form_data: formData(medicine('zocor x', { duration: '6', durationUnits: 'weeks' })),
    })
    expect(await kinds(clarithromycin.id)).toEqual(['interaction'])
    // a form that names what is prescribed asks for no reason
    expect(
      (await checkDrugs(as('admin'), { patientId: patient_id, drugIds: [simvastatin.id] }))
        .warnings,
    ).toMatchObject([{ kind: 'duplicate', rule: 'recorded', level: 'caution' }])
    await db
      .updateTable('events')
      .set({ form_data: formData(medicine('zocor x')) })
      .where('id', '=', event.id)
      .execute()
    // without a duration for as long as the list of current medicines says
    expect(await kinds(clarithromycin.id)).toEqual(['interaction'])
    await db.updateTable('events').set({ is_deleted: true }).where('id', '=', event.id).execute()
    await make.event({
      patient_id,
      created_at: ago(91),
      form_data: formData(medicine('zocor x')),
    })
    expect(await kinds(clarithromycin.id)).toEqual([])

    const also = { patient_id, name: 'Simvastatina', source: 'pharmacy' }
    const { id } = await db
      .insertInto('patient_medicines')
      .values({ id: uuidv7(), ...also })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await kinds(clarithromycin.id)).toEqual(['interaction'])
    expect(await kinds(simvastatin.id)).toEqual(['duplicate'])
    await db
      .updateTable('patient_medicines')
      .set({ until: ago(2).toISOString().slice(0, 10) })
      .where('id', '=', id)
      .execute()
    expect(await kinds(clarithromycin.id)).toEqual([])
  })

  test('still counts in pairs for as long as it acts after the last dose', async ({
    make,
    as,
    db,
  }) => {
    const { id: patient_id } = await make.patient({ sex: 'male', date_of_birth: '1980-01-05' })
    const selegiline = await make.drug({ generic_name: 'Selegiline', ingredients: ['selegiline'] })
    const fluoxetine = await make.drug({
      generic_name: 'Fluoxetine',
      ingredients: ['fluoxetine'],
      form: 'capsule',
    })
    const kinds = async (drugId: string) =>
      (await checkDrugs(as('admin'), { patientId: patient_id, drugIds: [drugId] })).warnings.map(
        ({ kind }) => kind,
      )
    const record = await db
      .insertInto('dispensing_records')
      .values({
        id: uuidv7(),
        clinic_id: (await make.clinic()).id,
        drug_id: fluoxetine.id,
        patient_id,
        quantity_dispensed: 10,
        days_supply: 10,
        dispensed_at: ago(44),
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await kinds(selegiline.id)).toEqual(['interaction'])
    // it is not taken any more: no duplicate
    expect(await kinds(fluoxetine.id)).toEqual([])
    await db
      .updateTable('dispensing_records')
      .set({ dispensed_at: ago(46) })
      .where('id', '=', record.id)
      .execute()
    expect(await kinds(selegiline.id)).toEqual([])
  })

  test('of ninety tablets without days of supply, lasts ninety days; a later refill renews an open item', async ({
    make,
    as,
    db,
  }) => {
    const { id: patient_id } = await make.patient({ sex: 'male', date_of_birth: '1980-01-05' })
    const clinic_id = (await make.clinic()).id
    const drug = await make.drug({
      generic_name: 'Simvastatin',
      ingredients: ['simvastatin'],
      form: 'tablet',
    })
    const macrolide = await make.drug({
      generic_name: 'Clarithromycin',
      ingredients: ['clarithromycin'],
    })
    const kinds = async () =>
      (
        await checkDrugs(as('admin'), { patientId: patient_id, drugIds: [macrolide.id] })
      ).warnings.map(({ kind }) => kind)
    const record = { clinic_id, drug_id: drug.id, patient_id, quantity_dispensed: 90 }
    const { id } = await db
      .insertInto('dispensing_records')
      .values({ ...record, id: uuidv7(), dispensed_at: ago(80) })
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await kinds()).toEqual(['interaction'])
    await db
      .updateTable('dispensing_records')
      .set({ dispensed_at: ago(91) })
      .where('id', '=', id)
      .execute()
    expect(await kinds()).toEqual([])

    // with a dose as numbers, quantity divided by daily dose: 90 tablets, two a day
    const text = '1 tablet, 2 times a day'
    const dose = { amount: 1, unit: 'tablet', often: { kind: 'times', n: 2 }, text }
    await db
      .updateTable('dispensing_records')
      .set({ dispensed_at: ago(44), dose: JSON.stringify(dose), dosage_instructions: text })
      .where('id', '=', id)
      .execute()
    expect(await kinds()).toEqual(['interaction'])
    await db
      .updateTable('dispensing_records')
      .set({ dispensed_at: ago(46) })
      .where('id', '=', id)
      .execute()
    expect(await kinds()).toEqual([])

    const old = await make.prescription({
      patient_id,
      pickup_clinic_id: clinic_id,
      prescribed_at: ago(300),
    })
    const item = await make.prescriptionItem(old, {
      drug_id: drug.id,
      quantity_prescribed: 30,
      refills_authorized: 11,
    })
    expect(await kinds()).toEqual([])
    await db
      .insertInto('dispensing_records')
      .values({
        ...record,
        id: uuidv7(),
        prescription_item_id: item.id,
        quantity_dispensed: 30,
        dispensed_at: ago(60),
      })
      .execute()
    expect(await kinds()).toEqual(['interaction'])
  })
})

describe('what the patient already takes', () => {
  /** A patient with an open prescription of amoxicillin and one of propranolol, checked without a warning. */
  async function taking(make: Make, db: Parameters<typeof checkArrived>[0]) {
    const { patient_id, clinic_id } = await make.visit({
      patient_id: (await make.patient({ sex: 'female', date_of_birth: '1995-01-01' })).id,
    })
    const of = { patient_id, pickup_clinic_id: clinic_id, prescribed_at: new Date() }
    const [first, second, over] = [
      await make.prescription(of),
      await make.prescription(of),
      await make.prescription({ ...of, status: 'cancelled' }),
    ]
    const amoxicillin = await make.drug({
      generic_name: 'Amoxicillin',
      ingredients: ['amoxicillin'],
    })
    const propranolol = await make.drug({
      generic_name: 'Propranolol',
      ingredients: ['propranolol'],
    })
    await make.prescriptionItem(first, { drug_id: amoxicillin.id })
    await make.prescriptionItem(second, { drug_id: propranolol.id })
    await make.prescriptionItem(over, { drug_id: amoxicillin.id })
    await checkArrived(db)
    return { patient_id, clinic_id, amoxicillin: first, propranolol: second, over }
  }

  test('is compared with a new allergy: shown on the record, in the prescription and to the pharmacist', async ({
    make,
    asUser,
    db,
  }) => {
    const { patient_id, clinic_id, amoxicillin, propranolol, over } = await taking(make, db)
    const me = asUser(await make.user(), {
      [clinic_id]: ['can_view_history', 'can_edit_records', 'can_prescribe_medications'],
    })
    const pharmacist = asUser(await make.user(), { [clinic_id]: ['can_dispense_medications'] })
    const waiting = async () =>
      (await listDispensingQueue(pharmacist, {})).rows.map(({ id, has_unseen }) => [id, has_unseen])
    expect(await unseenWarnings(me, { patientId: patient_id })).toEqual([])
    expect(await waiting()).toContainEqual([amoxicillin.id, false])
    const allergy = {
      id: uuidv7(),
      patient_id,
      substance: 'Penicillins',
      substance_kind: 'drug_class',
      substance_code: 'penicillins',
      status: 'active',
      reaction: null,
      severity: null,
      notes: null,
    } as const
    const saved = await saveAllergy(me, allergy)
    expect(await getPrescription(me, { id: amoxicillin.id })).toMatchObject({ isUnchecked: true })
    await checkArrived(db)
    expect(await unseenWarnings(me, { patientId: patient_id })).toMatchObject([
      { prescription_id: amoxicillin.id, warning: { kind: 'allergy', match: 'class' } },
    ])
    expect((await getPrescription(me, { id: amoxicillin.id })).unseen).toHaveLength(1)
    expect((await getPrescription(me, { id: over.id })).unseen).toEqual([])
    expect(await waiting()).toContainEqual([amoxicillin.id, true])
    expect(await waiting()).toContainEqual([propranolol.id, false])
    // an allergy that was a mistake takes the warning away that no user has seen
    await saveAllergy(me, { ...allergy, last_modified: saved.last_modified, status: 'refuted' })
    await checkArrived(db)
    expect(await unseenWarnings(me, { patientId: patient_id })).toEqual([])
    await expect(unseenWarnings(pharmacist, { patientId: patient_id })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('is compared with a problem that a phone brings, and with a pregnancy', async ({
    make,
    asUser,
    db,
  }) => {
    const { patient_id, propranolol } = await taking(make, db)
    const admin = asUser(await make.user({ role: 'admin' }))
    await make.problem({
      patient_id,
      problem_code_system: 'icd10',
      problem_code: 'J45.9',
      problem_label: 'Asthma',
    })
    await checkArrived(db)
    expect(await unseenWarnings(admin, { patientId: patient_id })).toMatchObject([
      { prescription_id: propranolol.id },
    ])
    await recordPregnancy(admin, { id: uuidv7(), patientId: patient_id, state: 'not_pregnant' })
    const drug = await make.drug({ generic_name: 'Enalapril', ingredients: ['enalapril'] })
    const more = await make.prescription({ patient_id, prescribed_at: new Date() })
    await make.prescriptionItem(more, { drug_id: drug.id })
    await checkArrived(db)
    const warned = async () =>
      (await unseenWarnings(admin, { patientId: patient_id })).map((one) => one.prescription_id)
    expect(await warned()).not.toContain(more.id)
    await recordPregnancy(admin, { id: uuidv7(), patientId: patient_id, state: 'pregnant' })
    await checkArrived(db)
    expect(await warned()).toContain(more.id)
  })
})
