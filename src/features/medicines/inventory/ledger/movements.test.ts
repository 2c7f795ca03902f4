import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { brokenRule, test } from '../../../../../test/harness'
import {
  dispenseStock,
  isPosted,
  pickBatches,
  postMovements,
  releaseStock,
  reportDispensed,
  reserveStock,
  returnStock,
} from './movements.server'

const now = new Date('2026-11-21T09:00:00Z')
const day = '2026-11-21'

describe('picking', () => {
  test('the batch that expires first is given first, and the next when it does not suffice', async ({
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const later = await make.stock(clinic.id, 30, {
      expiry_date: '2028-01-01',
      batch_number: 'LATER',
    })
    const first = await make.stock(clinic.id, 10, {
      drug_id: later.drug_id,
      expiry_date: '2027-01-01',
    })
    const wanted = { clinicId: clinic.id, drugId: later.drug_id, now }

    expect(
      await pickBatches(db, { ...wanted, quantity: 25, courseEnds: '2027-06-01' }),
    ).toMatchObject({
      picks: [
        {
          batch_id: first.id,
          quantity: 10,
          reason: 'inventory.pickedFirst',
          expiresInCourse: true,
        },
        {
          batch_id: later.id,
          quantity: 15,
          reason: 'inventory.pickedNext',
          expiresInCourse: false,
        },
      ],
      missing: 0,
    })
    expect(await pickBatches(db, { ...wanted, quantity: 5 })).toMatchObject({
      picks: [{ batch_id: first.id, quantity: 5 }],
      passedOver: [{ batch_number: 'LATER', reason: 'inventory.barredLater' }],
    })
    expect(await pickBatches(db, { ...wanted, quantity: 41 })).toMatchObject({ missing: 1 })
  })

  test('an expired or quarantined batch is never picked, and it is said why', async ({
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const { drug_id } = await make.stock(clinic.id, 10, {
      expiry_date: '2026-11-20',
      batch_number: 'OLD',
    })
    await make.stock(clinic.id, 10, {
      drug_id,
      is_quarantined: true,
      batch_number: 'BAD',
      expiry_date: '2027-01-01',
    })
    await make.stock(clinic.id, 10, { drug_id, batch_number: 'TODAY', expiry_date: day })

    expect(
      await pickBatches(db, { clinicId: clinic.id, drugId: drug_id, now, quantity: 30 }),
    ).toMatchObject({
      picks: [{ batch_number: 'TODAY', quantity: 10 }],
      missing: 20,
      passedOver: [
        { batch_number: 'OLD', reason: 'inventory.barredExpired' },
        { batch_number: 'BAD', reason: 'inventory.barredQuarantined' },
      ],
    })
  })

  test('a thousand batches that are used up do not hide the one on hand', async ({ db, make }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10, { expiry_date: '2027-01-01' })
    await sql`with used as (
        insert into drug_batches (id, drug_id, batch_number, received_date, expiry_date)
          select gen_random_uuid(), ${batch.drug_id}, 'USED ' || n, '2026-01-05', '2026-12-01'
          from generate_series(1, 1000) n
          returning id, batch_number, expiry_date)
      insert into clinic_inventory (clinic_id, drug_id, batch_id, batch_number, batch_expiry_date)
        select ${clinic.id}, ${batch.drug_id}, id, batch_number, expiry_date from used`.execute(db)

    expect(
      await pickBatches(db, { clinicId: clinic.id, drugId: batch.drug_id, now, quantity: 4 }),
    ).toMatchObject({ picks: [{ batch_id: batch.id, quantity: 4 }], missing: 0 })
  })

  test('stock of another clinic is not there', async ({ db, make }) => {
    const { drug_id } = await make.stock((await make.clinic()).id, 10)
    const other = await make.clinic()

    expect(
      await pickBatches(db, { clinicId: other.id, drugId: drug_id, now, quantity: 1 }),
    ).toEqual({
      picks: [],
      missing: 1,
      passedOver: [],
    })
  })
})

describe('dispensing', () => {
  test('takes from the batches named, and a return counters exactly that, once', async ({
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10)
    const given = { clinicId: clinic.id, drugId: batch.drug_id, referenceId: uuidv7(), now }

    expect(
      await dispenseStock(db, { ...given, batches: [{ batchId: batch.id, quantity: 4 }] }),
    ).toEqual([6])
    expect(await isPosted(db, given.referenceId)).toBe(true)
    await returnStock(db, { referenceId: given.referenceId, now, reason: 'Wrong patient' })
    await returnStock(db, { referenceId: given.referenceId, now, reason: 'Wrong patient' })

    const ledger = await db
      .selectFrom('inventory_transactions')
      .select(['transaction_type', 'quantity', 'balance_after', 'reason'])
      .orderBy('position')
      .execute()
    expect(ledger).toEqual([
      { transaction_type: 'received', quantity: 10, balance_after: 10, reason: null },
      { transaction_type: 'dispensed', quantity: -4, balance_after: 6, reason: null },
      { transaction_type: 'returned', quantity: 4, balance_after: 10, reason: 'Wrong patient' },
    ])
  })

  test.for([
    ['more than there is', 11, {}, 'clinic_inventory_quantity_available_check'],
    ['an expired batch', 1, { expiry_date: '2026-11-20' }, 'drug_batches_expired'],
    ['a quarantined batch', 1, { is_quarantined: true }, 'drug_batches_quarantined'],
  ] as const)(
    '%s is refused by the database itself',
    async ([, quantity, values, rule], { db, make }) => {
      const clinic = await make.clinic()
      const batch = await make.stock(clinic.id, 10, values)
      const movement = {
        clinicId: clinic.id,
        drugId: batch.drug_id,
        batchId: batch.id,
        type: 'dispensed' as const,
        quantity: -quantity,
        reference: 'dispensing' as const,
        referenceId: uuidv7(),
        now,
      }

      expect(await brokenRule(db, { execute: () => postMovements(db, [movement]) })).toBe(rule)
    },
  )

  test('the batch of another medicine is refused', async ({ db, make }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10)
    const other = await make.drug()
    const post = sql`select post_stock(${clinic.id}, ${other.id}, ${batch.id}, 'dispensed',
      -1, 'dispensing', ${uuidv7()}, null, null, ${day})`

    expect(await brokenRule(db, { execute: () => post.execute(db) })).toBe(
      'inventory_transactions_batch_id_fkey',
    )
  })
})

