import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { test } from '../../../../../test/harness'
import { createBatch, quarantineBatch } from '../batches.server'
import { listInventory } from '../inventory.server'
import { listLedger } from '../ledger/ledger.server'
import { reportDispensed, reserveStock } from '../ledger/movements.server'
import { listShortfalls, settleShortfall } from './shortfalls.server'
import {
  countStock,
  saveClinicInventory,
  transferStock,
  writeOffStock,
} from './stock-changes.server'

const keeper = (...clinics: { id: string }[]) =>
  [
    'provider',
    Object.fromEntries(clinics.map(({ id }) => [id, ['is_clinic_admin'] as Permission[]])),
  ] as const

test.for([['can_manage_stock'], ['is_clinic_admin']] as const)(
  '%s is enough for every change of the stock of a clinic, and for no other clinic',
  async ([permission], { as, make }) => {
    const [clinic, second, other] = [await make.clinic(), await make.clinic(), await make.clinic()]
    const held = [permission] as Permission[]
    const me = as('registrar', { [clinic.id]: held, [second.id]: held })
    const stock = await make.stock(clinic.id, 10)
    const [batchId, reason] = [stock.id, 'Two were broken']
    const { items: before } = await listInventory(me, { clinicId: clinic.id })
    const drug_id = before[0]!.id
    const batch = { batch_number: 'L-9', expiry_date: '2099-06-30', received_date: '2026-01-05' }
    const receive = (clinic_id: string) =>
      createBatch(me, {
        id: uuidv7(),
        clinic_id,
        drug_id,
        ...batch,
        quantity: 5,
        confirmed: ['old_day', 'unlikely_date'],
      })
    const count = (clinicId: string) =>
      countStock(me, { id: uuidv7(), clinicId, counts: [{ batchId, expected: 10, counted: 9 }] })
    const correct = (clinicId: string) =>
      saveClinicInventory(me, { id: uuidv7(), clinicId, batchId, expected: 9, quantity: 8, reason })
    const lose = (clinicId: string) =>
      writeOffStock(me, { id: uuidv7(), clinicId, batchId, kind: 'damaged', quantity: 1, reason })
    const move = (toClinicId: string) =>
      transferStock(me, {
        id: uuidv7(),
        fromClinicId: clinic.id,
        toClinicId,
        lines: [{ batchId, quantity: 2 }],
      })
    await receive(clinic.id)
    await count(clinic.id)
    await correct(clinic.id)
    await lose(clinic.id)
    await move(second.id)
    await quarantineBatch(me, { id: batchId, is_quarantined: true, reason })
    const { items } = await listInventory(me, { clinicId: clinic.id })
    expect(items.reduce((sum, { on_hand }) => sum + on_hand, 0)).toBe(5 + 5)
    for (const change of [receive, count, correct, lose, move])
      await expect(change(other.id)).rejects.toMatchObject({ code: 'forbidden' })
  },
)

const otherRequest = { text: { key: 'inventory.otherRequest' } }

