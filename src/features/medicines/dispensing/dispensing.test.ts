// One prescription with its stock serves every test of dispensing: longer than most files.
/**
 * Long because one prescription with its stock serves every test of dispensing, with its safety
 * check.
 */
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import type { Kysely } from 'kysely'
import { aRequest, brokenRule, cloneTemplate, test } from '../../../../test/harness'
import { makeFactories } from '../../../../test/factories'
import { getPrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { dueQuantity, remainingQuantity } from '~/features/medicines/prescriptions/prescription'
import { setPrescriptionStatus } from '~/features/medicines/prescriptions/status.server'
import { asksReason } from '~/features/medicines/safety/rules/warning'
import { searchPatients } from '~/features/people/patients/search/search.server'
import { dispense, proposeBatches, reverseDispensing } from './dispensing.server'
import { initialHandOut, withQuantity } from './hand-out'
import { recordPaper } from './paper.server'
import {
  getToDispense,
  type ItemToDispense,
  listDispensingQueue,
  listRecords,
} from './queue.server'

type Make = ReturnType<typeof makeFactories>

/** A prescription of 10 capsules with one refill, and 50 of them on the shelf. */
async function scene(make: Make) {
  const prescription = await make.prescription()
  await make.noAllergies(prescription.patient_id)
  const clinicId = prescription.pickup_clinic_id!
  const batch = await make.stock(clinicId, 50)
  const item = await make.prescriptionItem(prescription, {
    drug_id: batch.drug_id,
    refills_authorized: 1,
  })
  const take = (quantity: number, batchId = batch.id) => ({
    prescriptionId: prescription.id,
    items: [{ itemId: item.id, days_supply: 5, records: [{ id: uuidv7(), batchId, quantity }] }],
  })
  return { prescription, clinicId, batch, item, take }
}

const stockOf = async (db: Kysely<DB>, clinicId: string) =>
  await db
    .selectFrom('clinic_inventory')
    .select(({ fn }) => [
      fn.sum<number>('quantity_available').as('there'),
      fn.sum<number>('reserved_quantity').as('held'),
    ])
    .where('clinic_id', '=', clinicId)
    .executeTakeFirstOrThrow()

test('another quantity at the counter lasts for other days, unless the days were typed', () => {
  const often = { kind: 'times', n: 1 }
  const dose = { amount: 1, unit: 'tablet', often, days: 30, as_needed: false, max_per_day: null }
  const item = (form: string, quantity: number, more = {}) =>
    ({
      form,
      ingredients: ['ibuprofen'],
      dosage_quantity: 400,
      dosage_units: 'mg',
      per_quantity: null,
      per_unit: null,
      ingredient_strengths: null,
      quantity_prescribed: quantity,
      due: quantity,
      earliest: null,
      picking: { picks: [{ batch_id: 'b', quantity }] },
      dose: { ...dose, ...more },
    }) as unknown as ItemToDispense
  const tablets = item('tablet', 30)
  const all = initialHandOut(tablets)!
  expect(all.days).toBe(30)
  expect(withQuantity(tablets, all, 10)).toEqual({ quantity: 10, days: 10 })
  expect(withQuantity(tablets, { ...all, days: 14 }, 10)).toEqual({ quantity: 10, days: 14 })
  expect(withQuantity(tablets, { ...all, ...withQuantity(tablets, all, '') }, 20)).toEqual({
    quantity: 20,
    days: 20,
  })
  // what is not counted in pieces: the part of the days that were prescribed
  const bottles = item('syrup', 2, { amount: 5, unit: 'mL', days: 14 })
  expect(withQuantity(bottles, initialHandOut(bottles)!, 1)).toEqual({ quantity: 1, days: 7 })
})

describe('handing out', () => {
  test('in parts: stock, item and prescription follow, to the last refill', async ({
    make,
    asUser,
    db,
  }) => {
    const { prescription, clinicId, take } = await scene(make)
    const pharmacist = await make.user()
    const me = asUser(pharmacist, { [clinicId]: ['can_dispense_medications'] })
    const now = async () => {
      const { status, items, filled_by } = await getPrescription(me, { id: prescription.id })
      const { quantity_dispensed, refills_used, item_status } = items[0]!
      return { status, quantity_dispensed, refills_used, item_status, filled_by }
    }
    expect(await dispense(me, take(4))).toEqual({ ok: true })
    expect(await now()).toMatchObject({
      status: 'partially-picked-up',
      quantity_dispensed: 4,
      refills_used: 0,
      item_status: 'partially_dispensed',
    })
    await dispense(me, take(6))
    expect(await now()).toMatchObject({
      quantity_dispensed: 10,
      refills_used: 0,
      item_status: 'partially_dispensed',
    })
    await dispense(me, take(10))
    expect(await now()).toEqual({
      status: 'picked-up',
      quantity_dispensed: 20,
      refills_used: 1,
      item_status: 'completed',
      filled_by: pharmacist.name,
    })
    expect(await stockOf(db, clinicId)).toEqual({ there: 30, held: 0 })
    await expect(dispense(me, take(1))).rejects.toMatchObject({
      fields: { 'items.0': { key: 'dispensing.tooMuch', values: { left: 0 } } },
    })
  })

  test('reminds to monitor at the first supply, not at the rest or a refill', async ({
    make,
    asUser,
    db,
  }) => {
    const { prescription, batch, take } = await scene(make)
    await db
      .updateTable('drug_catalogue')
      .set({ ingredients: ['lithium carbonate'] })
      .where('id', '=', batch.drug_id)
      .execute()
    const me = asUser(await make.user({ role: 'admin' }))
    const reminders = async () => {
      const { warnings } = await getToDispense(me, { id: prescription.id })
      return warnings.flatMap((warning) => (warning.kind === 'monitoring' ? [warning.rule] : []))
    }
    expect(await reminders()).toEqual(['lithium'])
    const first = take(4)
    expect(await dispense(me, first)).toEqual({ ok: true })
    expect(await reminders()).toEqual([])
    await reverseDispensing(me, {
      id: uuidv7(),
      recordId: first.items[0]!.records[0]!.id,
      reason: 'Wrong patient',
    })
    expect(await reminders()).toEqual(['lithium'])
  })

  test('a repeated request hands out once', async ({ make, as, asUser, db }) => {
    const { clinicId, take } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    const request = take(4)
    await dispense(me, request)
    expect(await dispense(me, request)).toEqual({ ok: true })
    // the first answer was lost, and the user changed the quantity: what is in the books is not that
    const [part] = request.items
    const changed = { ...part!, records: [{ ...part!.records[0]!, quantity: 3 }] }
    await expect(dispense(me, { ...request, items: [changed] })).rejects.toMatchObject({
      text: { key: 'dispensing.alreadyRecorded' },
    })
    expect(await stockOf(db, clinicId)).toMatchObject({ there: 46 })
    expect((await listRecords(as('admin'), { clinicId })).rows).toMatchObject([
      { quantity_dispensed: 4, days_supply: 5 },
    ])
  })

  test('from several batches, each in a record of its own; never from an expired or quarantined one', async ({
    make,
    asUser,
  }) => {
    const { prescription, clinicId, item, batch, take } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    const soon = await make.stock(clinicId, 3, {
      drug_id: batch.drug_id,
      expiry_date: '2098-01-01',
    })
    const picking = await proposeBatches(me, { itemId: item.id, quantity: 5 })
    expect(picking.picks).toMatchObject([
      { batch_id: soon.id, quantity: 3, reason: 'inventory.pickedFirst' },
      { batch_id: batch.id, quantity: 2 },
    ])
    const records = picking.picks.map(({ batch_id, quantity }) => ({
      id: uuidv7(),
      batchId: batch_id,
      quantity,
    }))
    await dispense(me, { prescriptionId: prescription.id, items: [{ itemId: item.id, records }] })
    const { records: written } = await getToDispense(me, { id: prescription.id })
    expect(
      written.map(({ quantity_dispensed }) => quantity_dispensed).toSorted((a, b) => a - b),
    ).toEqual([2, 3])

    const old = await make.stock(clinicId, 9, { drug_id: batch.drug_id, expiry_date: '2020-01-01' })
    const bad = await make.stock(clinicId, 9, { drug_id: batch.drug_id, is_quarantined: true })
    const foreign = await make.stock(clinicId, 9)
    await expect(dispense(me, take(1, old.id))).rejects.toMatchObject({
      text: { key: 'batches.isExpired' },
    })
    await expect(dispense(me, take(1, bad.id))).rejects.toMatchObject({
      text: { key: 'batches.isQuarantined' },
    })
    await expect(dispense(me, take(1, foreign.id))).rejects.toMatchObject({ code: 'not_found' })
    const request = take(15)
    const items = request.items.map((part) => ({ ...part, reason: 'Two fills at once: travels' }))
    await expect(dispense(me, { ...request, items })).resolves.toEqual({ ok: true })
  })

  test('a batch that expires before the course ends is marked', async ({ make, as }) => {
    const { clinicId, item, batch } = await scene(make)
    const soon = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)
    await make.stock(clinicId, 10, { drug_id: batch.drug_id, expiry_date: soon })
    const marks = async (days_supply: number) =>
      (await proposeBatches(as('admin'), { itemId: item.id, quantity: 5, days_supply })).picks[0]!
        .expiresInCourse
    expect(await marks(30)).toBe(true)
    expect(await marks(3)).toBe(false)
  })

  test('what a prepared prescription holds is its own: others cannot take it, it can, and the rest stays held', async ({
    make,
    asUser,
    db,
  }) => {
    const { prescription, clinicId, batch, take } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    await setPrescriptionStatus(me, { id: prescription.id, status: 'prepared' })
    expect(await stockOf(db, clinicId)).toEqual({ there: 50, held: 10 })
    const rival = await make.prescription({ pickup_clinic_id: clinicId })
    await make.noAllergies(rival.patient_id)
    const wanted = await make.prescriptionItem(rival, {
      drug_id: batch.drug_id,
      quantity_prescribed: 50,
    })
    const grab = {
      prescriptionId: rival.id,
      items: [{ itemId: wanted.id, records: [{ id: uuidv7(), batchId: batch.id, quantity: 41 }] }],
    }
    await expect(dispense(me, grab)).rejects.toMatchObject({
      text: { key: 'inventory.heldForOthers' },
    })
    await dispense(me, take(4))
    expect(await stockOf(db, clinicId)).toEqual({ there: 46, held: 6 })
    await dispense(me, take(6))
    expect(await stockOf(db, clinicId)).toEqual({ there: 40, held: 0 })
  })

  test('is refused for what was cancelled or has expired, and without the right at the pickup clinic', async ({
    make,
    as,
    asUser,
    db,
  }) => {
    const { prescription, clinicId, take } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    const prescriber = as('provider', {
      [clinicId]: ['can_view_history', 'can_prescribe_medications'],
    })
    await expect(dispense(prescriber, take(1))).rejects.toMatchObject({ code: 'forbidden' })
    const stranger = as('provider', { [(await make.clinic()).id]: ['can_dispense_medications'] })
    await expect(dispense(stranger, take(1))).rejects.toMatchObject({ code: 'not_found' })
    await expect(getToDispense(stranger, { id: prescription.id })).rejects.toMatchObject({
      code: 'not_found',
    })
    const set = (values: object) =>
      db.updateTable('prescriptions').set(values).where('id', '=', prescription.id).execute()
    await set({ expiration_date: '2020-01-01T00:00:00Z' })
    await expect(dispense(me, take(1))).rejects.toMatchObject({
      text: { key: 'dispensing.isExpired' },
    })
    await set({ expiration_date: null, status: 'cancelled' })
    await expect(dispense(me, take(1))).rejects.toMatchObject({
      text: { key: 'dispensing.isCancelled' },
    })
  })

  test('every problem with the input is reported beside its field', async ({ make, as }) => {
    const { prescription, item } = await scene(make)
    const one = (record: object, more: object = {}) =>
      dispense(as('admin'), {
        prescriptionId: prescription.id,
        items: [
          {
            itemId: item.id,
            records: [{ id: uuidv7(), batchId: uuidv7(), quantity: 1, ...record }],
            ...more,
          },
        ],
      })
    await expect(one({ batchId: '', quantity: 0 }, { days_supply: 0 })).rejects.toMatchObject({
      fields: {
        'items.0.records.0.batchId': { key: 'dispensing.batchRequired' },
        'items.0.records.0.quantity': { key: 'dispensing.quantityPositive' },
        'items.0.days_supply': { key: 'validation.tooSmall' },
      },
    })
    await expect(
      dispense(as('admin'), { prescriptionId: prescription.id, items: [] }),
    ).rejects.toMatchObject({
      fields: { items: { key: 'dispensing.nothingChosen' } },
    })
  })
})

