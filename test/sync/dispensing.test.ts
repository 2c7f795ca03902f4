import { expect } from 'vitest'
import type { Person } from './clinic'
import { EVERYTHING, test as base } from './clinic'
import type { Phone, Row } from './phone'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 23, 9)

/** A prescription for 10 of a medicine, on the phone of a provider who may do everything. */
const test = base.extend('counter', ({ make, person, phoneOf }) => async (of: Row = {}) => {
  const clinic = await make.clinic()
  const author = await person('provider', [clinic], EVERYTHING)
  const batch = await make.stock(clinic.id, 100)
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const phone = phoneOf(author)
  await phone.sync()
  const [stock] = await phone.all('clinic_inventory')
  const by = { patient_id: patient.id, recorded_by_user_id: author.id, metadata: '{}' }
  const prescription = await phone.create('prescriptions', {
    ...by,
    provider_id: author.id,
    filled_by: null,
    pickup_clinic_id: clinic.id,
    visit_id: null,
    priority: 'normal',
    expiration_date: 0,
    prescribed_at: NOW - 30 * DAY,
    filled_at: null,
    status: 'pending',
    items: '[]',
    notes: '',
  })
  const item = await phone.create('prescription_items', {
    ...by,
    prescription_id: prescription,
    drug_id: String(stock!['drug_id']),
    clinic_id: clinic.id,
    dosage_instructions: '',
    quantity_prescribed: 10,
    quantity_dispensed: 0,
    refills_authorized: 0,
    refills_used: 0,
    item_status: 'active',
    notes: null,
    ...of,
  })
  await phone.sync()
  await phone.sync()
  return { clinic, author, batch, patient, phone, prescription, item, stock: stock! }
})

type Counter = {
  phone: Phone
  author: Person
  item: string
  stock: Row
}

/**
 * As the app dispenses (docs/phone-sync.md, "What the app sends"): it takes the stock off itself,
 * counts up to the prescribed quantity, and refuses more than that.
 */
async function dispense({ phone, author, item, stock }: Counter, quantity: number, at = NOW) {
  const row = (await phone.find('prescription_items', item))!
  const total = Number(row['quantity_dispensed']) + quantity
  if (total > Number(row['quantity_prescribed'])) throw new Error('more than prescribed')
  await phone.update('prescription_items', item, { quantity_dispensed: total })
  const held = (await phone.find('clinic_inventory', String(stock['id'])))!
  await phone.update('clinic_inventory', String(stock['id']), {
    quantity_available: Number(held['quantity_available']) - quantity,
  })
  return phone.create('dispensing_records', {
    clinic_id: row['clinic_id']!,
    drug_id: row['drug_id']!,
    batch_id: stock['batch_id']!,
    prescription_item_id: item,
    patient_id: row['patient_id']!,
    quantity_dispensed: quantity,
    dosage_instructions: null,
    days_supply: null,
    dispensed_by: author.id,
    dispensed_at: at,
    recorded_by_user_id: null,
  })
}

test('a phone is offered each refill, and the server counts all that was dispensed', async ({
  db,
  counter,
}) => {
  const at = await counter({ refills_authorized: 2 })
  const { phone, item, prescription } = at
  const shown = async () => {
    const row = (await phone.find('prescription_items', item))!
    return ['quantity_dispensed', 'refills_used', 'item_status'].map((column) => row[column])
  }
  const counted = () =>
    db
      .selectFrom('prescription_items')
      .select(['quantity_dispensed', 'refills_used', 'item_status'])
      .where('id', '=', item)
      .executeTakeFirst()
  const given = async (quantity: number) => {
    await dispense(at, quantity)
    await phone.sync()
    await phone.sync()
    return shown()
  }
  expect(await given(4)).toEqual([4, 0, 'active'])
  expect(await counted()).toEqual({
    quantity_dispensed: 4,
    refills_used: 0,
    item_status: 'partially_dispensed',
  })
  expect(await given(6)).toEqual([0, 1, 'active'])
  await expect(dispense(at, 11)).rejects.toThrow('more than prescribed')
  expect(await given(10)).toEqual([0, 2, 'active'])
  expect(await counted()).toMatchObject({ quantity_dispensed: 20 })
  expect(await given(10)).toEqual([10, 2, 'completed'])
  expect(await counted()).toEqual({
    quantity_dispensed: 30,
    refills_used: 2,
    item_status: 'completed',
  })
  expect(await phone.find('prescriptions', prescription)).toMatchObject({ status: 'picked-up' })
  // the app's own step to the next refill, before a sync has brought it
  await phone.update('prescription_items', item, {
    quantity_dispensed: 0,
    refills_used: 2,
    item_status: 'active',
  })
  await phone.sync()
  await phone.sync()
  expect(await shown()).toEqual([10, 2, 'completed'])
  expect(await db.selectFrom('sync_conflicts').selectAll().execute()).toEqual([])
})

