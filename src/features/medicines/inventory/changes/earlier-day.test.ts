/** Every entry of an earlier day with the ledger that follows from it: longer than most for that reason. */

import type { Kysely } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { dispense, reverseDispensing } from '~/features/medicines/dispensing/dispensing.server'
import { recordPaper } from '~/features/medicines/dispensing/paper.server'
import { listRecords } from '~/features/medicines/dispensing/queue.server'
import { savePrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { closeReport, lateRows } from '~/features/reports/runs/closing.server'
import { closedOn } from '~/features/reports/runs/closed-on.server'
import { runReport } from '~/features/reports/runs/reports.server'
import type { Context } from '~/server/operation'
import { addDays, clinicToday } from '~/shared/zone'
import type { makeFactories } from '../../../../../test/factories'
import { test } from '../../../../../test/harness'
import { recording } from '../../../../../test/statements'
import { createBatch } from '../batches.server'
import { listClinicBatches } from '../clinic-batches.server'
import { binCardLines } from '../ledger/bin-card-lines'
import { loadDailyStock } from '../ledger/daily.server'
import { listLedger } from '../ledger/ledger.server'
import { listShortfalls, settleShortfall } from './shortfalls.server'
import {
  countStock,
  saveClinicInventory,
  transferStock,
  writeOffStock,
} from './stock-changes.server'

type Make = ReturnType<typeof makeFactories>
const ago = (days: number) => addDays(clinicToday(), -days)

/** A clinic, a patient who was asked about allergies, and two medicines without stock. */
async function scene(make: Make) {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await make.noAllergies(patient.id)
  const [a, b] = [await make.drug(), await make.drug()]
  const receive = (ctx: Context, drugId: string, quantity: number, day: string, number = 'L-1') =>
    createBatch(ctx, {
      id: uuidv7(),
      clinic_id: clinic.id,
      drug_id: drugId,
      quantity,
      batch_number: number,
      expiry_date: addDays(clinicToday(), 700),
      received_date: day,
    })
  const paper = (ctx: Context, drugId: string, quantity: number, day: string, more = {}) =>
    recordPaper(ctx, {
      id: uuidv7(),
      clinicId: clinic.id,
      patientId: patient.id,
      drugId,
      quantity,
      day,
      ...more,
    })
  return { clinic, patient, a, b, receive, paper }
}

/** Day, kind, quantity and balances, oldest first. */
async function binCard(ctx: Context, clinicId: string, drugId: string) {
  const { rows } = await listLedger(ctx, { clinicId, drugId, pageSize: 500 })
  return binCardLines(rows.toReversed()).map(
    ({ day, transaction_type, quantity, drug_balance, batch_balance }) => [
      day,
      transaction_type,
      quantity,
      drug_balance,
      batch_balance,
    ],
  )
}

const shortfallsOf = async (db: Kysely<DB>) =>
  db
    .selectFrom('stock_shortfalls')
    .select(['quantity', 'settlement', 'transaction_type'])
    .orderBy('occurred_at')
    .execute()

describe('an earlier day', () => {
  test('a receipt counts on the day it was received, with who entered it when', async ({
    asUser,
    db,
    make,
  }) => {
    const { clinic, a, receive } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    await receive(me, a.id, 500, ago(20))
    await receive(me, a.id, 30, clinicToday())

    expect(await binCard(me, clinic.id, a.id)).toEqual([
      [ago(20), 'received', 500, 500, 500],
      [clinicToday(), 'received', 30, 530, 530],
    ])
    expect(
      await db
        .selectFrom('inventory_transactions')
        .select(['day', 'entered_on'])
        .orderBy('position')
        .execute(),
    ).toEqual([
      { day: ago(20), entered_on: clinicToday() },
      { day: clinicToday(), entered_on: null },
    ])
  })

  test('a day that has not come is refused beside its field, one long ago is asked about', async ({
    asUser,
    make,
  }) => {
    const { clinic, a, receive, paper } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    await expect(receive(me, a.id, 5, addDays(clinicToday(), 1))).rejects.toMatchObject({
      fields: { received_date: { key: 'validation.inFuture' } },
    })
    await expect(paper(me, a.id, 5, addDays(clinicToday(), 1))).rejects.toMatchObject({
      fields: { day: { key: 'validation.inFuture' } },
    })
    await expect(paper(me, a.id, 5, ago(91))).rejects.toMatchObject({
      text: { key: 'asked.old_day' },
      fields: { day: { key: 'earlierDay.longAgo', values: { day: ago(91) } } },
    })
    await paper(me, a.id, 5, ago(90))
    await paper(me, a.id, 5, ago(91), { confirmed: ['old_day'] })
    expect((await listShortfalls(me, { clinicId: clinic.id })).rows).toMatchObject([
      { quantity: 5, entered_on: clinicToday() },
      { quantity: 5, entered_on: clinicToday() },
    ])
  })

  test('bin cards run by day; balance_after stays what it was when it was posted', async ({
    asUser,
    make,
  }) => {
    const { clinic, a, receive, paper } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    await receive(me, a.id, 100, ago(10))
    await paper(me, a.id, 10, ago(2))
    await paper(me, a.id, 20, ago(8))

    expect(await binCard(me, clinic.id, a.id)).toEqual([
      [ago(10), 'received', 100, 100, 100],
      [ago(8), 'dispensed', -20, 80, 80],
      [ago(2), 'dispensed', -10, 70, 70],
    ])
    const { rows } = await listLedger(me, { clinicId: clinic.id, drugId: a.id })
    expect(rows.map(({ balance_after }) => balance_after)).toEqual([90, 70, 100])
  })

  test('beyond the stock of that day or of a later one is a shortfall, and its receipt covers it', async ({
    asUser,
    db,
    make,
  }) => {
    const { clinic, a, receive, paper } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    // received after it was dispensed, as the books say today
    await receive(me, a.id, 100, ago(5))
    await paper(me, a.id, 30, ago(9))
    expect(await shortfallsOf(db)).toMatchObject([{ quantity: 30, settlement: null }])
    // and what a later day needs is not there on an earlier one
    await paper(me, a.id, 90, ago(4))
    await paper(me, a.id, 25, ago(5))
    expect(await shortfallsOf(db)).toMatchObject([{ quantity: 30 }, { quantity: 15 }])

    await receive(me, a.id, 200, ago(10), 'L-0')
    expect(await shortfallsOf(db)).toMatchObject([
      { quantity: 30, settlement: 'covered' },
      // the batch was not written down: the other one covers it
      { quantity: 15, settlement: 'covered' },
    ])
    expect(
      (await binCard(me, clinic.id, a.id)).map(([day, , quantity, sum]) => [day, quantity, sum]),
    ).toEqual([
      [ago(10), 200, 200],
      [ago(9), -30, 170],
      [ago(5), 100, 270],
      [ago(5), -10, 260],
      [ago(5), -15, 245],
      [ago(4), -90, 155],
    ])
  })

  test('losses, transfers and adjustments are posted as far as the stock goes, and the rest is listed', async ({
    asUser,
    db,
    make,
  }) => {
    const { clinic, a, receive } = await scene(make)
    const other = await make.clinic()
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: batchId } = await receive(me, a.id, 20, ago(5))
    const line = { clinicId: clinic.id, batchId }
    const loss = { ...line, kind: 'damaged' as const, quantity: 25, reason: 'Flooded', day: ago(5) }
    const unasked = { id: uuidv7(), ...loss }
    // asked first: nothing is posted and nothing listed
    await expect(writeOffStock(me, unasked)).rejects.toMatchObject({
      text: { key: 'asked.beyond_stock' },
      fields: { quantity: { key: 'inventory.beyondStock', values: { beyond: 5 } } },
    })
    expect(await shortfallsOf(db)).toEqual([])
    const request = { ...unasked, confirmed: ['beyond_stock' as const] }
    // the screen says which part is listed instead
    expect(await writeOffStock(me, request)).toEqual({ quantity_available: 0, beyond: 5 })
    // the same request again posts nothing more
    await writeOffStock(me, request)
    // the page of the medicine and the bin card say that the balance lacks it
    const ofMedicine = { clinicId: clinic.id, drugId: a.id }
    expect(await listLedger(me, ofMedicine)).toMatchObject({ shortfall: 5 })
    expect(await listLedger(me, { ...ofMedicine, clinicId: other.id })).toMatchObject({
      shortfall: 0,
    })
    const move = {
      id: uuidv7(),
      fromClinicId: clinic.id,
      toClinicId: other.id,
      lines: [{ batchId, quantity: 8 }],
      day: ago(4),
    }
    await expect(transferStock(me, move)).rejects.toMatchObject({
      text: { key: 'asked.beyond_stock' },
    })
    expect(await transferStock(me, { ...move, confirmed: ['beyond_stock'] })).toEqual({
      moved: 1,
      beyond: 8,
    })
    expect(await shortfallsOf(db)).toEqual([
      { quantity: 5, settlement: null, transaction_type: 'damaged' },
      { quantity: 8, settlement: null, transaction_type: 'transferred_out' },
    ])
    await receive(me, a.id, 40, ago(6))
    expect((await shortfallsOf(db)).map(({ settlement }) => settlement)).toEqual([
      'covered',
      'covered',
    ])
    expect((await binCard(me, other.id, a.id)).map(([day, , quantity]) => [day, quantity])).toEqual(
      [[ago(4), 8]],
    )
    expect(
      await saveClinicInventory(me, {
        ...line,
        id: uuidv7(),
        expected: 0,
        quantity: 30,
        reason: 'Found',
        day: ago(4),
      }),
    ).toEqual({
      quantity_available: 30,
      beyond: 0,
    })
  })

  test('the stock of an earlier day is counted back from the stock on hand, and equals the sum of the ledger', async ({
    asUser,
    db,
    make,
  }) => {
    const { clinic, a, b, receive, paper } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    for (const [drug, number] of [
      [a, 'L-1'],
      [a, 'L-2'],
      [b, 'L-3'],
    ] as const)
      await receive(me, drug.id, 40, ago(20), number)
    for (const day of [19, 15, 15, 8, 3]) await paper(me, a.id, 7, ago(day))
    await receive(me, b.id, 5, ago(9), 'L-3')
    const ledger = await db
      .selectFrom('inventory_transactions')
      .select(['batch_id', 'day', 'quantity'])
      .execute()
    const sumOn = (batchId: string, day: string) =>
      ledger
        .filter((row) => row.batch_id === batchId && row.day <= day)
        .reduce((sum, { quantity }) => sum + quantity, 0)
    for (const first of [21, 19, 15, 9, 4, 0]) {
      const { ctx, compiled } = recording(me)
      const stock = await loadDailyStock(ctx.db, clinic.id, [a.id, b.id], ago(first))
      // the days before are not read: their sum is in the stock on hand
      expect(compiled[0]!.parameters).toContain(ago(first))
      for (const batchId of new Set(ledger.map(({ batch_id }) => batch_id)))
        for (let day = first; day >= 0; day -= 1) {
          expect(stock.on(batchId, ago(day))).toBe(sumOn(batchId, ago(day)))
          const least = Array.from({ length: day + 1 }, (_, n) => sumOn(batchId, ago(n)))
          expect(stock.availableSince(batchId, ago(day))).toBe(Math.min(...least))
        }
      expect(() => stock.on('any', ago(first + 1))).toThrow(/was read from/)
    }
  })

  test('a controlled medicine is not due on an earlier day because of what was dispensed since', async ({
    asUser,
    db,
    make,
  }) => {
    const prescription = await make.prescription({
      prescribed_at: new Date(Date.now() - 40 * 86_400_000),
    })
    await make.noAllergies(prescription.patient_id)
    const clinicId = prescription.pickup_clinic_id!
    const batch = await make.stock(clinicId, 200)
    await db
      .updateTable('drug_catalogue')
      .set({ is_controlled: true })
      .where('id', '=', batch.drug_id)
      .execute()
    const item = await make.prescriptionItem(prescription, {
      drug_id: batch.drug_id,
      refills_authorized: 5,
    })
    const me = asUser(await make.user(), { [clinicId]: ['can_dispense_medications'] })
    const take = (day: string | null) =>
      dispense(me, {
        prescriptionId: prescription.id,
        day,
        items: [
          {
            itemId: item.id,
            days_supply: 10,
            records: [{ id: uuidv7(), batchId: batch.id, quantity: 10 }],
          },
        ],
      })
    expect(await take(ago(3))).toEqual({ ok: true })
    // of the fill before, which is entered after it
    expect(await take(ago(15))).toEqual({ ok: true })
    await expect(take(ago(10))).rejects.toMatchObject({
      fields: { 'items.0.reason': { key: 'dispensing.tooEarly', values: { day: ago(5) } } },
    })
    await expect(take(null)).rejects.toMatchObject({
      fields: { 'items.0.reason': { key: 'dispensing.tooEarly', values: { day: ago(-7) } } },
    })
  })

  test('a late receipt covers a transfer, and what the other clinic had dispensed of it', async ({
    asUser,
    db,
    make,
  }) => {
    const { clinic, a, receive } = await scene(make)
    const other = await make.clinic()
    const patient = await make.patient({ primary_clinic_id: other.id })
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: batchId } = await receive(me, a.id, 1, ago(3))
    await transferStock(me, {
      id: uuidv7(),
      confirmed: ['beyond_stock'],
      fromClinicId: clinic.id,
      toClinicId: other.id,
      lines: [{ batchId, quantity: 9 }],
      day: ago(2),
    })
    const line = {
      id: uuidv7(),
      patientId: patient.id,
      clinicId: other.id,
      drugId: a.id,
      quantity: 6,
      day: ago(1),
    }
    for (const [more, key] of [
      [{ quantity: 5000 }, 'manyPieces'],
      [{ days_supply: 3650 }, 'fewForDays'],
      [{ quantity: 500, days_supply: 1 }, 'manyForDays'],
    ] as const)
      await expect(recordPaper(me, { ...line, ...more })).rejects.toMatchObject({
        text: { key: 'asked.unlikely_amount' },
        fields: { quantity: { key: `dispensing.${key}` } },
      })
    expect(await recordPaper(me, line)).toMatchObject({ shortfall: 5 })
    // the answer was lost
    expect(await recordPaper(me, line)).toMatchObject({ shortfall: 5 })
    await receive(me, a.id, 20, ago(4))
    expect((await shortfallsOf(db)).map(({ settlement }) => settlement)).toEqual([
      'covered',
      'covered',
    ])
    expect((await binCard(me, other.id, a.id)).map(([day, , quantity]) => [day, quantity])).toEqual(
      [
        [ago(2), 9],
        [ago(1), -6],
      ],
    )
  })

  test('what was lost is settled from its own batch, although others expire first', async ({
    asUser,
    db,
    make,
  }) => {
    const { clinic, a, receive } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: batchId } = await receive(me, a.id, 2, ago(3))
    await writeOffStock(me, {
      id: uuidv7(),
      confirmed: ['beyond_stock'],
      clinicId: clinic.id,
      batchId,
      kind: 'damaged',
      quantity: 3,
      reason: 'Broken in transit',
      day: ago(2),
    })
    await make.stock(clinic.id, 50, { drug_id: a.id })
    const [shortfall] = (await listShortfalls(me, { clinicId: clinic.id })).rows
    await expect(
      settleShortfall(me, { id: shortfall!.id, settlement: 'posted', reason: 'Found it' }),
    ).rejects.toMatchObject({ code: 'conflict' })
    expect(
      await db
        .selectFrom('inventory_transactions')
        .select('batch_id')
        .where('transaction_type', '=', 'damaged')
        .execute(),
    ).toEqual([{ batch_id: batchId }])
  })

  test('an open shortfall of a transfer is settled on both sides', async ({ asUser, db, make }) => {
    const { clinic, a, receive } = await scene(make)
    const other = await make.clinic()
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: batchId } = await receive(me, a.id, 5, ago(3))
    const lines = [{ batchId, quantity: 8 }]
    await transferStock(me, {
      id: uuidv7(),
      confirmed: ['beyond_stock'],
      fromClinicId: clinic.id,
      toClinicId: other.id,
      lines,
      day: ago(2),
    })
    const [shortfall] = (await listShortfalls(me, { clinicId: clinic.id })).rows
    expect(shortfall).toMatchObject({ quantity: 3 })
    await receive(me, a.id, 10, clinicToday())
    await settleShortfall(me, { id: shortfall!.id, settlement: 'posted', reason: 'Found it' })
    expect(
      await db
        .selectFrom('clinic_inventory')
        .select(['clinic_id', 'quantity_available'])
        .where('clinic_id', '=', other.id)
        .execute(),
    ).toEqual([{ clinic_id: other.id, quantity_available: 8 }])
  })

  test('a count of an earlier day is compared with the stock of that day', async ({
    asUser,
    make,
  }) => {
    const { clinic, a, receive, paper } = await scene(make)
    const me = asUser(await make.user({ role: 'admin' }))
    const { id: batchId } = await receive(me, a.id, 100, ago(10))
    await paper(me, a.id, 40, ago(2))
    const { batches } = await listClinicBatches(me, { clinicId: clinic.id, day: ago(5) })
    expect(batches).toMatchObject([{ id: batchId, quantity_available: 100 }])
    const count = { id: uuidv7(), clinicId: clinic.id, day: ago(5) }
    await expect(
      countStock(me, { ...count, counts: [{ batchId, expected: 60, counted: 95 }] }),
    ).rejects.toMatchObject({ text: { key: 'inventory.movedMeanwhile' } })
    await countStock(me, { ...count, counts: [{ batchId, expected: 100, counted: 95 }] })
    expect((await binCard(me, clinic.id, a.id)).map(([day, , , sum]) => [day, sum])).toEqual([
      [ago(10), 100],
      [ago(5), 95],
      [ago(2), 55],
    ])
  })

  test('a prescription is dispensed on an earlier day from a batch that has expired since, or none', async ({
    asUser,
    db,
    make,
  }) => {
    const admin = asUser(await make.user({ role: 'admin' }))
    const prescription = await make.prescription({ prescribed_at: `${ago(6)}T12:00:00Z` })
    await make.noAllergies(prescription.patient_id)
    const clinicId = prescription.pickup_clinic_id!
    const batch = await make.stock(clinicId, 50, { expiry_date: ago(4) })
    const item = await make.prescriptionItem(prescription, { drug_id: batch.drug_id })
    const me = asUser(await make.user(), {
      [clinicId]: ['can_dispense_medications', 'can_manage_stock'],
    })
    const take = (quantity: number, batchId: string | null, more = {}) => ({
      prescriptionId: prescription.id,
      items: [{ itemId: item.id, days_supply: 5, records: [{ id: uuidv7(), batchId, quantity }] }],
      ...more,
    })
    await expect(dispense(me, take(1, null))).rejects.toMatchObject({
      fields: { 'items.0.records.0.batchId': { key: 'dispensing.batchRequired' } },
    })
    await expect(dispense(me, take(2, batch.id, { day: ago(8) }))).rejects.toMatchObject({
      text: { key: 'asked.unlikely_date' },
      fields: { day: { key: 'dispensing.beforePrescribed', values: { day: ago(6) } } },
    })
    expect(await dispense(me, take(2, batch.id, { day: ago(6) }))).toEqual({ ok: true })
    await expect(dispense(me, take(2, batch.id, { day: ago(2) }))).rejects.toMatchObject({
      text: { key: 'asked.barred_batch' },
      fields: { 'items.0': { key: 'earlierDay.expiredBatch' } },
    })
    await dispense(me, take(2, batch.id, { day: ago(2), confirmed: ['barred_batch'] }))
    await dispense(me, take(3, null, { day: ago(1) }))
    const { rows } = await listRecords(me, { clinicId })
    expect(
      rows.map(({ quantity_dispensed, entered_on }) => [quantity_dispensed, entered_on]),
    ).toEqual([
      [3, clinicToday()],
      [2, clinicToday()],
      [2, clinicToday()],
    ])
    // nothing that may be dispensed on that day is in stock
    expect(await shortfallsOf(db)).toMatchObject([{ quantity: 3 }])
    // a wrong entry is taken back on its own day
    await reverseDispensing(me, { id: uuidv7(), recordId: rows[2]!.id, reason: 'Wrong line' })
    expect((await binCard(me, clinicId, batch.drug_id)).slice(1)).toEqual([
      [ago(6), 'dispensed', -2, 48, 48],
      [ago(6), 'returned', 2, 50, 50],
      [ago(2), 'dispensed', -2, 48, 48],
    ])
    // the same two days from the other side: prescribed after it was handed out
    const prescribedOn = (day: string) =>
      savePrescription(admin, {
        id: prescription.id,
        patient_id: prescription.patient_id,
        pickup_clinic_id: clinicId,
        provider_id: admin.actor.userId,
        last_modified: prescription.last_modified,
        items: [{ id: item.id, drug_id: item.drug_id, dosage_instructions: 'Daily' }],
        notes: '',
        day,
        confirmed: [],
      })
    await expect(prescribedOn(ago(1))).rejects.toMatchObject({
      text: { key: 'asked.unlikely_date' },
      fields: { day: { key: 'prescriptions.dispensedBefore', values: { day: ago(2) } } },
    })
    // each batch is named, not only the first
    const barred = await make.stock(clinicId, 5, { drug_id: batch.drug_id, is_quarantined: true })
    const records = [batch.id, barred.id].map((batchId) => ({
      id: uuidv7(),
      batchId,
      quantity: 1,
    }))
    const other = await make.prescriptionItem(prescription, { drug_id: batch.drug_id })
    await expect(
      dispense(me, {
        prescriptionId: prescription.id,
        day: ago(2),
        items: [
          { itemId: item.id, records: [records[0]!] },
          { itemId: other.id, records: [records[1]!] },
        ],
      }),
    ).rejects.toMatchObject({
      fields: {
        'items.0': { key: 'earlierDay.expiredBatch', values: { batch: batch.batch_number } },
        'items.1': { key: 'earlierDay.quarantinedBatch', values: { batch: barred.batch_number } },
      },
    })
  })

  test('requires the right to dispense at the clinic and access to the patient', async ({
    as,
    make,
  }) => {
    const { clinic, a, paper } = await scene(make)
    const other = await make.clinic()
    const reader = as('provider', { [clinic.id]: ['can_view_history'] })
    await expect(paper(reader, a.id, 1, ago(1))).rejects.toMatchObject({ code: 'forbidden' })
    const elsewhere = as('provider', { [other.id]: ['can_dispense_medications'] })
    await expect(paper(elsewhere, a.id, 1, ago(1), { clinicId: other.id })).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

/** Numbers from 0 to 1, always the same. */
function numbers(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

test('a month entered late, in any order, equals the month entered in time', async ({
  asUser,
  db,
  make,
}) => {
  const me = asUser(await make.user({ role: 'admin' }))
  const random = numbers(50)
  const days = Array.from({ length: 30 }, (_, at) => ago(60 - at))
  type Line = { day: string; drug: 0 | 1; quantity: number; isReceipt: boolean; batch: string }
  const lines: Line[] = []
  const stock = [0, 0]
  for (const day of days)
    for (const drug of [0, 1] as const) {
      if (stock[drug]! < 40) {
        const quantity = 60 + Math.floor(random() * 40)
        stock[drug]! += quantity
        lines.push({ day, drug, quantity, isReceipt: true, batch: `L-${drug}` })
      }
      for (let count = 0; count < 2; count += 1) {
        const quantity = 1 + Math.floor(random() * 15)
        stock[drug]! -= quantity
        lines.push({ day, drug, quantity, isReceipt: false, batch: `L-${drug}` })
      }
    }
  const shuffled = lines
    .map((line) => ({ line, at: random() }))
    .toSorted((one, two) => one.at - two.at)
    .map(({ line }) => line)

  const run = async (order: readonly Line[]) => {
    const { clinic, a, b, receive, paper } = await scene(make)
    const drugs = [a.id, b.id]
    for (const { day, drug, quantity, isReceipt, batch } of order)
      await (isReceipt
        ? receive(me, drugs[drug]!, quantity, day, batch)
        : paper(me, drugs[drug]!, quantity, day))
    const cards = []
    for (const drugId of drugs) {
      const card = await binCard(me, clinic.id, drugId)
      const ends = new Map(card.map(([day, , , sum]) => [day, sum]))
      const moved = card.map(([day, type, quantity]) => `${day} ${type} ${quantity}`).toSorted()
      cards.push({ ends: [...ends], moved })
    }
    const open = await listShortfalls(me, { clinicId: clinic.id })
    const month = (day: string) => ({
      code: 'late-month',
      clinic_ids: [clinic.id],
      period: day.slice(0, 7),
    })
    const reports = []
    for (const day of [days[0]!, days.at(-1)!])
      reports.push((await runReport(me, month(day))).cells.map(({ row, value }) => [row, value]))
    return { cards, reports, open: open.rows }
  }
  await db
    .insertInto('report_definitions')
    .values({ id: uuidv7(), code: 'late-month', body: JSON.stringify(stockReport) })
    .execute()
  const inTime = await run(lines)
  expect(inTime.open).toEqual([])
  expect(inTime.cards[0]!.moved.length).toBeGreaterThan(60)
  expect(inTime.reports.flat().some(([, value]) => Number(value) > 0)).toBe(true)
  expect(await run(shuffled)).toEqual(inTime)
})

const stockReport = {
  code: 'late-month',
  names: { en: 'Stock' },
  period: 'month',
  closable_from: 1,
  measures: {
    received: {
      sum: 'movement.quantity',
      of: 'movements',
      in: 'period',
      where: ['movement.type', 'is', 'received'],
    },
    issued: {
      sum: 'movement.quantity_out',
      of: 'movements',
      in: 'period',
      where: ['movement.type', 'is', 'dispensed'],
    },
    closing: { sum: 'stock.quantity', of: 'stock', in: 'period' },
    beyond: { sum: 'shortfall.quantity', of: 'shortfalls', in: 'period' },
    given: { sum: 'dispensed.quantity', of: 'dispensed', in: 'period' },
  },
  sections: [
    {
      id: 'stock',
      names: { en: 'Stock' },
      rows: ['received', 'issued', 'closing', 'beyond', 'given'].map((measure) => ({
        id: measure,
        names: { en: measure },
        measure,
      })),
    },
  ],
}

test('a closed report keeps its numbers, and the screen says so before saving', async ({
  as,
  asUser,
  db,
  make,
}) => {
  const { clinic, a, receive, paper } = await scene(make)
  const me = asUser(await make.user({ role: 'admin' }))
  await db
    .insertInto('report_definitions')
    .values({ id: uuidv7(), code: 'late-month', body: JSON.stringify(stockReport) })
    .execute()
  // a day of the last month that is over
  const day = addDays(`${clinicToday().slice(0, 7)}-01`, -3)
  await receive(me, a.id, 100, addDays(day, -5))
  const input = { code: 'late-month', clinic_ids: [clinic.id], period: day.slice(0, 7) }
  await closeReport(me, { ...input, id: uuidv7() })

  expect(await closedOn(me, { clinicId: clinic.id, day })).toEqual([
    {
      name: 'Stock',
      first: `${day.slice(0, 7)}-01`,
      last: addDays(`${clinicToday().slice(0, 7)}-01`, -1),
    },
  ])
  expect(await closedOn(me, { clinicId: clinic.id, day: clinicToday() })).toEqual([])
  expect(await closedOn(me, { clinicId: (await make.clinic()).id, day })).toEqual([])
  const before = await runReport(me, input)
  await paper(me, a.id, 30, day)
  expect((await runReport(me, input)).cells).toEqual(before.cells)
  expect((await lateRows(me, input)).cells.length).toBeGreaterThan(0)
  const outside = as('provider', { [(await make.clinic()).id]: ['can_view_history'] })
  await expect(closedOn(outside, { clinicId: clinic.id, day })).rejects.toMatchObject({
    code: 'forbidden',
  })
})