describe('safety at the counter', () => {
  test('an allergy that was recorded since asks again; what the prescriber answered does not', async ({
    make,
    asUser,
  }) => {
    const { prescription, take } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    await make.allergy({
      patient_id: prescription.patient_id,
      substance: 'Ampicillin',
      substance_code: 'ampicillin',
    })
    const request = take(2)
    const answer = await dispense(me, request)
    expect(answer).toMatchObject({ ok: false, warnings: [{ kind: 'allergy', match: 'class' }] })
    if (answer.ok) return
    const overrides = [{ key: answer.warnings[0]!.key, reason: 'Skin test was negative' }]
    expect(await dispense(me, { ...request, overrides })).toEqual({ ok: true })
    expect((await getToDispense(me, { id: prescription.id })).overrides).toMatchObject([
      { stage: 'dispensing', reason: 'Skin test was negative' },
    ])
    expect(await dispense(me, take(2))).toEqual({ ok: true })
  })

  test('a prescriber’s reason does not replace the pharmacist’s own for allergies and contraindications', async ({
    make,
    asUser,
    db,
  }) => {
    const { prescription, item, clinicId, take } = await scene(make)
    const { patient_id } = prescription
    const [prescriber, pharmacist, other] = [
      await make.user(),
      await make.user(),
      await make.user(),
    ]
    const dispenser = (user: typeof pharmacist) =>
      asUser(user, { [clinicId]: ['can_dispense_medications'] })
    const me = dispenser(pharmacist)
    await make.allergy({ patient_id, substance: 'Ampicillin', substance_code: 'ampicillin' })
    const { warnings } = await getToDispense(me, { id: prescription.id })
    const override = (of: { key: string }, stage: string) => ({
      id: uuidv7(),
      patient_id,
      clinic_id: clinicId,
      prescription_id: prescription.id,
      drug_id: item.drug_id,
      stage,
      kind: 'allergy',
      warning: JSON.stringify(of),
      reason: 'Tolerated it twice since',
      overridden_by: prescriber.id,
    })
    await db.insertInto('safety_overrides').values(override(warnings[0]!, 'prescribing')).execute()
    expect(await dispense(me, take(2))).toMatchObject({
      ok: false,
      warnings: [{ kind: 'allergy' }],
    })
    const overrides = [
      { key: warnings[0]!.key, code: 'monitored' as const, reason: 'Stays here for an hour' },
    ]
    expect(await dispense(me, { ...take(2), overrides })).toEqual({ ok: true })
    expect(await dispense(me, take(2))).toEqual({ ok: true })
    // the pharmacist checks independently of the prescriber
    expect(await dispense(dispenser(other), take(2))).toMatchObject({ ok: false })
    // an allergy that turned out graver is a new warning
    await db
      .updateTable('patient_allergies')
      .set({ severity: 'severe' })
      .where('patient_id', '=', patient_id)
      .execute()
    expect(await dispense(me, take(2))).toMatchObject({ ok: false })
  })

  test('a reason given when prescribing stands for the other warnings', async ({
    make,
    asUser,
    db,
  }) => {
    const { prescription, item, clinicId, take } = await scene(make)
    const warfarin = await make.drug({
      generic_name: 'Warfarin',
      ingredients: ['warfarin'],
      route: 'oral',
    })
    const ibuprofen = await make.drug({
      generic_name: 'Ibuprofen',
      ingredients: ['ibuprofen'],
      route: 'oral',
    })
    const { patient_id } = prescription
    await db
      .updateTable('prescription_items')
      .set({ drug_id: ibuprofen.id })
      .where('id', '=', item.id)
      .execute()
    const batch = await make.stock(clinicId, 50, { drug_id: ibuprofen.id })
    await make.prescriptionItem(await make.prescription({ patient_id }), { drug_id: warfarin.id })
    const me = asUser(await make.user(), { [clinicId]: ['can_dispense_medications'] })
    const { warnings } = await getToDispense(me, { id: prescription.id })
    expect(warnings.filter(asksReason)).toMatchObject([
      { kind: 'interaction', rule: 'warfarin-nsaid', level: 'avoid' },
    ])
    expect(await dispense(me, take(2, batch.id))).toMatchObject({ ok: false })
    await db
      .insertInto('safety_overrides')
      .values({
        id: uuidv7(),
        patient_id,
        clinic_id: clinicId,
        prescription_id: prescription.id,
        drug_id: ibuprofen.id,
        stage: 'prescribing',
        kind: 'interaction',
        warning: JSON.stringify(warnings[0]),
        reason: 'INR on Thursday',
      })
      .execute()
    expect(await dispense(me, take(2, batch.id))).toEqual({ ok: true })
  })

  test('an allergy that the check does not know is said to be unchecked beside the warnings', async ({
    make,
    asUser,
  }) => {
    const { prescription, take } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    expect((await getToDispense(me, { id: prescription.id })).allergyState).toMatchObject({
      state: 'none_known',
    })
    const own = {
      patient_id: prescription.patient_id,
      substance_kind: 'other',
      substance_code: null,
    }
    await make.allergy({ ...own, substance: 'Peanuts' })
    const mark = { kind: 'unchecked', allergy: 'Peanuts' }
    expect(await getToDispense(me, { id: prescription.id })).toMatchObject({
      warnings: [mark],
      allergyState: { state: 'recorded', count: 1, compared: 0 },
    })
    await make.allergy({ ...own, substance: 'بنسلين' })
    expect(await dispense(me, take(2))).toMatchObject({
      ok: false,
      warnings: [{ kind: 'allergy' }, mark],
    })
  })

  test('a warning about another medicine of the prescription does not hold up this one', async ({
    make,
    asUser,
  }) => {
    const { prescription, take } = await scene(make)
    const unknown = await make.drug({ ingredients: [] })
    await make.prescriptionItem(prescription, { drug_id: unknown.id })
    expect(await dispense(asUser(await make.user({ role: 'admin' })), take(2))).toEqual({
      ok: true,
    })
  })
})

