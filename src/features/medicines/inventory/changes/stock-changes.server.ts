import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { permitsIn } from '~/policy/facts'
import { inClinic } from '~/policy/on.server'
import { requireClinic } from '~/policy/require.server'
import { countStockAt, manageStock } from '~/policy/rules'
import { mutation } from '~/server/operation'
import {
  askAbout,
  happened,
  type Happened,
  ask,
  type EarlierDayQuestion,
} from '~/shared/earlier-day'
import { AppError, invalid, type Message, notFound } from '~/shared/errors'
import { CountStock, SaveInventory, TransferStock, WriteOff } from '../inventory'
import { type Movement, postMovements } from '../ledger/movements.server'
import { repeats, tookFrom } from '../ledger/repeats.server'
import { postEarlier, withArrival } from '../ledger/earlier.server'
import { loadDailyStock } from '../ledger/daily.server'
import { askAboutMuch } from './much.server'
import { roundQuantity } from './picking'

type Stock = {
  batch_id: string
  drug_id: string
  expiry_date: string
  is_quarantined: boolean
  quantity_available: number
}

/**
 * Locks these batches in one order for all transactions, and reads their stock in the clinic.
 * Throws `not_found` for a batch that was never there.
 */
export async function lockStock(
  db: Kysely<DB>,
  clinicId: string,
  batchIds: readonly string[],
): Promise<Map<string, Stock>> {
  await sql`select id from drug_batches where id = any(${batchIds}::uuid[]) order by expiry_date, id
    for no key update`.execute(db)
  const rows = await db
    .selectFrom('clinic_inventory as i')
    .innerJoin('drug_batches as b', 'b.id', 'i.batch_id')
    .select(['i.batch_id', 'i.drug_id', 'b.expiry_date', 'b.is_quarantined'])
    .select('i.quantity_available')
    .where('i.clinic_id', '=', clinicId)
    .where('i.is_deleted', '=', false)
    .where(sql<boolean>`i.batch_id = any(${batchIds}::uuid[])`)
    .orderBy('b.expiry_date')
    .orderBy('i.batch_id')
    .execute()
  if (rows.length < new Set(batchIds).size) throw notFound('batches.notFound')
  return new Map(rows.map((row) => [row.batch_id, row]))
}

/** The stock in the clinic at the end of the day on which it happened, under the locks of `lockStock`. */
async function stockOn(
  db: Kysely<DB>,
  clinicId: string,
  stock: Map<string, Stock>,
  { day, enteredOn }: Happened,
): Promise<Map<string, Stock>> {
  if (!enteredOn) return stock
  const drugIds = [...new Set([...stock.values()].map(({ drug_id }) => drug_id))]
  const daily = await loadDailyStock(db, clinicId, drugIds, day)
  return new Map(
    [...stock].map(([id, row]) => [id, { ...row, quantity_available: daily.on(id, day) }]),
  )
}

/**
 * Posts the movements of one clinic now, or on the earlier day. Returns the quantity beyond the stock of that day,
 * which is listed.
 */
async function post(
  db: Kysely<DB>,
  movements: readonly Omit<Movement, 'now' | 'enteredOn'>[],
  { at, enteredOn }: Happened,
): Promise<number> {
  if (enteredOn)
    return postEarlier(
      db,
      movements.map((movement) => ({ ...movement, now: at, enteredOn })),
    )
  await postMovements(
    db,
    movements.flatMap((movement) => withArrival({ ...movement, now: at })),
  )
  return 0
}

const availableNow = async (db: Kysely<DB>, clinicId: string, batchId: string) =>
  (await lockStock(db, clinicId, [batchId])).get(batchId)!.quantity_available

/** Throws `conflict` if the stock has moved since it was counted, with the current quantity at each line. */
function refuseMoved(
  lines: readonly { batchId: string; expected: number }[],
  stock: Map<string, Stock>,
  path: (at: number) => string,
) {
  const fields: Record<string, Message> = {}
  for (const [at, { batchId, expected }] of lines.entries()) {
    const quantity = stock.get(batchId)!.quantity_available
    if (quantity !== roundQuantity(expected))
      fields[path(at)] = { key: 'inventory.nowThere', values: { quantity } }
  }
  if (Object.keys(fields).length > 0)
    throw new AppError('conflict', { key: 'inventory.movedMeanwhile' }, fields)
}

