import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { NO_BATCH_NUMBER, NO_EXPIRY } from '~/records/no-expiry'
import { addDays, clinicToday } from '~/shared/zone'
import { brokenRule, test } from '../../../../test/harness'
import { createBatch, listBatches, saveBatch } from './batches.server'
import {
  countStock,
  saveClinicInventory,
  transferStock,
  writeOffStock,
} from './changes/stock-changes.server'
import { exportInventory } from './inventory.server'
import { listLedger } from './ledger/ledger.server'
import { pickBatches } from './ledger/movements.server'
import { describeMovement } from './ledger/story'

const inDays = (days: number) => addDays(clinicToday(), days)
const aReceipt = (clinic: { id: string }, drug: { id: string }) => ({
  id: uuidv7(),
  clinic_id: clinic.id,
  drug_id: drug.id,
  quantity: 10,
  batch_number: 'L-1',
  expiry_date: inDays(400),
  received_date: clinicToday(),
})

describe('an expiry date', () => {
  test('is corrected with a reason, by a movement of its own kind in each clinic', async ({
    as,
    db,
    make,
  }) => {
    const me = as('admin')
    const [clinic, drug] = [await make.clinic(), await make.drug()]
    const { id } = await createBatch(me, aReceipt(clinic, drug))
    const batch = await db
      .selectFrom('drug_batches')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const { batch_number, received_date, last_modified } = batch
    const request = { id, batch_number, received_date, last_modified, expiry_date: inDays(30) }
    await expect(saveBatch(me, request)).rejects.toMatchObject({
      fields: { reason: { key: 'batches.expiryNeedsReason' } },
    })
    await saveBatch(me, { ...request, reason: 'Misread on the box' })
    const { rows } = await listLedger(me, { clinicId: clinic.id })
    expect(rows).toMatchObject([
      {
        transaction_type: 'corrected',
        quantity: 0,
        balance_after: 10,
        batch_balance: 10,
        reason: 'Misread on the box',
        expiry_before: inDays(400),
        expiry_after: inDays(30),
      },
      { transaction_type: 'received' },
    ])
    expect(describeMovement(rows[0]!)).toMatchObject({
      key: 'inventory.story_corrected',
      values: { before: inDays(400), after: inDays(30) },
    })
  })

  test('without that movement’s days is refused by the database', async ({ db, make }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 5)
    const movement = db.insertInto('inventory_transactions').values({
      clinic_id: clinic.id,
      drug_id: batch.drug_id,
      batch_id: batch.id,
      transaction_type: 'corrected',
      quantity: 0,
      reference_type: 'correction',
      reference_id: uuidv7(),
      day: clinicToday(),
    })
    expect(await brokenRule(db, movement)).toBe('inventory_transactions_corrected_check')
  })

  test.for([
    ['expiry_date', '2127-06-30', 'batches.farExpiry'],
    ['manufacture_date', inDays(3), 'validation.inFuture'],
  ] as const)('%s %s is asked about', async ([field, day, key], { as, make }) => {
    const request = { ...aReceipt(await make.clinic(), await make.drug()), [field]: day }
    await expect(createBatch(as('admin'), request)).rejects.toMatchObject({
      text: { key: 'asked.unlikely_date' },
      fields: { [field]: { key } },
    })
    expect(
      await createBatch(as('admin'), { ...request, confirmed: ['unlikely_date'] }),
    ).toMatchObject({ quantity_available: 10 })
  })

  test('that has passed is that of stock that was found: counted, never dispensed, not received', async ({
    as,
    make,
  }) => {
    const me = as('admin')
    const [clinic, drug] = [await make.clinic(), await make.drug()]
    const request = { ...aReceipt(clinic, drug), expiry_date: inDays(-40) }
    await expect(createBatch(me, request)).rejects.toMatchObject({
      text: { key: 'asked.expired_stock' },
      fields: { expiry_date: { key: 'batches.alreadyExpired' } },
    })
    const { id } = await createBatch(me, { ...request, confirmed: ['expired_stock'] })
    const { rows } = await listLedger(me, { clinicId: clinic.id })
    expect(rows).toMatchObject([{ transaction_type: 'adjustment', reference_type: 'found' }])
    expect(describeMovement(rows[0]!).key).toBe('inventory.story_found')
    expect(await listBatches(me, { drugId: drug.id })).toMatchObject([
      { id, quantity_received: 0, quantity_remaining: 10, barred: 'inventory.barredExpired' },
    ])
  })
})