test('users who only dispense find and enter from paper the patients whose prescriptions their clinic has', async ({
  make,
  as,
  asUser,
}) => {
  const { prescription, clinicId, batch } = await scene(make)
  const surname = 'Zaytouni'
  const person = { surname, primary_clinic_id: clinicId }
  const patient = await make.patient(person)
  const known = await make.prescription({ patient_id: patient.id, pickup_clinic_id: clinicId })
  // registered there, and prescribed by another clinic
  const stranger = await make.patient(person)
  const elsewhere = (await make.clinic()).id
  await make.prescription({ patient_id: stranger.id, pickup_clinic_id: elsewhere })
  const pharmacist = asUser(await make.user(), {
    [clinicId]: ['can_dispense_medications', 'can_manage_stock'],
  })
  const found = async (ctx = pharmacist, dispensing?: boolean) =>
    (await searchPatients(ctx, { searchQuery: surname, dispensing })).patients.map(({ id }) => id)
  expect([await found(), await found(pharmacist, true)]).toEqual([[], [patient.id]])
  expect((await found(as('admin'), true)).toSorted()).toEqual([patient.id, stranger.id].toSorted())
  expect(known.patient_id).not.toBe(prescription.patient_id)

  const line = (patientId: string) => ({
    id: uuidv7(),
    clinicId,
    patientId,
    drugId: batch.drug_id,
    quantity: 5,
  })
  expect(await recordPaper(pharmacist, line(patient.id))).toMatchObject({ shortfall: 0 })
  await expect(recordPaper(pharmacist, line(stranger.id))).rejects.toMatchObject({
    code: 'not_found',
  })
  const registrar = asUser(await make.user({ role: 'registrar' }), {})
  await expect(searchPatients(registrar, { searchQuery: surname })).rejects.toMatchObject({
    code: 'forbidden',
  })
})