describe('counting', () => {
  test('sets what was counted, tells the differences, and remembers when', async ({
    as,
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const [more, same] = [await make.stock(clinic.id, 10), await make.stock(clinic.id, 5)]
    const dispenser = as('provider', { [clinic.id]: ['can_dispense_medications'] })
    const request = {
      id: uuidv7(),
      clinicId: clinic.id,
      counts: [
        { batchId: more.id, expected: 10, counted: 12 },
        { batchId: same.id, expected: 5, counted: 5 },
      ],
      note: 'November',
    }

    expect(await countStock(dispenser, request)).toEqual({ differences: 1, beyond: 0 })
    expect(await countStock(dispenser, request)).toEqual({ differences: 0, beyond: 0 })
    // the first answer was lost, and the user corrected a number: that was not counted
    const [first, second] = request.counts
    for (const counts of [
      [{ ...first!, counted: 11 }, second!],
      [first!, { ...second!, counted: 4 }],
    ])
      await expect(countStock(dispenser, { ...request, counts })).rejects.toMatchObject(
        otherRequest,
      )
    const rows = await db
      .selectFrom('clinic_inventory')
      .select(['quantity_available', 'last_counted_at'])
      .execute()
    expect(
      rows.map(({ quantity_available }) => quantity_available).toSorted((a, b) => a - b),
    ).toEqual([5, 12])
    expect(rows.every(({ last_counted_at }) => last_counted_at !== null)).toBe(true)
    const reader = as('provider', {
      [clinic.id]: ['can_view_history', 'can_prescribe_medications'],
    })
    await expect(countStock(reader, request)).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('what moved since it was looked at is refused, line by line, and nothing is changed', async ({
    as,
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const [moved, same] = [await make.stock(clinic.id, 8), await make.stock(clinic.id, 5)]
    const counts = [
      { batchId: same.id, expected: 5, counted: 4 },
      { batchId: moved.id, expected: 10, counted: 9 },
    ]

    await expect(
      countStock(as('admin'), { id: uuidv7(), clinicId: clinic.id, counts }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'inventory.movedMeanwhile' },
      fields: { 'counts.1': { key: 'inventory.nowThere', values: { quantity: 8 } } },
    })
    expect(await db.selectFrom('inventory_transactions').select('id').execute()).toHaveLength(2)
  })

  test('a batch that was never here, twice in the list, or no list at all is refused', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const other = await make.stock((await make.clinic()).id, 5)
    const line = { batchId: other.id, expected: 0, counted: 1 }
    const request = { id: uuidv7(), clinicId: clinic.id }

    await expect(countStock(as('admin'), { ...request, counts: [line] })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(
      countStock(as('admin'), { ...request, counts: [line, line] }),
    ).rejects.toMatchObject({
      fields: { counts: { key: 'inventory.batchTwice' } },
    })
    await expect(countStock(as('admin'), { ...request, counts: [] })).rejects.toMatchObject({
      fields: { counts: { key: 'inventory.noLines' } },
    })
    const negative = { ...request, counts: [{ ...line, counted: -1 }] }
    await expect(countStock(as('admin'), negative)).rejects.toMatchObject({
      fields: { 'counts.0.counted': { key: 'validation.tooSmall' } },
    })
  })
})

describe('taking out and correcting', () => {
  test('expired stock is written off once, by an administrator of the clinic, with a reason', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10, { expiry_date: '2020-01-31' })
    const request = {
      id: uuidv7(),
      clinicId: clinic.id,
      batchId: batch.id,
      kind: 'expired' as const,
      quantity: 10,
      reason: 'Burnt',
    }

    expect(await writeOffStock(as(...keeper(clinic)), request)).toEqual({
      quantity_available: 0,
      beyond: 0,
    })
    expect(await writeOffStock(as(...keeper(clinic)), request)).toEqual({
      quantity_available: 0,
      beyond: 0,
    })
    expect((await listLedger(as('admin'), { batchId: batch.id })).rows).toMatchObject([
      {
        transaction_type: 'expired',
        quantity: -10,
        balance_after: 0,
        drug_balance: 0,
        reason: 'Burnt',
      },
      { transaction_type: 'received', quantity: 10, balance_after: 10, drug_balance: 10 },
    ])
    await expect(
      writeOffStock(as('provider', { [clinic.id]: ['can_dispense_medications'] }), request),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('what has not expired is not written off as such, nor more than there is', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10)
    const request = {
      id: uuidv7(),
      clinicId: clinic.id,
      batchId: batch.id,
      quantity: 11,
      reason: 'Fell',
    }

    await expect(writeOffStock(as('admin'), { ...request, kind: 'expired' })).rejects.toMatchObject(
      {
        fields: { kind: { key: 'inventory.notExpired' } },
      },
    )
    await expect(writeOffStock(as('admin'), { ...request, kind: 'damaged' })).rejects.toMatchObject(
      {
        fields: { quantity: { key: 'inventory.notEnough' } },
      },
    )
    await expect(
      writeOffStock(as('admin'), { ...request, kind: 'damaged', reason: ' ' }),
    ).rejects.toMatchObject({
      fields: { reason: { key: 'inventory.reasonRequired' } },
    })
    const possible = { ...request, quantity: 2, kind: 'damaged' as const }
    for (const _ of [1, 2])
      expect(await writeOffStock(as('admin'), possible)).toMatchObject({ quantity_available: 8 })
    await expect(
      writeOffStock(as('admin'), { ...possible, kind: 'to_supplier' }),
    ).rejects.toMatchObject(otherRequest)
  })

  test('an adjustment needs a reason, a difference, and what was there when it was looked at', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 10)
    const request = {
      id: uuidv7(),
      clinicId: clinic.id,
      batchId: batch.id,
      expected: 10,
      quantity: 7.5,
      reason: 'Spilt',
    }

    await expect(
      saveClinicInventory(as('admin'), { ...request, quantity: 10 }),
    ).rejects.toMatchObject({
      fields: { quantity: { key: 'inventory.noDifference' } },
    })
    await expect(
      saveClinicInventory(as('admin'), { ...request, expected: 9 }),
    ).rejects.toMatchObject({
      fields: { quantity: { key: 'inventory.nowThere', values: { quantity: 10 } } },
    })
    expect(await saveClinicInventory(as(...keeper(clinic)), request)).toEqual({
      quantity_available: 7.5,
      beyond: 0,
    })
    expect(await saveClinicInventory(as(...keeper(clinic)), request)).toEqual({
      quantity_available: 7.5,
      beyond: 0,
    })
    await expect(
      saveClinicInventory(as('registrar', { [clinic.id]: ['can_register_patients'] }), request),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('moving between clinics', () => {
  test('takes out of one and brings into the other, all or nothing, once', async ({
    as,
    db,
    make,
  }) => {
    const [from, to] = [await make.clinic({ name: 'From' }), await make.clinic({ name: 'To' })]
    const [a, b] = [await make.stock(from.id, 10), await make.stock(from.id, 5)]
    const request = {
      id: uuidv7(),
      fromClinicId: from.id,
      toClinicId: to.id,
      lines: [
        { batchId: a.id, quantity: 4 },
        { batchId: b.id, quantity: 6 },
      ],
    }
    await expect(transferStock(as(...keeper(from, to)), request)).rejects.toMatchObject({
      fields: { 'lines.1': { key: 'inventory.notEnoughOf', values: { available: 5 } } },
    })
    const possible = { ...request, lines: [request.lines[0]!, { batchId: b.id, quantity: 5 }] }
    await transferStock(as(...keeper(from, to)), possible)
    await transferStock(as(...keeper(from, to)), possible)
    // the answer was lost, and another clinic or quantity was chosen: that did not happen
    const [moved, also] = possible.lines
    const third = await make.clinic()
    for (const other of [
      { toClinicId: third.id },
      { fromClinicId: to.id, toClinicId: third.id, lines: [moved!] },
      { fromClinicId: third.id },
      {
        lines: [
          { ...moved!, quantity: 5 },
          { ...also!, quantity: 4 },
        ],
      },
    ])
      await expect(transferStock(as('admin'), { ...possible, ...other })).rejects.toMatchObject(
        otherRequest,
      )

    const sums = await db
      .selectFrom('clinic_inventory')
      .select(({ fn }) => ['clinic_id', fn.sum<number>('quantity_available').as('sum')])
      .groupBy('clinic_id')
      .execute()
    expect(Object.fromEntries(sums.map(({ clinic_id, sum }) => [clinic_id, sum]))).toEqual({
      [from.id]: 6,
      [to.id]: 9,
    })
    expect((await listLedger(as('admin'), { clinicId: to.id })).rows).toMatchObject([
      { transaction_type: 'transferred_in', other_clinic_name: 'From' },
      { transaction_type: 'transferred_in' },
    ])
  })

  test('needs the right in both clinics, and two of them', async ({ as, make }) => {
    const [from, to] = [await make.clinic(), await make.clinic()]
    const batch = await make.stock(from.id, 10)
    const request = {
      id: uuidv7(),
      fromClinicId: from.id,
      toClinicId: to.id,
      lines: [{ batchId: batch.id, quantity: 1 }],
    }

    await expect(transferStock(as(...keeper(from)), request)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      transferStock(as('admin'), { ...request, toClinicId: from.id }),
    ).rejects.toMatchObject({
      fields: { toClinicId: { key: 'inventory.sameClinic' } },
    })
  })

  test('leaves what is held for a prescription', async ({ as, db, make }) => {
    const [from, to] = [await make.clinic(), await make.clinic()]
    const batch = await make.stock(from.id, 10)
    await reserveStock(db, {
      clinicId: from.id,
      drugId: batch.drug_id,
      quantity: 8,
      referenceId: uuidv7(),
      now: new Date(),
    })

    await expect(
      transferStock(as('admin'), {
        id: uuidv7(),
        fromClinicId: from.id,
        toClinicId: to.id,
        lines: [{ batchId: batch.id, quantity: 3 }],
      }),
    ).rejects.toMatchObject({ text: { key: 'inventory.heldForOthers' } })
  })
})

describe('what phones gave out beyond the stock', () => {
  test('is listed, and settled once from stock that turned up or with an explanation', async ({
    as,
    db,
    make,
  }) => {
    const clinic = await make.clinic()
    const batch = await make.stock(clinic.id, 2)
    const reported = {
      clinicId: clinic.id,
      drugId: batch.drug_id,
      by: null,
      at: new Date(),
      quantity: 5,
      referenceId: uuidv7(),
    }
    await reportDispensed(db, reported)
    const [shortfall] = (
      await listShortfalls(as('provider', { [clinic.id]: ['can_dispense_medications'] }), {})
    ).rows
    expect(shortfall).toMatchObject({ quantity: 3, settlement: null })
    const request = { id: shortfall!.id, settlement: 'posted' as const, reason: 'Found in the car' }

    await expect(settleShortfall(as(...keeper(clinic)), request)).rejects.toMatchObject({
      text: { key: 'inventory.notEnoughOf', values: { available: 0 } },
    })
    await make.stock(clinic.id, 10, { drug_id: batch.drug_id })
    await settleShortfall(as(...keeper(clinic)), request)
    await settleShortfall(as(...keeper(clinic)), request)
    await expect(
      settleShortfall(as('admin'), { ...request, settlement: 'explained' }),
    ).rejects.toMatchObject({
      text: { key: 'inventory.alreadySettled' },
    })
    expect(await listInventory(as('admin'), { clinicId: clinic.id })).toMatchObject({
      items: [{ on_hand: 7 }],
    })
    expect((await listShortfalls(as('admin'), { settled: true })).rows).toMatchObject([
      { settlement: 'posted' },
    ])
    await expect(
      settleShortfall(as('provider', { [clinic.id]: ['can_dispense_medications'] }), request),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })
})