test('a quantity that was dispensed without a record is in the inbox, and the item is not completed', async ({
  db,
  counter,
}) => {
  const { phone, item, author } = await counter()
  await phone.update('prescription_items', item, {
    quantity_dispensed: 10,
    item_status: 'completed',
  })
  await phone.sync()
  await phone.sync()
  expect(await phone.find('prescription_items', item)).toMatchObject({
    quantity_dispensed: 0,
    item_status: 'active',
  })
  const inbox = db
    .selectFrom('sync_conflicts')
    .select(['row_id', 'column_name', 'phone_value', 'server_value'])
    .where('user_id', '=', author.id)
  expect(await inbox.execute()).toEqual([
    { row_id: item, column_name: 'quantity_dispensed', phone_value: 10, server_value: 0 },
  ])
})

test('the dispensing that completes a prescription is its filling, not an earlier day that a phone sent', async ({
  db,
  counter,
}) => {
  const at = await counter()
  const { phone, prescription, author } = at
  const filling = () =>
    db
      .selectFrom('prescriptions')
      .select(['filled_at', 'filled_by', 'status'])
      .where('id', '=', prescription)
      .executeTakeFirst()
  const early = new Date(NOW - 5 * DAY)
  await phone.update('prescriptions', prescription, {
    filled_at: early.getTime(),
    filled_by: author.id,
  })
  await dispense(at, 4, NOW - DAY)
  await phone.sync()
  // what the phone sent is not dropped while only a part was dispensed
  expect(await filling()).toEqual({
    filled_at: early,
    filled_by: author.id,
    status: 'partially-picked-up',
  })
  const last = await dispense(at, 6, NOW)
  await phone.sync()
  expect(await filling()).toEqual({
    filled_at: new Date(NOW),
    filled_by: author.id,
    status: 'picked-up',
  })
  await phone.delete('dispensing_records', last)
  await phone.sync()
  expect(await filling()).toEqual({
    filled_at: null,
    filled_by: null,
    status: 'partially-picked-up',
  })
})

test('an early date of filling sent with all records of one push is put right, too', async ({
  db,
  counter,
}) => {
  const at = await counter()
  await at.phone.update('prescriptions', at.prescription, {
    filled_at: NOW - 5 * DAY,
    status: 'picked-up',
  })
  await dispense(at, 10, NOW)
  await at.phone.sync()
  const stored = db.selectFrom('prescriptions').select(['filled_at', 'status'])
  expect(await stored.where('id', '=', at.prescription).executeTakeFirst()).toEqual({
    filled_at: new Date(NOW),
    status: 'picked-up',
  })
})

test('the stock on a phone is put right when its dispensing is refused', async ({
  db,
  counter,
}) => {
  const at = await counter()
  const { phone, author, stock, clinic } = at
  const held = async () =>
    (await phone.find('clinic_inventory', String(stock['id'])))!['quantity_available']
  const may = (can_dispense_medications: boolean) =>
    db
      .updateTable('user_clinic_permissions')
      .set({ can_dispense_medications })
      .where('user_id', '=', author.id)
      .where('clinic_id', '=', clinic.id)
      .execute()
  await may(false)
  await phone.sync()
  await dispense(at, 4)
  expect(await held()).toBe(96)
  await phone.sync()
  const refused = db.selectFrom('sync_quarantine').select('table_name')
  expect(await refused.where('user_id', '=', author.id).execute()).toEqual([
    { table_name: 'dispensing_records' },
  ])
  await phone.sync()
  expect(await held()).toBe(100)
  // a row that only the phone has is removed from it
  const own = await phone.create('clinic_inventory', { ...stock, id: crypto.randomUUID() })
  for (let time = 0; time < 3; time += 1) await phone.sync()
  expect(await phone.find('clinic_inventory', own)).toBeUndefined()
  await phone.sync()
  expect(Object.values(phone.lastPull!.changes).flatMap(({ updated }) => updated)).toEqual([])
})