test('a hundred times the most received of a batch so far, or very much, is asked about', async ({
  as,
  make,
}) => {
  const me = as('admin')
  const receipt = aReceipt(await make.clinic(), await make.drug())
  const again = (quantity: number, confirmed: 'unlikely_amount'[] = []) =>
    createBatch(me, { ...receipt, id: uuidv7(), quantity, confirmed })
  const asks = (values: object, key: string) => ({
    text: { key: 'asked.unlikely_amount' },
    fields: { quantity: { key, values } },
  })
  const much = { quantity: 100_001 }
  await expect(again(100_001)).rejects.toMatchObject(asks(much, 'batches.veryMuch'))
  await createBatch(me, receipt)
  // received twice: 10 and 90
  await again(90)
  const more = { quantity: 10_000, most: 100 }
  await expect(again(10_000)).rejects.toMatchObject(asks(more, 'batches.muchMore'))
  const { id: batchId } = await again(9_900)
  const expected = 10_000
  const line = { id: uuidv7(), clinicId: receipt.clinic_id, batchId, expected }
  const slip = { text: { key: 'asked.unlikely_amount' } }
  await expect(
    saveClinicInventory(me, { ...line, quantity: 100_001, reason: 'Miscounted' }),
  ).rejects.toMatchObject(slip)
  const { clinicId } = line
  const counted = (
    from: number,
    to: number,
    confirmed: 'unlikely_amount'[] = [],
    of: string = batchId,
  ) =>
    countStock(me, {
      id: uuidv7(),
      clinicId,
      counts: [{ batchId: of, expected: from, counted: to }],
      confirmed,
    })
  await expect(counted(expected, 150_000)).rejects.toMatchObject(slip)
  await counted(expected, 150_000, ['unlikely_amount'])
  // neither a few more of a depot's stock nor fewer is a slip of that kind
  await counted(150_000, 150_010)
  await counted(150_010, 149_990)
  // nor of one that is a hundred times what was received
  const other = await createBatch(me, {
    ...aReceipt({ id: clinicId }, await make.drug()),
    quantity: 10,
  })
  await expect(counted(10, 2000, [], other.id)).rejects.toMatchObject(slip)
  await counted(10, 2000, ['unlikely_amount'], other.id)
  await counted(2000, 2010, [], other.id)
})

test('a day of receipt after a movement of the batch, or before it was made, is asked about', async ({
  as,
  make,
  db,
}) => {
  const me = as('admin')
  const receipt = {
    ...aReceipt(await make.clinic(), await make.drug()),
    received_date: inDays(-5),
  }
  const made = { ...receipt, manufacture_date: inDays(-4) }
  const asks = (key: string, day: string) => ({
    text: { key: 'asked.unlikely_date' },
    fields: { received_date: { key, values: { day } } },
  })
  const isMadeLater = asks('batches.receivedBeforeMade', inDays(-4))
  await expect(createBatch(me, made)).rejects.toMatchObject(isMadeLater)
  const { id } = await createBatch(me, receipt)
  const save = async (more: object) => {
    const { last_modified } = await db
      .selectFrom('drug_batches')
      .select('last_modified')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const { batch_number, expiry_date, received_date } = receipt
    return saveBatch(me, {
      id,
      last_modified,
      batch_number,
      expiry_date,
      received_date,
      ...more,
    })
  }
  await expect(save({ manufacture_date: inDays(-4) })).rejects.toMatchObject(isMadeLater)
  // the receipt itself is what is corrected
  await save({ received_date: inDays(-4) })
  const line = { clinicId: receipt.clinic_id, batchId: id, expected: 10, quantity: 9 }
  await saveClinicInventory(me, { ...line, id: uuidv7(), reason: 'Broken', day: inDays(-3) })
  await save({ received_date: inDays(-3) })
  await expect(save({ received_date: inDays(-2) })).rejects.toMatchObject(
    asks('batches.movedBefore', inDays(-3)),
  )
  await save({ received_date: inDays(-2), confirmed: ['unlikely_date'] })
  // what was answered is not asked again
  await save({ received_date: inDays(-2), manufacture_date: inDays(-9) })
})

