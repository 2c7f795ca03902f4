import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { conflict } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import type { DailyStock } from '../changes/daily-stock'
import { loadDailyStock } from './daily.server'
import { type Picking, pickFrom, roundQuantity, type StockedBatch } from '../changes/picking'

/** What a movement belongs to: its rows in the ledger carry the caller's id. */
export type MovementReference =
  | 'receipt'
  | 'transfer'
  | 'stock_take'
  | 'write_off'
  | 'adjustment'
  | 'dispensing'
  | 'found'
  | 'correction'
type MovementType =
  | 'received'
  | 'dispensed'
  | 'transferred_in'
  | 'transferred_out'
  | 'expired'
  | 'damaged'
  | 'adjustment'
  | 'returned'
  | 'to_supplier'
  | 'donated'
  | 'opened'
  | 'corrected'

export type Movement = {
  clinicId: string
  drugId: string
  batchId: string
  type: MovementType
  /** Signed: what goes out is negative. */
  quantity: number
  reference: MovementReference
  referenceId: string
  reason?: string | null
  otherClinicId?: string
  /** Of a receipt. */
  purchase?: { price: number | null; currency: string | null }
  /** Of a corrected expiry date. */
  expiry?: { before: string; after: string }
  /** Dispensed on a phone before the server knew: the checks for expiry, quarantine and reservations are skipped. */
  isReported?: boolean
  /** The user who did it; by default, the user of this transaction. */
  by?: string | null
  now: Date
  /** The day of typing, if it happened on an earlier day. */
  enteredOn?: string | null
}

/**
 * Writes movements into the ledger, in this order, each under the lock of its batch; the database
 * checks them and updates the totals. Call it inside a transaction. Returns the clinic's stock of
 * each batch. Throws `conflict` if stock is short, or the batch is expired or quarantined.
 */
export async function postMovements(
  db: Kysely<DB>,
  movements: readonly Movement[],
): Promise<number[]> {
  if (movements.length === 0) return []
  const rows = await db
    .insertInto('inventory_transactions')
    .values(
      movements.map(
        ({
          now,
          by,
          otherClinicId,
          isReported = false,
          reason = null,
          enteredOn = null,
          purchase,
          expiry,
          ...movement
        }) => ({
          clinic_id: movement.clinicId,
          drug_id: movement.drugId,
          batch_id: movement.batchId,
          transaction_type: movement.type,
          quantity: movement.quantity,
          reference_type: movement.reference,
          reference_id: movement.referenceId,
          other_clinic_id: otherClinicId ?? null,
          // what is entered later has happened, too: the rules for the stock of today do not apply
          is_reported: isReported || enteredOn !== null,
          entered_on: enteredOn,
          reason,
          performed_by: by ?? null,
          purchase_price: purchase?.price ?? null,
          purchase_currency: purchase?.currency ?? null,
          expiry_before: expiry?.before ?? null,
          expiry_after: expiry?.after ?? null,
          day: dayIn(now, clinicTimeZone()),
          occurred_at: now,
        }),
      ),
    )
    .returning('balance_after')
    .execute()
  return rows.map(({ balance_after }) => balance_after)
}

