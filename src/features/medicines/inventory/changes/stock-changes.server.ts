import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { permitsIn } from '~/policy/facts'
import { inClinic } from '~/policy/on.server'
import { requireClinic } from '~/policy/require.server'
import { countStockAt, manageStock } from '~/policy/rules'
import { mutation } from '~/server/operation'
import { AppError, invalid, type Message, notFound } from '~/shared/errors'
import { CountStock, SaveInventory, TransferStock, WriteOff } from '../inventory'
import { isPosted, type Movement, postMovements } from '../ledger/movements.server'
import { rounded, todayHere } from './picking'

type Stock = { batch_id: string; drug_id: string; expiry_date: string; quantity_available: number }

/**
 * Locks these batches in one order for all transactions, and reads their stock in the clinic.
 * Throws `not_found` for a batch that was never there.
 */
async function lockStock(
  db: Kysely<DB>,
  clinicId: string,
  batchIds: readonly string[],
): Promise<Map<string, Stock>> {
  await sql`select id from drug_batches where id = any(${batchIds}::uuid[]) order by expiry_date, id
    for no key update`.execute(db)
  const rows = await db
    .selectFrom('clinic_inventory as i')
    .innerJoin('drug_batches as b', 'b.id', 'i.batch_id')
    .select(['i.batch_id', 'i.drug_id', 'b.expiry_date', 'i.quantity_available'])
    .where('i.clinic_id', '=', clinicId)
    .where('i.is_deleted', '=', false)
    .where(sql<boolean>`i.batch_id = any(${batchIds}::uuid[])`)
    .orderBy('b.expiry_date')
    .orderBy('i.batch_id')
    .execute()
  if (rows.length < new Set(batchIds).size) throw notFound('batches.notFound')
  return new Map(rows.map((row) => [row.batch_id, row]))
}

/** Throws `conflict` if the stock has moved since it was counted, with the current quantity at each line. */
function refuseMoved(
  lines: readonly { batchId: string; expected: number }[],
  stock: Map<string, Stock>,
  path: (at: number) => string,
) {
  const fields: Record<string, Message> = {}
  for (const [at, { batchId, expected }] of lines.entries()) {
    const quantity = stock.get(batchId)!.quantity_available
    if (quantity !== rounded(expected))
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
  async run({ db }, { id, clinicId, counts, note }) {
    const now = new Date()
    if (await isPosted(db, id)) return { differences: 0 }
    const stock = await lockStock(
      db,
      clinicId,
      counts.map(({ batchId }) => batchId),
    )
    refuseMoved(counts, stock, (at) => `counts.${at}`)
    const movements: Movement[] = counts
      .filter(({ expected, counted }) => rounded(expected) !== rounded(counted))
      .map(({ batchId, expected, counted }) => ({
        clinicId,
        drugId: stock.get(batchId)!.drug_id,
        batchId,
        type: 'adjustment',
        quantity: rounded(counted - expected),
        reference: 'stock_take',
        referenceId: id,
        reason: note,
        now,
      }))
    await postMovements(db, movements)
    await db
      .updateTable('clinic_inventory')
      .set({ last_counted_at: now, updated_at: now })
      .where('clinic_id', '=', clinicId)
      .where(sql<boolean>`batch_id = any(${[...stock.keys()]}::uuid[])`)
      .execute()
    return { differences: movements.length }
  },
})

/** Sets the quantity of one batch in a clinic, with a reason. */
export const saveClinicInventory = mutation('inventory.save', {
  input: SaveInventory,
  on: inClinic(manageStock),
  async run({ db }, { id, clinicId, batchId, expected, quantity, reason }) {
    const stock = (await lockStock(db, clinicId, [batchId])).get(batchId)!
    if (await isPosted(db, id)) return { quantity_available: stock.quantity_available }
    refuseMoved([{ batchId, expected }], new Map([[batchId, stock]]), () => 'quantity')
    const difference = rounded(quantity - expected)
    if (difference === 0) throw invalid({ quantity: { key: 'inventory.noDifference' } })
    const [balance] = await postMovements(db, [
      {
        clinicId,
        drugId: stock.drug_id,
        batchId,
        type: 'adjustment',
        quantity: difference,
        reference: 'adjustment',
        referenceId: id,
        reason,
        now: new Date(),
      },
    ])
    return { quantity_available: balance! }
  },
})

/** Writes off what can no longer be dispensed. */
export const writeOffStock = mutation('inventory.writeOff', {
  input: WriteOff,
  on: inClinic(manageStock),
  async run({ db }, { id, clinicId, batchId, kind, quantity, reason }) {
    const stock = (await lockStock(db, clinicId, [batchId])).get(batchId)!
    if (await isPosted(db, id)) return { quantity_available: stock.quantity_available }
    if (kind === 'expired' && stock.expiry_date >= todayHere())
      throw invalid({ kind: { key: 'inventory.notExpired' } })
    const [balance] = await postMovements(db, [
      {
        clinicId,
        drugId: stock.drug_id,
        batchId,
        type: kind,
        quantity: -quantity,
        reference: 'write_off',
        referenceId: id,
        reason,
        now: new Date(),
      },
    ])
    return { quantity_available: balance! }
  },
})

/** Moves stock from one clinic to another, all of it or nothing. */
export const transferStock = mutation('inventory.transfer', {
  input: TransferStock,
  allow: ({ actor }, { fromClinicId, toClinicId }) =>
    permitsIn(manageStock, actor, fromClinicId) && permitsIn(manageStock, actor, toClinicId),
  async run({ db }, { id, fromClinicId, toClinicId, lines, note }) {
    if (await isPosted(db, id)) return { moved: lines.length }
    await requireClinic(db, toClinicId, 'toClinicId')
    const now = new Date()
    const stock = await lockStock(
      db,
      fromClinicId,
      lines.map(({ batchId }) => batchId),
    )
    const fields: Record<string, Message> = {}
    for (const [at, { batchId, quantity }] of lines.entries()) {
      const available = stock.get(batchId)!.quantity_available
      if (quantity > available)
        fields[`lines.${at}`] = { key: 'inventory.notEnoughOf', values: { available } }
    }
    if (Object.keys(fields).length > 0)
      throw new AppError('conflict', { key: 'inventory.notEnough' }, fields)
    const movements = lines.flatMap(({ batchId, quantity }): Movement[] => {
      const line = {
        drugId: stock.get(batchId)!.drug_id,
        batchId,
        reference: 'transfer' as const,
        referenceId: id,
        reason: note,
        now,
      }
      return [
        {
          ...line,
          clinicId: fromClinicId,
          otherClinicId: toClinicId,
          type: 'transferred_out',
          quantity: -quantity,
        },
        {
          ...line,
          clinicId: toClinicId,
          otherClinicId: fromClinicId,
          type: 'transferred_in',
          quantity,
        },
      ]
    })
    await postMovements(db, movements)
    return { moved: lines.length }
  },
})