test('a second receipt of a batch keeps its own price and supplier', async ({ as, make }) => {
  const me = as('admin')
  const [clinic, drug] = [await make.clinic(), await make.drug()]
  const first = aReceipt(clinic, drug)
  await createBatch(me, {
    ...first,
    supplier_name: 'Depot',
    purchase_price: 1.5,
    purchase_currency: 'JOD',
  })
  await createBatch(me, {
    ...first,
    id: uuidv7(),
    supplier_name: 'Red Crescent',
    purchase_price: 2,
    purchase_currency: 'USD',
  })
  expect((await listLedger(me, { clinicId: clinic.id })).rows).toMatchObject([
    { reason: 'Red Crescent', purchase_price: 2, purchase_currency: 'USD' },
    { reason: 'Depot', purchase_price: 1.5, purchase_currency: 'JOD' },
  ])
})

test('an article without batch and expiry is one batch, dispensed last, and says no expiry', async ({
  as,
  db,
  make,
}) => {
  const me = as('admin')
  const [clinic, drug] = [await make.clinic(), await make.drug()]
  const none = { ...aReceipt(clinic, drug), batch_number: NO_BATCH_NUMBER, expiry_date: NO_EXPIRY }
  const first = await createBatch(me, none)
  expect(await createBatch(me, { ...none, id: uuidv7() })).toEqual({
    id: first.id,
    quantity_available: 20,
  })
  await expect(
    createBatch(me, { ...none, id: uuidv7(), expiry_date: inDays(300) }),
  ).rejects.toMatchObject({ fields: { expiry_date: { key: 'batches.noExpiryHalf' } } })
  await createBatch(me, aReceipt(clinic, drug))
  const { picks } = await pickBatches(db, {
    clinicId: clinic.id,
    drugId: drug.id,
    quantity: 12,
    now: new Date(),
  })
  expect(picks.map(({ batch_number }) => batch_number)).toEqual(['L-1', NO_BATCH_NUMBER])
  const { columns, rows } = await exportInventory(me, { clinicId: clinic.id })
  const at = columns.indexOf('expiry_date')
  expect(rows.map((row) => row[at])).toEqual([inDays(400), ''])
})

test.for(['to_supplier', 'donated', 'opened'] as const)(
  'stock that leaves as %s is a movement of that kind',
  async (kind, { as, make }) => {
    const me = as('admin')
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10)
    const reason = 'As agreed'
    const line = { id: uuidv7(), clinicId: clinic.id, batchId: batch.id, quantity: 3, reason }
    expect(await writeOffStock(me, { ...line, kind })).toEqual({
      quantity_available: 7,
      beyond: 0,
    })
    const { rows } = await listLedger(me, { clinicId: clinic.id })
    expect(rows[0]).toMatchObject({ transaction_type: kind, quantity: -3 })
    expect(describeMovement(rows[0]!).key).toBe(`inventory.story_${kind}`)
  },
)

test('an expired batch or one in quarantine is transferred only when a user says that it is right', async ({
  as,
  make,
}) => {
  const [from, to] = [await make.clinic(), await make.clinic()]
  const batch = await make.stock(from.id, 10, { expiry_date: inDays(-3) })
  const request = {
    id: uuidv7(),
    fromClinicId: from.id,
    toClinicId: to.id,
    lines: [{ batchId: batch.id, quantity: 4 }],
  }
  await expect(transferStock(as('admin'), request)).rejects.toMatchObject({
    text: { key: 'asked.barred_batch' },
    fields: { 'lines.0': { key: 'batches.isExpired' } },
  })
  await transferStock(as('admin'), { ...request, confirmed: ['barred_batch'] })
  const recalled = await make.stock(from.id, 10, { is_quarantined: true })
  const back = { ...request, id: uuidv7(), lines: [{ batchId: recalled.id, quantity: 10 }] }
  await expect(transferStock(as('admin'), back)).rejects.toMatchObject({
    text: { key: 'asked.barred_batch' },
    fields: { 'lines.0': { key: 'batches.isQuarantined' } },
  })
  await transferStock(as('admin'), { ...back, confirmed: ['barred_batch'] })
  expect((await listLedger(as('admin'), { clinicId: to.id })).rows).toHaveLength(2)
})