describe('reserved stock', () => {
  test('is not dispensed for others, and is available again when released', async ({
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10)
    const wanted = { clinicId: clinic.id, drugId: batch.drug_id, now }
    const item = uuidv7()
    expect(await reserveStock(db, { ...wanted, quantity: 8, referenceId: item })).toMatchObject({
      missing: 0,
    })

    expect(await pickBatches(db, { ...wanted, quantity: 5 })).toMatchObject({
      picks: [{ quantity: 2 }],
      missing: 3,
    })
    expect(await pickBatches(db, { ...wanted, quantity: 5, holdFor: item })).toMatchObject({
      missing: 0,
    })
    const others = {
      ...wanted,
      referenceId: uuidv7(),
      batches: [{ batchId: batch.id, quantity: 3 }],
    }
    expect(await brokenRule(db, { execute: () => dispenseStock(db, others) })).toBe(
      'clinic_inventory_held',
    )
    await dispenseStock(db, { ...others, holdFor: item })
    await reserveStock(db, { ...wanted, quantity: 7, referenceId: item })
    await releaseStock(db, item)

    expect(
      await db
        .selectFrom('clinic_inventory')
        .select(['quantity_available', 'reserved_quantity'])
        .execute(),
    ).toEqual([{ quantity_available: 7, reserved_quantity: 0 }])
  })

  test('a second hold for the same replaces the first, and takes no more than there is', async ({
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const { drug_id } = await make.stock(clinic.id, 10)
    const wanted = { clinicId: clinic.id, drugId: drug_id, now, referenceId: uuidv7() }
    await reserveStock(db, { ...wanted, quantity: 4 })

    expect(await reserveStock(db, { ...wanted, quantity: 14 })).toMatchObject({
      missing: 4,
      picks: [{ quantity: 10 }],
    })
  })
})

describe('what a phone gave out', () => {
  test('is posted as far as the stock goes, the rest is a shortfall', async ({ db, make }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10, {
      expiry_date: '2026-01-31',
      is_quarantined: true,
    })
    const reported = {
      clinicId: clinic.id,
      drugId: batch.drug_id,
      batchId: batch.id,
      by: uuidv7(),
      at: now,
    }
    const referenceId = uuidv7()

    expect(await reportDispensed(db, { ...reported, referenceId, quantity: 12.5 })).toEqual({
      shortfall: 2.5,
    })
    expect(
      await db
        .selectFrom('stock_shortfalls')
        .select(['quantity', 'batch_id', 'settlement'])
        .execute(),
    ).toEqual([{ quantity: 2.5, batch_id: batch.id, settlement: null }])
    await returnStock(db, { referenceId, now, reason: 'The phone took it back', isReported: true })
    expect(await db.selectFrom('stock_shortfalls').select('settlement').execute()).toEqual([
      { settlement: 'withdrawn' },
    ])
    expect(await db.selectFrom('clinic_inventory').select('quantity_available').execute()).toEqual([
      { quantity_available: 10 },
    ])
  })

  test('without a batch comes from the first to expire; a medicine never in stock is a shortfall alone', async ({
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const { drug_id } = await make.stock(clinic.id, 10)
    const reported = {
      clinicId: clinic.id,
      drugId: drug_id,
      by: null,
      at: now,
      referenceId: uuidv7(),
    }

    expect(await reportDispensed(db, { ...reported, quantity: 3 })).toEqual({ shortfall: 0 })
    const nowhere = {
      ...reported,
      drugId: (await make.drug()).id,
      batchId: uuidv7(),
      referenceId: uuidv7(),
    }
    expect(await reportDispensed(db, { ...nowhere, quantity: 3 })).toEqual({ shortfall: 3 })
  })
})

describe('the sums', () => {
  test('are written by movements alone, and the ledger is never written twice', async ({
    db,
    owner,
    make,
  }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10)

    const inventory = db.updateTable('clinic_inventory').set({ quantity_available: 99 })
    expect(await brokenRule(db, inventory)).toBe('clinic_inventory_by_ledger')
    const remaining = db
      .updateTable('drug_batches')
      .set({ quantity_remaining: 99 })
      .where('id', '=', batch.id)
    expect(await brokenRule(db, remaining)).toBe('drug_batches_by_ledger')
    // also for the owner, who has every privilege
    await expect(
      sql`savepoint a`
        .execute(owner)
        .then(() => owner.deleteFrom('inventory_transactions').execute()),
    ).rejects.toThrow('append-only')
    await sql`rollback to savepoint a`.execute(owner)
    await expect(
      owner.updateTable('inventory_transactions').set({ quantity: 1 }).execute(),
    ).rejects.toThrow('append-only')
  })

  test('a corrected or quarantined batch reaches the stock that phones see', async ({
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10)
    await db
      .updateTable('drug_batches')
      .set({ is_quarantined: true, expiry_date: '2030-01-31' })
      .where('id', '=', batch.id)
      .execute()

    expect(
      await db.selectFrom('clinic_inventory').select(['batch_expiry_date', 'metadata']).execute(),
    ).toEqual([{ batch_expiry_date: '2030-01-31', metadata: { is_quarantined: true } }])
  })
})
