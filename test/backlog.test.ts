import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { recordPaper } from '~/features/medicines/dispensing/paper.server'
import { createBatch } from '~/features/medicines/inventory/batches.server'
import { listClinicBatches } from '~/features/medicines/inventory/clinic-batches.server'
import { listShortfalls } from '~/features/medicines/inventory/changes/shortfalls.server'
import {
  countStock,
  transferStock,
  writeOffStock,
} from '~/features/medicines/inventory/changes/stock-changes.server'
import { binCardLines } from '~/features/medicines/inventory/ledger/bin-card-lines'
import { listLedger } from '~/features/medicines/inventory/ledger/ledger.server'
import { closeReport, lateRows } from '~/features/reports/runs/closing.server'
import { runReport } from '~/features/reports/runs/reports.server'
import type { Context } from '~/server/operation'
import { addDays, clinicToday } from '~/shared/zone'
import type { makeFactories } from './factories'
import { test } from './harness'
import { randomOf } from './random-day'

/**
 * A month of two clinics, of several medicines and batches: receipts, dispensing, losses, transfers and counts. Entered
 * in time, and once more late, in another order, with the report of the month closed half-way. Both must end with the
 * same books. `npm run prove -- backlog` plays more months; a seed makes the same month again.
 */
const MONTHS = Number(process.env['SANAD_MONTHS'] ?? 3)
const SEED = Number(process.env['SANAD_MONTH_SEED'] ?? 1)

type Place = 0 | 1
type Line = { day: string; from: Place; batch: number; quantity: number } & (
  | { kind: 'received' | 'dispensed' | 'opened' | 'damaged' }
  | { kind: 'transferred'; to: Place }
)
/** A count finds what the books say, or less by `missing`. */
type Count = { day: string; place: Place; batch: number; missing: number }

const BATCHES = 6
const FIRST_STOCK = 15

/** Lines that were possible on their days, oldest first, and the counts. */
function monthOf(random: (below: number) => number, days: readonly string[]) {
  const stock = [Array(BATCHES).fill(FIRST_STOCK), Array(BATCHES).fill(FIRST_STOCK)] as number[][]
  const lines: Line[] = []
  const counts: Count[] = []
  for (const day of days) {
    for (let left = random(4); left > 0; left -= 1) {
      const from = random(2) as Place
      const batch = random(BATCHES)
      const there = stock[from]![batch]!
      const kind = (
        [
          'received',
          'dispensed',
          'dispensed',
          'dispensed',
          'opened',
          'damaged',
          'transferred',
        ] as const
      )[random(7)]!
      if (kind !== 'received' && there === 0) continue
      const quantity = kind === 'received' ? 1 + random(40) : 1 + random(there)
      stock[from]![batch]! += kind === 'received' ? quantity : -quantity
      if (kind === 'transferred') {
        const to = (1 - from) as Place
        stock[to]![batch]! += quantity
        lines.push({ day, from, batch, quantity, kind, to })
      } else lines.push({ day, from, batch, quantity, kind })
    }
    if (random(8) > 0) continue
    const [place, batch] = [random(2) as Place, random(BATCHES)]
    const missing = Math.min(random(3), stock[place]![batch]!)
    stock[place]![batch]! -= missing
    counts.push({ day, place, batch, missing })
  }
  return { lines, counts, stock }
}

const shuffled = <T>(random: (below: number) => number, all: readonly T[]): T[] => {
  const left = [...all]
  return all.map(() => left.splice(random(left.length), 1)[0]!)
}

/** Two clinics with the batches in stock before the month. */
async function clinicsWithStock(
  ctx: Context,
  make: ReturnType<typeof makeFactories>,
  before: string,
) {
  const clinics = [await make.clinic(), await make.clinic()]
  const patient = await make.patient({ primary_clinic_id: clinics[0]!.id })
  await make.noAllergies(patient.id)
  const drugs = [await make.drug(), await make.drug(), await make.drug()]
  const batches: {
    id: string
    drug_id: string
    receive: (clinicId: string, quantity: number, day: string) => Promise<unknown>
  }[] = []
  for (let n = 0; n < BATCHES; n += 1) {
    const drug_id = drugs[n % drugs.length]!.id
    const batch_number = `L-${n}`
    const receive = (clinic_id: string, quantity: number, day: string) =>
      createBatch(ctx, {
        id: uuidv7(),
        clinic_id,
        drug_id,
        quantity,
        batch_number,
        expiry_date: addDays(clinicToday(), 700 + n),
        received_date: day,
      })
    for (const { id } of clinics) await receive(id, FIRST_STOCK, before)
    const { id } = await ctx.db
      .selectFrom('drug_batches')
      .select('id')
      .where('drug_id', '=', drug_id)
      .where('batch_number', '=', batch_number)
      .executeTakeFirstOrThrow()
    batches.push({ id, drug_id, receive })
  }
  return { clinics, patient, drugs, batches }
}
type Scene = Awaited<ReturnType<typeof clinicsWithStock>>

async function enter(ctx: Context, { clinics, patient, batches }: Scene, line: Line) {
  const { day, from, quantity } = line
  const clinicId = clinics[from]!.id
  const { id: batchId, drug_id: drugId, receive } = batches[line.batch]!
  const id = uuidv7()
  switch (line.kind) {
    case 'received':
      return receive(clinicId, quantity, day)
    case 'dispensed':
      return recordPaper(ctx, {
        id,
        clinicId,
        patientId: patient.id,
        drugId,
        batchId,
        quantity,
        day,
      })
    case 'transferred':
      return transferStock(ctx, {
        id,
        fromClinicId: clinicId,
        toClinicId: clinics[line.to]!.id,
        lines: [{ batchId, quantity }],
        note: null,
        day,
        // typed before its receipt
        confirmed: ['beyond_stock'],
      })
    default:
      return writeOffStock(ctx, {
        id,
        clinicId,
        batchId,
        kind: line.kind,
        quantity,
        reason: 'Found so',
        day,
        confirmed: ['beyond_stock'],
      })
  }
}

