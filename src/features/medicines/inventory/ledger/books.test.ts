import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import { AppError } from '~/shared/errors'
import { cloneTemplate, test } from '../../../../../test/harness'
import { makeFactories } from '../../../../../test/factories'
import { createBatch, quarantineBatch } from '../batches.server'
import {
  lockAndPick,
  dispenseStock,
  releaseStock,
  reportDispensed,
  reserveStock,
  returnStock,
} from './movements.server'
import {
  countStock,
  saveClinicInventory,
  transferStock,
  writeOffStock,
} from '../changes/stock-changes.server'
import { clinicToday } from '~/shared/zone'

type Place = { clinic: number; drug: number; batch: number; quantity: number }
type Step = Place & { kind: keyof typeof steps }
type World = {
  ctx: Context
  clinics: string[]
  drugs: string[]
  batches: { id: string; drug: number }[]
  dispensed: string[]
  held: string[]
}

const there = async ({ ctx }: World, clinicId: string, batchId: string) => {
  const row = await ctx.db
    .selectFrom('clinic_inventory')
    .select('quantity_available')
    .where('clinic_id', '=', clinicId)
    .where('batch_id', '=', batchId)
    .executeTakeFirst()
  return row?.quantity_available ?? 0
}

const steps = {
  async receive(world: World, { clinic, batch, quantity }: Place) {
    const { id, drug } = world.batches[batch]!
    const known = await world.ctx.db
      .selectFrom('drug_batches')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    await createBatch(world.ctx, {
      id: uuidv7(),
      clinic_id: world.clinics[clinic]!,
      drug_id: world.drugs[drug]!,
      batch_number: known.batch_number,
      expiry_date: known.expiry_date,
      received_date: '2026-01-05',
      confirmed: ['old_day', 'unlikely_date'],
      quantity: quantity + 0.125,
    })
  },
  async dispense(world: World, { clinic, drug, quantity }: Place) {
    const where = { clinicId: world.clinics[clinic]!, drugId: world.drugs[drug]!, now: new Date() }
    const { picks, missing } = await lockAndPick(world.ctx.db, { ...where, quantity })
    const barred = await world.ctx.db
      .selectFrom('drug_batches')
      .select('id')
      .where(({ or, eb }) =>
        or([eb('is_quarantined', '=', true), eb('expiry_date', '<', clinicToday())]),
      )
      .execute()
    expect(picks.filter(({ batch_id }) => barred.some(({ id }) => id === batch_id))).toEqual([])
    if (missing > 0) return
    const referenceId = uuidv7()
    const batches = picks.map((pick) => ({ batchId: pick.batch_id, quantity: pick.quantity }))
    await dispenseStock(world.ctx.db, { ...where, referenceId, batches })
    world.dispensed.push(referenceId)
  },
  async chooseAny(world: World, { clinic, batch, quantity }: Place) {
    const { id, drug } = world.batches[batch]!
    const where = { clinicId: world.clinics[clinic]!, drugId: world.drugs[drug]!, now: new Date() }
    await dispenseStock(world.ctx.db, {
      ...where,
      referenceId: uuidv7(),
      batches: [{ batchId: id, quantity }],
    })
  },
  async report(world: World, { clinic, drug, batch, quantity }: Place) {
    const referenceId = uuidv7()
    const chosen = world.batches[batch]!
    const batchId = chosen.drug === drug ? chosen.id : null
    const where = { clinicId: world.clinics[clinic]!, drugId: world.drugs[drug]! }
    await reportDispensed(world.ctx.db, {
      ...where,
      batchId,
      quantity,
      referenceId,
      by: null,
      at: new Date(),
    })
    world.dispensed.push(referenceId)
  },
  async reverse(world: World, { batch }: Place) {
    const referenceId = world.dispensed[batch % Math.max(1, world.dispensed.length)]
    if (referenceId)
      await returnStock(world.ctx.db, { referenceId, now: new Date(), reason: 'Wrong' })
  },
  async count(world: World, { clinic, batch, quantity }: Place) {
    const clinicId = world.clinics[clinic]!
    const batchId = world.batches[batch]!.id
    const expected = await there(world, clinicId, batchId)
    await countStock(world.ctx, {
      id: uuidv7(),
      clinicId,
      counts: [{ batchId, expected, counted: quantity }],
    })
  },
  async adjust(world: World, { clinic, batch, quantity }: Place) {
    const clinicId = world.clinics[clinic]!
    const batchId = world.batches[batch]!.id
    const expected = await there(world, clinicId, batchId)
    await saveClinicInventory(world.ctx, {
      id: uuidv7(),
      clinicId,
      batchId,
      expected,
      quantity,
      reason: 'Because',
    })
  },
  async transfer(world: World, { clinic, batch, quantity }: Place) {
    const [fromClinicId, toClinicId] = [world.clinics[clinic]!, world.clinics[1 - clinic]!]
    await transferStock(world.ctx, {
      id: uuidv7(),
      fromClinicId,
      toClinicId,
      lines: [{ batchId: world.batches[batch]!.id, quantity }],
    })
  },
  async writeOff(world: World, { clinic, batch, quantity }: Place) {
    const batchId = world.batches[batch]!.id
    const clinicId = world.clinics[clinic]!
    await writeOffStock(world.ctx, {
      id: uuidv7(),
      clinicId,
      batchId,
      kind: 'damaged',
      quantity,
      reason: 'Fell',
    })
  },
  async quarantine(world: World, { batch, quantity }: Place) {
    const { id } = world.batches[batch]!
    await quarantineBatch(world.ctx, { id, is_quarantined: quantity % 2 === 0, reason: 'Recalled' })
  },
  async hold(world: World, { clinic, drug, quantity }: Place) {
    const referenceId = uuidv7()
    const where = { clinicId: world.clinics[clinic]!, drugId: world.drugs[drug]!, now: new Date() }
    await reserveStock(world.ctx.db, { ...where, quantity, referenceId })
    world.held.push(referenceId)
  },
  async release(world: World) {
    const referenceId = world.held.pop()
    if (referenceId) await releaseStock(world.ctx.db, referenceId)
  },
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...(Object.keys(steps) as (keyof typeof steps)[])),
  clinic: fc.nat(1),
  drug: fc.nat(1),
  batch: fc.nat(5),
  quantity: fc.integer({ min: 1, max: 40 }),
})