describe('taking back', () => {
  test('by a counter-entry: stock, item and prescription go back, the record stays', async ({
    make,
    asUser,
    db,
  }) => {
    const { prescription, clinicId, take } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    const request = take(10)
    await dispense(me, request)
    const back = { id: uuidv7(), recordId: request.items[0]!.records[0]!.id, reason: 'Wrong box' }
    expect(await reverseDispensing(me, back)).toEqual({ id: back.id })
    expect(await reverseDispensing(me, back)).toEqual({ id: back.id })
    expect(await stockOf(db, clinicId)).toMatchObject({ there: 50 })
    const { status, items, records } = await getToDispense(me, { id: prescription.id })
    expect({
      status,
      dispensed: items[0]!.quantity_dispensed,
      item: items[0]!.item_status,
    }).toEqual({
      status: 'pending',
      dispensed: 0,
      item: 'active',
    })
    expect(
      records.map(({ quantity_dispensed }) => quantity_dispensed).toSorted((a, b) => a - b),
    ).toEqual([-10, 10])
    await expect(reverseDispensing(me, { ...back, id: uuidv7() })).rejects.toMatchObject({
      text: { key: 'dispensing.alreadyReversed' },
    })
    await expect(reverseDispensing(me, { ...back, reason: '' })).rejects.toMatchObject({
      fields: { reason: { key: 'dispensing.reasonRequired' } },
    })
    const stranger = asUser(await make.user(), {
      [(await make.clinic()).id]: ['can_dispense_medications'],
    })
    await expect(reverseDispensing(stranger, back)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('the database keeps counter-entries negative and single', async ({ make, db }) => {
    const { clinicId, batch, item, prescription } = await scene(make)
    const record = {
      clinic_id: clinicId,
      drug_id: batch.drug_id,
      patient_id: prescription.patient_id,
      prescription_item_id: item.id,
    }
    const insert = (values: { quantity_dispensed: number; reverses_id?: string; id?: string }) =>
      db.insertInto('dispensing_records').values({ id: uuidv7(), ...record, ...values })
    expect(await brokenRule(db, insert({ quantity_dispensed: -1 }))).toBe(
      'dispensing_records_quantity_dispensed_check',
    )
    const id = uuidv7()
    await insert({ id, quantity_dispensed: 3 }).execute()
    await insert({ quantity_dispensed: -3, reverses_id: id }).execute()
    expect(await brokenRule(db, insert({ quantity_dispensed: -3, reverses_id: id }))).toBe(
      'dispensing_records_reverses_id_key',
    )
  })
})

describe('the work list', () => {
  test('shows what waits at one’s counters, the most urgent first', async ({ make, as }) => {
    const { prescription, clinicId } = await scene(make)
    const urgent = await make.prescription({ pickup_clinic_id: clinicId, priority: 'emergency' })
    await make.prescription({ pickup_clinic_id: clinicId, status: 'picked-up' })
    await make.prescription()
    const me = as('provider', { [clinicId]: ['can_dispense_medications'] })
    const { rows, pagination } = await listDispensingQueue(me, {})
    expect(rows.map(({ id }) => id)).toEqual([urgent.id, prescription.id])
    expect(pagination.total).toBe(2)
    expect((await listDispensingQueue(me, { status: 'picked-up' })).rows).toHaveLength(1)
  })
})

test('twenty counters that hand out the last units at once give out each unit once', async () => {
  const db = await cloneTemplate(`dispensing_${process.pid}_${process.env['VITEST_POOL_ID']}`)
  try {
    const make = makeFactories(db)
    const clinic = await make.clinic()
    const user = await make.user({ role: 'admin' })
    const batch = await make.stock(clinic.id, 25)
    const me = {
      db,
      request: aRequest(),
      actor: {
        userId: user.id,
        name: user.name,
        role: 'admin',
        language: 'en',
        clinicId: null,
        grants: {},
      },
    } as const
    const requests = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const prescription = await make.prescription({ pickup_clinic_id: clinic.id })
        await make.noAllergies(prescription.patient_id)
        const item = await make.prescriptionItem(prescription, { drug_id: batch.drug_id })
        const records = [{ id: uuidv7(), batchId: batch.id, quantity: 2 }]
        return { prescriptionId: prescription.id, items: [{ itemId: item.id, records }] }
      }),
    )
    const answers = await Promise.allSettled(requests.map((request) => dispense(me, request)))
    const done = answers.filter(({ status }) => status === 'fulfilled')
    expect(done).toHaveLength(12)
    expect(await stockOf(db, clinic.id)).toEqual({ there: 1, held: 0 })
    const { given } = await db
      .selectFrom('dispensing_records')
      .select(({ fn }) => fn.sum<number>('quantity_dispensed').as('given'))
      .executeTakeFirstOrThrow()
    expect(given).toBe(24)
  } finally {
    await db.destroy()
  }
})