/**
 * A stock-take: sets each batch to the counted quantity, and the time of the count. Differences
 * become adjustments.
 */
export const countStock = mutation('inventory.count', {
  input: CountStock,
  on: inClinic(countStockAt),
  async run({ db }, { id, clinicId, counts, note, ...when }) {
    const isSame = (posted: readonly { batch_id: string; balance_after: number }[]) =>
      posted.every(({ batch_id }) => counts.some(({ batchId }) => batchId === batch_id)) &&
      counts.every(({ batchId, expected, counted }) => {
        // what did not differ was not posted
        const there = posted.find(({ batch_id }) => batch_id === batchId)?.balance_after
        return roundQuantity(counted) === (there ?? roundQuantity(expected))
      })
    if (await repeats(db, id, clinicId, isSame)) return { differences: 0, beyond: 0 }
    const then = happened(when)
    const locked = await lockStock(
      db,
      clinicId,
      counts.map(({ batchId }) => batchId),
    )
    const stock = await stockOn(db, clinicId, locked, then)
    refuseMoved(counts, stock, (at) => `counts.${at}`)
    const more = counts.flatMap(({ batchId, expected, counted: quantity }, at) =>
      quantity > expected
        ? [{ drugId: stock.get(batchId)!.drug_id, quantity, path: `counts.${at}` }]
        : [],
    )
    await askAboutMuch(db, more, when.confirmed)
    const movements: Omit<Movement, 'now'>[] = counts
      .filter(({ expected, counted }) => roundQuantity(expected) !== roundQuantity(counted))
      .map(({ batchId, expected, counted }) => ({
        clinicId,
        drugId: stock.get(batchId)!.drug_id,
        batchId,
        type: 'adjustment',
        quantity: roundQuantity(counted - expected),
        reference: 'stock_take',
        referenceId: id,
        reason: note,
      }))
    const beyond = await post(db, movements, then)
    await db
      .updateTable('clinic_inventory')
      .set({ last_counted_at: sql`greatest(last_counted_at, ${then.at})`, updated_at: new Date() })
      .where('clinic_id', '=', clinicId)
      .where(sql<boolean>`batch_id = any(${[...stock.keys()]}::uuid[])`)
      .execute()
    return { differences: movements.length, beyond }
  },
})

/** Sets the quantity of one batch in a clinic, with a reason. */
export const saveClinicInventory = mutation('inventory.save', {
  input: SaveInventory,
  on: inClinic(manageStock),
  async run({ db }, { id, clinicId, batchId, expected, quantity, reason, ...when }) {
    const locked = await lockStock(db, clinicId, [batchId])
    const stock = locked.get(batchId)!
    const isSame = ([it]: readonly { batch_id: string; balance_after: number }[]) =>
      it?.batch_id === batchId && it.balance_after === roundQuantity(quantity)
    if (await repeats(db, id, clinicId, isSame))
      return { quantity_available: stock.quantity_available, beyond: 0 }
    const then = happened(when)
    const seen = await stockOn(db, clinicId, locked, then)
    // of an earlier day, the screen did not show the stock
    if (!then.enteredOn) refuseMoved([{ batchId, expected }], seen, () => 'quantity')
    const difference = roundQuantity(quantity - seen.get(batchId)!.quantity_available)
    if (difference === 0) throw invalid({ quantity: { key: 'inventory.noDifference' } })
    const more = difference > 0 ? [{ drugId: stock.drug_id, quantity, path: 'quantity' }] : []
    await askAboutMuch(db, more, when.confirmed)
    const movement = {
      clinicId,
      drugId: stock.drug_id,
      batchId,
      type: 'adjustment' as const,
      quantity: difference,
      reference: 'adjustment' as const,
      referenceId: id,
      reason,
    }
    const beyond = await post(db, [movement], then)
    return { quantity_available: await availableNow(db, clinicId, batchId), beyond }
  },
})