async function enterCount(
  ctx: Context,
  { clinics, batches }: Scene,
  { day, place, batch, missing }: Count,
) {
  const clinicId = clinics[place]!.id
  const batchId = batches[batch]!.id
  const { batches: shown } = await listClinicBatches(ctx, { clinicId, day, withEmpty: true })
  const expected = shown.find(({ id }) => id === batchId)?.quantity_available ?? 0
  await countStock(ctx, {
    id: uuidv7(),
    clinicId,
    counts: [{ batchId, expected, counted: expected - missing }],
    note: null,
    day,
  })
}

/** The books: each bin card by day, what is on hand, what is open, and the report of the month. */
async function booksOf(ctx: Context, { clinics, drugs, batches }: Scene, period: string) {
  const books = []
  for (const { id: clinicId } of clinics) {
    for (const { id: drugId } of drugs) {
      const { rows } = await listLedger(ctx, { clinicId, drugId, pageSize: 500 })
      const card = binCardLines(rows.toReversed())
      books.push({
        moved: card
          .map(
            ({ day, transaction_type, quantity, batch_number }) =>
              `${day} ${transaction_type} ${batch_number} ${quantity}`,
          )
          .toSorted(),
        ends: [...new Map(card.map(({ day, drug_balance }) => [day, drug_balance]))],
      })
    }
    const { batches: shown } = await listClinicBatches(ctx, { clinicId, withEmpty: true })
    const names = new Map(batches.map(({ id }, n) => [id, n]))
    books.push(
      shown
        .map(({ id, quantity_available }) => `${names.get(id)} ${quantity_available}`)
        .toSorted(),
    )
    books.push((await listShortfalls(ctx, { clinicId })).rows)
    const { cells } = await runReport(ctx, { code: 'backlog', clinic_ids: [clinicId], period })
    books.push(cells.map(({ row, value }) => [row, value]))
  }
  return books
}

const SUMS = {
  received: ['movement.quantity', 'movements', ['movement.type', 'is', 'received']],
  dispensed: ['movement.quantity_out', 'movements', ['movement.type', 'is', 'dispensed']],
  damaged: ['movement.quantity_out', 'movements', ['movement.type', 'is', 'damaged']],
  closing: ['stock.quantity', 'stock', undefined],
  beyond: ['shortfall.quantity', 'shortfalls', undefined],
} as const
const report = {
  names: { en: 'Stock' },
  period: 'month',
  closable_from: 1,
  measures: Object.fromEntries(
    Object.entries(SUMS).map(([name, [sum, of, where]]) => [
      name,
      { sum, of, in: 'period', ...(where && { where }) },
    ]),
  ),
  sections: [
    {
      id: 'stock',
      names: { en: 'Stock' },
      rows: Object.keys(SUMS).map((measure) => ({ id: measure, names: { en: measure }, measure })),
    },
  ],
}

test.for(Array.from({ length: MONTHS }, (_, n) => SEED + n))(
  'month %i, entered late in another order with a report closed half-way, equals the month entered in time',
  { timeout: 120_000 },
  async (seed, { asUser, db, make }) => {
    const me = asUser(await make.user({ role: 'admin' }))
    await db
      .insertInto('report_definitions')
      .values(
        ['backlog', 'closed-early'].map((code) => ({
          id: uuidv7(),
          code,
          body: JSON.stringify({ ...report, code }),
        })),
      )
      .execute()
    const last = addDays(`${clinicToday().slice(0, 7)}-01`, -1)
    const period = last.slice(0, 7)
    // of any month, so that a seed makes the same history whatever day it is
    const days = Array.from({ length: 28 }, (_, n) => addDays(`${period}-01`, n))
    const random = randomOf(seed)
    const { lines, counts, stock } = monthOf(random, days)
    const before = addDays(days[0]!, -5)

    const inTime = await clinicsWithStock(me, make, before)
    for (const day of days) {
      for (const line of lines) if (line.day === day) await enter(me, inTime, line)
      for (const count of counts) if (count.day === day) await enterCount(me, inTime, count)
    }
    const books = await booksOf(me, inTime, period)

    const late = await clinicsWithStock(me, make, before)
    const order = shuffled(random, lines)
    const middle = Math.floor(order.length / 2)
    for (const line of order.slice(0, middle)) await enter(me, late, line)
    const closed = { code: 'closed-early', clinic_ids: [late.clinics[0]!.id], period }
    await closeReport(me, { ...closed, id: uuidv7() })
    const closedCells = (await runReport(me, closed)).cells
    for (const line of order.slice(middle)) await enter(me, late, line)
    // a count finds what is on the shelf: what came before it must be in the books
    for (const count of counts) await enterCount(me, late, count)
    expect((await runReport(me, closed)).cells).toEqual(closedCells)
    const isChanged = order
      .slice(middle)
      .some((line) => line.from === 0 || (line.kind === 'transferred' && line.to === 0))
    expect((await lateRows(me, closed)).cells.length > 0).toBe(
      isChanged || counts.some(({ place, missing }) => place === 0 && missing > 0),
    )
    expect(await booksOf(me, late, period)).toEqual(books)

    // and both are what really was on the shelves
    for (const [place, { id }] of late.clinics.entries()) {
      const { batches: shown } = await listClinicBatches(me, { clinicId: id, withEmpty: true })
      for (const [n, batch] of late.batches.entries())
        expect(shown.find((one) => one.id === batch.id)?.quantity_available).toBe(stock[place]![n])
    }
  },
)