/** Many more take minutes: `STOCK_RUNS=1000 npx vitest run --project product inventory/books`. */
const RUNS = Number(process.env['STOCK_RUNS'] ?? 60)

test(
  'whatever happens, the stock is the sum of the ledger, by clinic, by batch and in all, and never below zero',
  {
    timeout: Math.max(60_000, RUNS * 1_000),
  },
  async ({ as, db, make }) => {
    const clinics = [(await make.clinic()).id, (await make.clinic()).id]
    const drugs = [(await make.drug()).id, (await make.drug()).id]
    const days = ['2020-01-31', clinicToday(), '2099-06-30']
    const made = await Promise.all(
      [0, 1].flatMap((drug) =>
        days.map((expiry_date) => make.batch({ drug_id: drugs[drug]!, expiry_date })),
      ),
    )
    // an expired batch cannot be received: it came when it was good
    for (const { id, drug_id } of made) {
      await sql`select post_stock(${clinics[0]}, ${drug_id}, ${id}, 'received', 20, 'receipt', ${uuidv7()},
        null, null, '2019-01-31')`.execute(db)
    }
    const batches = made.map(({ id, drug_id }) => ({ id, drug: drugs.indexOf(drug_id) }))

    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (taken) => {
        await sql`savepoint run`.execute(db)
        try {
          const world: World = {
            ctx: as('admin'),
            clinics,
            drugs,
            batches,
            dispensed: [],
            held: [],
          }
          for (const { kind, ...place } of taken) await tried(db, () => steps[kind](world, place))
          expect(await mistakes(db)).toEqual([])
        } finally {
          await sql`rollback to savepoint run`.execute(db)
        }
      }),
      { numRuns: RUNS },
    )
  },
)