test('the sheet and the counter know how exactly the date of birth is known', async ({
  asUser,
  make,
  db,
}) => {
  const { prescription } = await scene(make)
  const me = asUser(await make.user({ role: 'admin' }))
  const both = async () => [
    (await getPrescription(me, { id: prescription.id })).birth_precision,
    (await getToDispense(me, { id: prescription.id })).birth_precision,
  ]
  expect(await both()).toEqual(['day', 'day'])
  await db
    .updateTable('patients')
    .set({ metadata: JSON.stringify({ date_of_birth_precision: 'month' }) })
    .where('id', '=', prescription.patient_id)
    .execute()
  expect(await both()).toEqual(['month', 'month'])
})

describe('refills', () => {
  test('more than is due needs a reason, and the rest of the course is no refill of today', async ({
    make,
    asUser,
  }) => {
    const { prescription, clinicId, take } = await scene(make)
    const me = asUser(await make.user(), { [clinicId]: ['can_dispense_medications'] })
    await expect(dispense(me, take(20))).rejects.toMatchObject({
      fields: { 'items.0.reason': { key: 'dispensing.moreThanDue', values: { due: 10 } } },
    })
    const request = take(20)
    const [item] = request.items
    expect(
      await dispense(me, { ...request, items: [{ ...item!, reason: 'Travels for two months' }] }),
    ).toEqual({ ok: true })
    expect((await getToDispense(me, { id: prescription.id })).records).toMatchObject([
      { reason: 'Travels for two months' },
    ])
  })

  test('a controlled medicine waits until the last supply is used up, from whatever prescription', async ({
    make,
    asUser,
    db,
  }) => {
    const { prescription, clinicId, item, batch, take } = await scene(make)
    const me = asUser(await make.user(), { [clinicId]: ['can_dispense_medications'] })
    await db
      .updateTable('drug_catalogue')
      .set({ is_controlled: true })
      .where('id', '=', batch.drug_id)
      .execute()
    await dispense(me, take(4))
    // the rest of a fill that was begun is no new one
    await dispense(me, take(6))
    const early = {
      key: 'dispensing.tooEarly',
      values: { day: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/) },
    }
    await expect(dispense(me, take(10))).rejects.toMatchObject({
      fields: { 'items.0.reason': early },
    })
    const another = await make.prescription({
      patient_id: prescription.patient_id,
      pickup_clinic_id: clinicId,
    })
    const again = await make.prescriptionItem(another, { drug_id: batch.drug_id })
    expect((await getToDispense(me, { id: another.id })).items).toMatchObject([
      { earliest: expect.any(String) },
    ])
    const request = {
      prescriptionId: another.id,
      items: [{ ...take(1).items[0]!, itemId: again.id }],
    }
    await expect(dispense(me, request)).rejects.toMatchObject({
      fields: { 'items.0.reason': early },
    })
    // with a reason it goes on: the safety check tells of the earlier supply and asks for no second reason
    const items = [{ ...request.items[0]!, reason: 'Bottle broke' }]
    expect((await getToDispense(me, { id: another.id })).warnings).toMatchObject([
      { rule: 'renewal', level: 'caution' },
    ])
    expect(await dispense(me, { ...request, items })).toEqual({ ok: true })
    expect(item.refills_authorized).toBe(1)
  })

  test('quantities with decimals leave nothing over', () => {
    const item = {
      quantity_prescribed: 1.1,
      quantity_dispensed: 2.2,
      refills_authorized: 2,
      item_status: 'partially_dispensed' as const,
    }
    expect(dueQuantity(item)).toBe(1.1)
    expect(remainingQuantity(item)).toBe(1.1)
    expect(dueQuantity({ ...item, quantity_dispensed: 3.3 })).toBe(0)
    expect(
      dueQuantity({
        ...item,
        quantity_prescribed: 0.3,
        quantity_dispensed: 0.1,
        refills_authorized: 0,
      }),
    ).toBe(0.2)
  })
})
