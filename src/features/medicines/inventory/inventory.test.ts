import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { auditOf, test } from '../../../../test/harness'
import { createBatch, listBatches, quarantineBatch, saveBatch } from './batches.server'
import { listClinicBatches } from './clinic-batches.server'
import { exportInventory, inventoryAttention, listInventory } from './inventory.server'
import { pickBatches, reserveStock } from './ledger/movements.server'
import { transferStock, writeOffStock } from './changes/stock-changes.server'
import { clinicToday } from '~/shared/zone'

const inDays = (days: number) =>
  new Date(Date.parse(clinicToday()) + days * 86_400_000).toISOString().slice(0, 10)
const keeper = (...clinics: { id: string }[]) =>
  [
    'provider',
    Object.fromEntries(clinics.map(({ id }) => [id, ['is_clinic_admin'] as Permission[]])),
  ] as const
const aBatch = {
  batch_number: 'L-1',
  expiry_date: '2099-06-30',
  received_date: '2026-01-05',
  confirmed: ['old_day' as const, 'unlikely_date' as const],
}

describe('what a clinic has', () => {
  test('is listed by medicine: what can be given, what is held, what is barred', async ({
    as,
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const drug = await make.drug({ generic_name: 'Amoxicillin', min_stock_level: 50 })
    await make.stock(clinic.id, 30, { drug_id: drug.id, expiry_date: inDays(30) })
    await make.stock(clinic.id, 10, { drug_id: drug.id, expiry_date: inDays(-1) })
    await make.stock(clinic.id, 7, { drug_id: drug.id, is_quarantined: true })
    await reserveStock(db, {
      clinicId: clinic.id,
      drugId: drug.id,
      quantity: 5,
      referenceId: uuidv7(),
      now: new Date(),
    })
    await make.stock((await make.clinic()).id, 99, { drug_id: drug.id })

    const nurse = as('registrar', { [clinic.id]: ['can_register_patients'] })
    expect(await listInventory(nurse, { clinicId: clinic.id })).toMatchObject({
      items: [
        {
          drug_id: drug.id,
          generic_name: 'Amoxicillin',
          quantity: 25,
          on_hand: 47,
          reserved: 5,
          usable: 30,
          expiring: 30,
          expired: 10,
          quarantined: 7,
          next_expiry: inDays(30),
          is_low: true,
        },
      ],
      hasMore: false,
    })
    for (const only of ['low', 'expiring', 'expired', 'quarantined'] as const) {
      expect((await listInventory(nurse, { clinicId: clinic.id, only })).items).toHaveLength(1)
    }
    await expect(listInventory(nurse, { clinicId: uuidv7() })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('is searched by name, and says when there is more', async ({ as, make }) => {
    const clinic = await make.clinic()
    await make.stock(clinic.id, 1, {
      drug_id: (await make.drug({ generic_name: 'Zinc', ingredients: ['zinc'] })).id,
    })
    await make.stock(clinic.id, 1, {
      drug_id: (await make.drug({ generic_name: 'Aspirin', ingredients: [] })).id,
    })
    const ask = { clinicId: clinic.id }

    expect(await listInventory(as('admin'), { ...ask, searchQuery: 'aspirn' })).toMatchObject({
      items: [{ generic_name: 'Aspirin' }],
    })
    expect(await listInventory(as('admin'), { ...ask, limit: 1 })).toMatchObject({
      items: [{ generic_name: 'Aspirin' }],
      hasMore: true,
    })
    expect(await listInventory(as('admin'), { ...ask, limit: 1, offset: 1 })).toMatchObject({
      hasMore: false,
    })
  })

  test('low stock and stock that expires within 90 days are listed for all clinics of a user, and no others', async ({
    as,
    make,
  }) => {
    const [his, other] = [await make.clinic({ name: 'His' }), await make.clinic()]
    const drug = await make.drug({ min_stock_level: 20 })
    await make.stock(his.id, 5, { drug_id: drug.id, expiry_date: inDays(89) })
    await make.stock(his.id, 5, { drug_id: drug.id, expiry_date: inDays(90) })
    await make.stock(other.id, 5, { drug_id: drug.id, expiry_date: inDays(10) })

    expect(
      await inventoryAttention(as('provider', { [his.id]: ['can_view_history'] }), {}),
    ).toMatchObject({
      low: { total: 1, rows: [{ clinic_name: 'His', usable: 10, min_stock_level: 20 }] },
      expiring: { total: 1, rows: [{ quantity_available: 5, is_expired: false }] },
    })
    expect((await inventoryAttention(as('admin'), {})).expiring.total).toBe(2)
  })

  test('is listed batch by batch for a stock-take, with empty ones when asked', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const zinc = await make.stock(clinic.id, 5, {
      drug_id: (await make.drug({ generic_name: 'Zinc' })).id,
    })
    const expired = await make.stock(clinic.id, 5, {
      drug_id: zinc.drug_id,
      expiry_date: '2020-01-31',
    })
    const taken = {
      id: uuidv7(),
      clinicId: clinic.id,
      batchId: expired.id,
      quantity: 5,
      reason: 'Burnt',
    }
    await writeOffStock(as('admin'), { ...taken, kind: 'expired' })

    const ask = { clinicId: clinic.id, searchQuery: 'zinc' }
    expect(await listClinicBatches(as('admin'), ask)).toMatchObject({
      batches: [{ id: zinc.id }],
      total: 1,
    })
    expect(await listClinicBatches(as('admin'), { ...ask, withEmpty: true })).toMatchObject({
      batches: [
        { id: expired.id, quantity_available: 0, barred: 'inventory.barredExpired' },
        { id: zinc.id },
      ],
    })
    await expect(listClinicBatches(as('registrar'), ask)).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  test('goes into a file for users who may download', async ({ as, make }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 5)

    const { columns, rows } = await exportInventory(
      as('provider', { [clinic.id]: ['can_download_patient_reports'] }),
      {
        clinicId: clinic.id,
      },
    )
    expect(rows.map((row) => row[columns.indexOf('batch_number')])).toEqual([batch.batch_number])
    await expect(
      exportInventory(as(...keeper(clinic)), { clinicId: clinic.id }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

describe('receiving', () => {
  test('a new batch, then more of it, is added up; the same request twice is one', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const drug = await make.drug()
    const request = {
      ...aBatch,
      id: uuidv7(),
      clinic_id: clinic.id,
      drug_id: drug.id,
      quantity: 100,
      supplier_name: 'Depot',
    }

    const first = await createBatch(as(...keeper(clinic)), request)
    expect(await createBatch(as(...keeper(clinic)), request)).toEqual(first)
    // the first answer was lost, and the user corrected something: that was not received
    for (const other of [{ quantity: 10 }, { batch_number: 'L-7' }, { expiry_date: '2098-06-30' }])
      await expect(
        createBatch(as(...keeper(clinic)), { ...request, ...other }),
      ).rejects.toMatchObject({ text: { key: 'inventory.otherRequest' } })
    const more = { ...request, id: uuidv7(), batch_number: 'l-1', quantity: 0.5 }
    expect(await createBatch(as(...keeper(clinic)), more)).toEqual({
      id: first.id,
      quantity_available: 100.5,
    })
    expect(await listBatches(as('admin'), { drugId: drug.id })).toMatchObject([
      {
        batch_number: 'L-1',
        quantity_received: 100.5,
        quantity_remaining: 100.5,
        supplier_name: 'Depot',
        barred: null,
      },
    ])
  })

  test('the same number with another expiry is refused', async ({ as, make }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10, {
      batch_number: 'L-1',
      expiry_date: '2099-01-31',
    })

    await expect(
      createBatch(as('admin'), {
        ...aBatch,
        id: uuidv7(),
        clinic_id: clinic.id,
        drug_id: batch.drug_id,
        quantity: 1,
      }),
    ).rejects.toMatchObject({
      code: 'conflict',
      fields: { expiry_date: { key: 'batches.otherExpiry', values: { expiry: '2099-01-31' } } },
    })
  })

  test.for([
    ['batch_number', ' ', 'batches.numberRequired'],
    ['expiry_date', '2026-02-30', 'validation.date'],
    ['expiry_date', '2020-01-31', 'batches.alreadyExpired'],
    ['manufacture_date', '2100-01-01', 'batches.madeAfterExpiry'],
    ['quantity', 0, 'validation.tooSmall'],
    ['quantity', 0.0005, 'validation.tooSmall'],
    ['quantity', 1.2345, 'inventory.threeDecimals'],
    ['quantity', null, 'validation.required'],
    ['purchase_currency', 'dinar', 'validation.tooLong'],
    ['received_date', '', 'validation.required'],
  ] as const)('%s %j is refused beside its field', async ([field, value, key], { as, make }) => {
    const request = {
      ...aBatch,
      id: uuidv7(),
      clinic_id: (await make.clinic()).id,
      drug_id: (await make.drug()).id,
      quantity: 10,
    }
    await expect(createBatch(as('admin'), { ...request, [field]: value })).rejects.toMatchObject({
      code: 'invalid',
      fields: { [field]: { key } },
    })
  })

  test('is for administrators of the clinic, while it is open and the medicine in use', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const drug = await make.drug()
    const request = {
      ...aBatch,
      id: uuidv7(),
      clinic_id: clinic.id,
      drug_id: drug.id,
      quantity: 10,
    }
    const dispenser = as('provider', { [clinic.id]: ['can_dispense_medications'] })

    await expect(createBatch(dispenser, request)).rejects.toMatchObject({ code: 'forbidden' })
    await expect(createBatch(as('admin'), { ...request, drug_id: uuidv7() })).rejects.toMatchObject(
      {
        code: 'not_found',
      },
    )
    const unused = { ...request, drug_id: (await make.drug({ is_active: false })).id }
    await expect(createBatch(as('admin'), unused)).rejects.toMatchObject({
      text: { key: 'drugs.notInUse' },
    })
    const closed = { ...request, clinic_id: (await make.clinic({ is_archived: true })).id }
    await expect(createBatch(as('admin'), closed)).rejects.toMatchObject({
      text: { key: 'clinics.archivedReadOnly' },
    })
  })
})

describe('a batch', () => {
  test('is listed with the stock of each of the user’s clinics, and only available ones on request', async ({
    as,
    make,
  }) => {
    const [his, other] = [await make.clinic({ name: 'His' }), await make.clinic()]
    const good = await make.stock(his.id, 10)
    await make.stock(his.id, 10, { drug_id: good.drug_id, expiry_date: '2020-01-31' })
    await make.stock(other.id, 10, { drug_id: good.drug_id })
    const nurse = as('registrar', { [his.id]: ['can_register_patients'] })

    expect(await listBatches(nurse, { drugId: good.drug_id })).toMatchObject([
      { barred: 'inventory.barredExpired' },
      { id: good.id, stock: [{ clinic_name: 'His', quantity_available: 10 }] },
    ])
    expect(await listBatches(nurse, { drugId: good.drug_id, onlyAvailable: true })).toHaveLength(1)
    expect(await listBatches(as('admin'), { drugId: good.drug_id })).toHaveLength(3)
  })

  test('goes into quarantine everywhere, by the administrator of any clinic that holds it', async ({
    as,
    db,
    make,
  }) => {
    const [his, other] = [await make.clinic(), await make.clinic()]
    const batch = await make.stock(other.id, 10)
    const request = { id: batch.id, is_quarantined: true, reason: 'Recalled' }
    await expect(quarantineBatch(as(...keeper(his)), request)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await quarantineBatch(as(...keeper(other)), request)

    expect(await listBatches(as('admin'), { drugId: batch.drug_id })).toMatchObject([
      {
        is_quarantined: true,
        barred: 'inventory.barredQuarantined',
        quarantine: { reason: 'Recalled', by: 'Test user' },
      },
    ])
    const wanted = { clinicId: other.id, drugId: batch.drug_id, quantity: 1, now: new Date() }
    expect((await pickBatches(db, wanted)).picks).toEqual([])
    await expect(quarantineBatch(as('admin'), { ...request, reason: '' })).rejects.toMatchObject({
      fields: { reason: { key: 'inventory.reasonRequired' } },
    })
  })

  test('is corrected by users who administer all clinics that hold it', async ({
    as,
    db,
    make,
  }) => {
    const [one, two] = [await make.clinic(), await make.clinic()]
    const batch = await make.stock(one.id, 10)
    await transferStock(as('admin'), {
      id: uuidv7(),
      fromClinicId: one.id,
      toClinicId: two.id,
      lines: [{ batchId: batch.id, quantity: 4 }],
    })
    const { last_modified } = (await listBatches(as('admin'), { drugId: batch.drug_id }))[0]!
    const request = {
      reason: 'Misread on the box',
      ...aBatch,
      id: batch.id,
      last_modified,
    }

    await expect(saveBatch(as(...keeper(one)), request)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await saveBatch(as(...keeper(one, two)), request)
    expect((await auditOf(db, batch.id)).at(-1)?.changes).toMatchObject({
      batch_number: [batch.batch_number, 'L-1'],
    })
    const other = await make.batch({ drug_id: batch.drug_id, batch_number: 'l-1x' })
    const twice = { ...request, id: other.id, last_modified: other.last_modified }
    await expect(saveBatch(as('admin'), twice)).rejects.toMatchObject({
      fields: { batch_number: { key: 'batches.numberTaken' } },
    })
  })
})