/** Writes off what can no longer be dispensed. */
export const writeOffStock = mutation('inventory.writeOff', {
  input: WriteOff,
  on: inClinic(manageStock),
  async run({ db }, { id, clinicId, batchId, kind, quantity, reason, ...when }) {
    const stock = (await lockStock(db, clinicId, [batchId])).get(batchId)!
    const isRepeat = await repeats(
      db,
      id,
      clinicId,
      (posted) =>
        tookFrom([{ batchId, quantity }], posted) &&
        posted.every(({ transaction_type }) => transaction_type === kind),
    )
    if (isRepeat) return { quantity_available: stock.quantity_available, beyond: 0 }
    const then = happened(when)
    if (kind === 'expired' && stock.expiry_date >= then.day)
      throw invalid({ kind: { key: 'inventory.notExpired' } })
    const movement = {
      clinicId,
      drugId: stock.drug_id,
      batchId,
      type: kind,
      quantity: -quantity,
      reference: 'write_off' as const,
      referenceId: id,
      reason,
    }
    const beyond = await post(db, [movement], then)
    askBeyond(beyond, when.confirmed, 'quantity')
    return { quantity_available: await availableNow(db, clinicId, batchId), beyond }
  },
})

/** Asks about an entry for an earlier day that the stock of that day does not cover; nothing is posted until then. */
function askBeyond(beyond: number, confirmed: readonly EarlierDayQuestion[], field: string) {
  if (beyond > 0 && !confirmed.includes('beyond_stock'))
    throw ask('beyond_stock', field, { key: 'inventory.beyondStock', values: { beyond } })
}

/** Moves stock from one clinic to another, all of it or nothing. */
export const transferStock = mutation('inventory.transfer', {
  input: TransferStock,
  allow: ({ actor }, { fromClinicId, toClinicId }) =>
    permitsIn(manageStock, actor, fromClinicId) && permitsIn(manageStock, actor, toClinicId),
  async run({ db }, { id, fromClinicId, toClinicId, lines, note, ...when }) {
    const isRepeat = await repeats(
      db,
      id,
      fromClinicId,
      (posted) =>
        tookFrom(lines, posted) &&
        posted.every(({ other_clinic_id }) => other_clinic_id === toClinicId),
    )
    if (isRepeat) return { moved: lines.length, beyond: 0 }
    await requireClinic(db, toClinicId, 'toClinicId')
    const then = happened(when)
    const stock = await lockStock(
      db,
      fromClinicId,
      lines.map(({ batchId }) => batchId),
    )
    const fields: Record<string, Message> = {}
    for (const [at, { batchId, quantity }] of lines.entries()) {
      const available = stock.get(batchId)!.quantity_available
      // on an earlier day it has been moved: what the books lack is listed
      if (quantity > available && !then.enteredOn)
        fields[`lines.${at}`] = { key: 'inventory.notEnoughOf', values: { available } }
    }
    if (Object.keys(fields).length > 0)
      throw new AppError('conflict', { key: 'inventory.notEnough' }, fields)
    const doubtful = lines.flatMap(({ batchId }, at): [string, Message][] => {
      const { expiry_date, is_quarantined } = stock.get(batchId)!
      if (is_quarantined) return [[`lines.${at}`, { key: 'batches.isQuarantined' }]]
      return expiry_date < then.day ? [[`lines.${at}`, { key: 'batches.isExpired' }]] : []
    })
    if (doubtful.length > 0 && !when.confirmed.includes('barred_batch'))
      throw askAbout('barred_batch', Object.fromEntries(doubtful))
    const movements = lines.map(({ batchId, quantity }) => ({
      clinicId: fromClinicId,
      otherClinicId: toClinicId,
      drugId: stock.get(batchId)!.drug_id,
      batchId,
      type: 'transferred_out' as const,
      quantity: -quantity,
      reference: 'transfer' as const,
      referenceId: id,
      reason: note,
    }))
    const beyond = await post(db, movements, then)
    askBeyond(beyond, when.confirmed, 'lines')
    return { moved: lines.length, beyond }
  },
})