/** A refusal is an answer; what it began is taken back, as a transaction would. */
async function tried(db: Kysely<DB>, work: () => Promise<unknown>) {
  await sql`savepoint step`.execute(db)
  try {
    await work()
  } catch (error) {
    await sql`rollback to savepoint step`.execute(db)
    const rule = (error as { constraint?: string }).constraint ?? ''
    if (!(error instanceof AppError) && !/^(clinic_inventory|drug_batches)_/.test(rule)) throw error
  }
}

test('of two movements at once, the one that waited comes after the other in the ledger', async ({
  onTestFinished,
}) => {
  const db = await cloneTemplate(`ledger_${process.pid}`)
  onTestFinished(() => db.destroy())
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const batch = await make.stock(clinic.id, 100)
  const writeOff = (on: Kysely<DB>, quantity: number) =>
    sql`select post_stock(${clinic.id}, ${batch.drug_id}, ${batch.id}, 'damaged', ${-quantity},
      'write_off', ${uuidv7()}, 'Fell', null, '2026-01-05')`.execute(on)
  const isWaiting = async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows.length > 0
  }

  const first = await db.startTransaction().execute()
  await sql`select from drug_batches where id = ${batch.id} for update`.execute(first)
  const second = writeOff(db, 2)
  while (!(await isWaiting()));
  await writeOff(first, 1)
  await first.commit().execute()
  await second
  const { rows } = await sql`select quantity, balance_after from inventory_transactions
    where batch_id = ${batch.id} order by position`.execute(db)
  expect(rows).toEqual([
    { quantity: 100, balance_after: 100 },
    { quantity: -1, balance_after: 99 },
    { quantity: -2, balance_after: 97 },
  ])
})

/** Where the books do not balance: none. */
async function mistakes(db: Kysely<DB>) {
  const { rows } = await sql`
    select 'clinic and batch' as level, i.clinic_id::text as a, i.batch_id::text as b,
      i.quantity_available as kept, l.sum as added
    from clinic_inventory i
    left join (select clinic_id, batch_id, sum(quantity) as sum from inventory_transactions group by 1,
      2) l using (clinic_id, batch_id)
    where i.quantity_available is distinct from l.sum or i.quantity_available < 0
       or i.reserved_quantity <> coalesce((select sum(r.quantity) from stock_reservations r
                                            where r.clinic_id = i.clinic_id and r.batch_id = i.batch_id), 0)
    union all
    select 'batch', b.id::text, '', b.quantity_remaining, l.sum from drug_batches b
    left join (select batch_id, sum(quantity) as sum from inventory_transactions group by 1) l on l.batch_id = b.id
    where b.quantity_remaining <> coalesce(l.sum, 0)
       or b.quantity_remaining <> coalesce((select sum(quantity_available) from clinic_inventory i
         where i.batch_id = b.id), 0)
    union all
    select 'total', '', '', sum(quantity_available), (select sum(quantity) from inventory_transactions)
      from clinic_inventory
    having sum(quantity_available) <> (select sum(quantity) from inventory_transactions)
    union all
    select 'last balance', t.clinic_id::text, t.batch_id::text, t.balance_after, i.quantity_available
    from (select distinct on (clinic_id, batch_id) * from inventory_transactions order by clinic_id, batch_id,
      position desc) t
    join clinic_inventory i using (clinic_id, batch_id) where t.balance_after <> i.quantity_available
    union all
    select 'transfers', reference_id::text, '', sum(quantity), 0 from inventory_transactions
    where reference_type = 'transfer' group by reference_id having sum(quantity) <> 0`.execute(db)
  return rows
}