/** Requests with the same id take turns: the lock is released when the transaction ends. */
const lockReference = (db: Kysely<DB>, referenceId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${referenceId}, 0))`.execute(db)

/** Whether movements or shortfalls have this id: the request is a repeat. Locks the id. */
export async function isPosted(db: Kysely<DB>, referenceId: string): Promise<boolean> {
  await lockReference(db, referenceId)
  const { rows } = await sql<{ is_posted: boolean }>`select
    exists (select from inventory_transactions where reference_id = ${referenceId})
    or exists (select from stock_shortfalls where reference_id = ${referenceId}) as is_posted`.execute(
    db,
  )
  return rows[0]?.is_posted === true
}

type Wanted = {
  clinicId: string
  drugId: string
  quantity: number
  now: Date
  /** The last day of the treatment, `yyyy-MM-dd`: batches that expire earlier are marked. */
  courseEnds?: string | null
  /** The prescription's item whose own reservation counts as free. */
  holdFor?: string
}

/**
 * Proposes batches, first expired first out, with the reason for each and why others were left.
 * Changes nothing.
 */
export async function pickBatches(db: Kysely<DB>, wanted: Wanted): Promise<Picking> {
  const { clinicId, drugId, now, holdFor } = wanted
  const today = dayIn(now, clinicTimeZone())
  return pickFrom(await stockedBatches(db, clinicId, drugId, holdFor), { ...wanted, today })
}

/**
 * As `pickBatches`, and locks these batches until the transaction ends: what was picked can be
 * dispensed.
 */
export async function lockAndPick(db: Kysely<DB>, wanted: Wanted): Promise<Picking> {
  await lockBatches(db, wanted.clinicId, [wanted.drugId])
  return pickBatches(db, wanted)
}

/** Locks in one order in all transactions, so that two do not deadlock. */
export const lockBatches = (db: Kysely<DB>, clinicId: string, drugIds: readonly string[]) =>
  sql`select b.id from drug_batches b where b.drug_id = any(${[...drugIds]}::uuid[])
    and exists (select from clinic_inventory i where i.batch_id = b.id and i.clinic_id = ${clinicId})
    order by b.expiry_date, b.id for no key update`.execute(db)

/**
 * The batches of one medicine that a clinic has on hand: used-up ones expire first and would fill
 * the limit. `held` excludes the reservation for `holdFor`.
 */
export async function stockedBatches(
  db: Kysely<DB>,
  clinicId: string,
  drugId: string,
  holdFor?: string,
): Promise<StockedBatch[]> {
  return db
    .selectFrom('clinic_inventory as i')
    .innerJoin('drug_batches as b', 'b.id', 'i.batch_id')
    .leftJoin('stock_reservations as own', (join) =>
      join
        .onRef('own.batch_id', '=', 'i.batch_id')
        .onRef('own.clinic_id', '=', 'i.clinic_id')
        .on('own.reference_id', '=', holdFor ?? null),
    )
    .select([
      'i.batch_id',
      'b.batch_number',
      'b.expiry_date',
      'b.is_quarantined',
      'i.quantity_available',
    ])
    .select(sql<number>`i.reserved_quantity - coalesce(own.quantity, 0)`.as('held'))
    .where('i.clinic_id', '=', clinicId)
    .where('i.drug_id', '=', drugId)
    .where('i.is_deleted', '=', false)
    .where('i.quantity_available', '>', 0)
    .orderBy('b.expiry_date')
    .orderBy('i.batch_id')
    .limit(1000)
    .execute()
}

type Dispensed = {
  clinicId: string
  drugId: string
  /** The dispensing record. */
  referenceId: string
  batches: readonly { batchId: string; quantity: number }[]
  now: Date
  reason?: string | null
  /**
   * The prescription's item: its reservation is released first; reserve the rest again with
   * `reserveStock`.
   */
  holdFor?: string
}

/**
 * Takes from these batches, all or nothing. Throws `conflict` if stock is short or a batch is
 * unavailable. A dispensing record takes from as many batches as it names.
 */
export async function dispenseStock(
  db: Kysely<DB>,
  { batches, holdFor, ...given }: Dispensed,
): Promise<number[]> {
  // the batches first, as everywhere: a reservation is released under their lock
  await lockBatches(db, given.clinicId, [given.drugId])
  if (holdFor) await releaseStock(db, holdFor)
  return postMovements(
    db,
    batches.map(({ batchId, quantity }) => ({
      ...given,
      batchId,
      quantity: -quantity,
      type: 'dispensed' as const,
      reference: 'dispensing' as const,
    })),
  )
}

/**
 * Reverses the movements of a dispensing record and withdraws its open shortfall. Idempotent.
 */
export async function returnStock(
  db: Kysely<DB>,
  {
    referenceId,
    now,
    reason,
    isReported,
    enteredOn,
  }: {
    referenceId: string
    now: Date
    reason: string
    isReported?: boolean
    enteredOn?: string | null
  },
): Promise<void> {
  // a concurrent return waits, then finds nothing left to reverse
  await lockReference(db, referenceId)
  const out = await db
    .selectFrom('inventory_transactions as t')
    .innerJoin('drug_batches as b', 'b.id', 't.batch_id')
    .select(['t.clinic_id as clinicId', 't.drug_id as drugId', 't.batch_id as batchId'])
    .select(({ fn }) => fn.sum<number>('t.quantity').as('net'))
    .where('t.reference_id', '=', referenceId)
    .where('t.reference_type', '=', 'dispensing')
    .groupBy(['t.clinic_id', 't.drug_id', 't.batch_id', 'b.expiry_date'])
    .having(({ fn }) => fn.sum<number>('t.quantity'), '<', 0)
    .orderBy('b.expiry_date')
    .orderBy('t.batch_id')
    .execute()
  await postMovements(
    db,
    out.map(({ net, ...where }) => ({
      ...where,
      type: 'returned' as const,
      quantity: -net,
      reference: 'dispensing' as const,
      referenceId,
      reason,
      isReported,
      enteredOn,
      now,
    })),
  )
  await db
    .updateTable('stock_shortfalls')
    .set({
      settlement: 'withdrawn',
      settled_at: enteredOn ? new Date() : now,
      settled_reason: reason,
      updated_at: new Date(),
    })
    .set({ settled_by: sql`acting_user()` })
    .where('reference_id', '=', referenceId)
    .where('settlement', 'is', null)
    .execute()
}

/**
 * Reserves stock for a prescription's item, first expired first out, up to what is available.
 * Replaces an earlier reservation.
 */
export async function reserveStock(
  db: Kysely<DB>,
  { referenceId, ...wanted }: Omit<Wanted, 'holdFor'> & { referenceId: string },
): Promise<Picking> {
  await lockBatches(db, wanted.clinicId, [wanted.drugId])
  await releaseStock(db, referenceId)
  const picking = await pickBatches(db, wanted)
  if (picking.picks.length === 0) return picking
  await db
    .insertInto('stock_reservations')
    .values(
      picking.picks.map(({ batch_id, quantity }) => ({
        reference_id: referenceId,
        clinic_id: wanted.clinicId,
        batch_id,
        quantity,
      })),
    )
    .execute()
  return picking
}

/** Deletes the reservation for a prescription's item. */
export const releaseStock = (db: Kysely<DB>, referenceId: string) =>
  db.deleteFrom('stock_reservations').where('reference_id', '=', referenceId).execute()

type Reported = {
  clinicId: string
  drugId: string
  /** The batch that the phone names; null picks the first to expire. */
  batchId?: string | null
  quantity: number
  referenceId: string
  /** The user who dispensed it, if known. */
  by: string | null
  /** When, by the phone's clock, or the earlier day that was typed. */
  at: Date
  /** The day of typing, if a user entered it for an earlier day. */
  enteredOn?: string | null
  reason?: string | null
}

/**
 * A record from a phone, or of an earlier day, is a fact: it is taken from the stock as far as possible, and the rest
 * is a shortfall to reconcile. Call it once for a record; for a changed one, `returnStock` first.
 */
export async function reportDispensed(
  db: Kysely<DB>,
  reported: Reported,
): Promise<{ shortfall: number }> {
  const { clinicId, drugId, batchId = null, referenceId, by, at, enteredOn = null } = reported
  const quantity = roundQuantity(reported.quantity)
  if (quantity <= 0) return { shortfall: 0 }
  await lockBatches(db, clinicId, [drugId])
  const today = dayIn(at, clinicTimeZone())
  const now = await stockedBatches(db, clinicId, drugId)
  const all = enteredOn
    ? leftSince(now, await loadDailyStock(db, clinicId, [drugId], today), today)
    : now
  const named = all.find(({ batch_id }) => batch_id === batchId)
  // it may have been expired, quarantined or reserved for another: it was dispensed all the same
  const { picks, missing } = batchId
    ? pickFrom(named ? [{ ...named, expiry_date: today, is_quarantined: false, held: 0 }] : [], {
        quantity,
        today,
      })
    : pickFrom(all, { quantity, today })
  await postMovements(
    db,
    picks.map((pick) => ({
      clinicId,
      drugId,
      batchId: pick.batch_id,
      type: 'dispensed' as const,
      quantity: -pick.quantity,
      reference: 'dispensing' as const,
      referenceId,
      isReported: true,
      by,
      reason: reported.reason,
      now: at,
      enteredOn,
    })),
  )
  if (missing > 0) {
    await db
      .insertInto('stock_shortfalls')
      .values({
        clinic_id: clinicId,
        drug_id: drugId,
        // an unknown batch is no reason to lose the fact
        batch_id: await knownBatch(db, drugId, batchId),
        quantity: missing,
        reference_id: referenceId,
        performed_by: by,
        occurred_at: at,
        entered_on: enteredOn,
        reason: reported.reason ?? null,
      })
      .execute()
  }
  return { shortfall: missing }
}

/** What each batch had at the end of an earlier day and of each day since. Today’s reservations were not there then. */
const leftSince = (batches: readonly StockedBatch[], stock: DailyStock, day: string) =>
  batches.map((batch) => ({
    ...batch,
    held: 0,
    quantity_available: stock.availableSince(batch.batch_id, day),
  }))

async function knownBatch(db: Kysely<DB>, drugId: string, batchId: string | null) {
  if (!batchId) return null
  const batch = await db
    .selectFrom('drug_batches')
    .select('id')
    .where('id', '=', batchId)
    .where('drug_id', '=', drugId)
    .executeTakeFirst()
  return batch?.id ?? null
}

/** Throws `conflict`, with the available quantity, if stock is short. */
export function requireEnough({ missing, picks }: Picking) {
  if (missing === 0) return
  const available = roundQuantity(picks.reduce((sum, { quantity }) => sum + quantity, 0))
  throw conflict('inventory.notEnoughOf', { available })
}
