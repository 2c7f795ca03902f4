import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { barred, roundQuantity } from '../changes/picking'
import { loadDailyStock } from './daily.server'
import {
  lockBatches,
  type Movement,
  postMovements,
  type MovementReference,
} from './movements.server'

/**
 * Posts what happened on an earlier day, under the locks of its batches: what exceeds the stock of that day or of a
 * later one is a shortfall, and a receipt covers shortfalls that were entered before it. One clinic; `transferred_in`
 * follows from `transferred_out`. Returns the quantity that is a shortfall.
 */
export async function postEarlier(
  db: Kysely<DB>,
  movements: readonly (Movement & { enteredOn: string })[],
): Promise<number> {
  const [first] = movements
  if (!first) return 0
  const { clinicId, now } = first
  const day = dayIn(now, clinicTimeZone())
  const drugIds = [...new Set(movements.map(({ drugId }) => drugId))]
  const stock = await loadDailyStock(db, clinicId, drugIds, day)
  const left: Movement[] = []
  const short: Movement[] = []
  for (const movement of movements) {
    const { batchId, quantity } = movement
    const taken = quantity > 0 ? quantity : -Math.min(-quantity, stock.availableSince(batchId, day))
    stock.move({ batch_id: batchId, day, quantity: taken })
    if (taken !== 0) left.push({ ...movement, quantity: taken })
    if (taken !== quantity) short.push({ ...movement, quantity: roundQuantity(taken - quantity) })
  }
  const posted = left.flatMap(withArrival)
  await postMovements(db, posted)
  if (short.length > 0)
    await db
      .insertInto('stock_shortfalls')
      .values(
        short.map((each) => ({
          clinic_id: each.clinicId,
          drug_id: each.drugId,
          batch_id: each.batchId,
          quantity: each.quantity,
          transaction_type: each.type,
          reference_type: each.reference,
          reference_id: each.referenceId,
          other_clinic_id: each.otherClinicId ?? null,
          reason: each.reason ?? null,
          performed_by: sql<string | null>`acting_user()`,
          occurred_at: now,
          entered_on: each.enteredOn,
        })),
      )
      .execute()
  // a covered transfer arrives elsewhere; each round posts what was open, so that they end
  for (let arrived = posted; arrived.length > 0;) {
    const covered: Movement[][] = []
    // a request has one clinic, or two of a transfer
    for (const place of arrivalsIn(arrived))
      covered.push(await coverShortfalls(db, place.clinicId, place.drugIds))
    arrived = covered.flat()
  }
  return roundQuantity(short.reduce((sum, { quantity }) => sum + quantity, 0))
}

/** What left for another clinic arrived there. */
export const withArrival = (movement: Movement): Movement[] =>
  movement.type === 'transferred_out' && movement.otherClinicId
    ? [
        movement,
        {
          ...movement,
          clinicId: movement.otherClinicId,
          otherClinicId: movement.clinicId,
          type: 'transferred_in',
          quantity: -movement.quantity,
        },
      ]
    : [movement]

const arrivalsIn = (movements: readonly Movement[]) =>
  [...Map.groupBy(movements, ({ clinicId }) => clinicId)].flatMap(([clinicId, own]) => {
    const drugIds = [
      ...new Set(own.filter(({ quantity }) => quantity > 0).map(({ drugId }) => drugId)),
    ]
    return drugIds.length > 0 ? [{ clinicId, drugIds }] : []
  })

/**
 * Posts shortfalls that were entered before their receipt, on their own day, oldest first. What is still missing stays
 * open. Returns the posted movements.
 */
async function coverShortfalls(
  db: Kysely<DB>,
  clinicId: string,
  drugIds: readonly string[],
): Promise<Movement[]> {
  await lockBatches(db, clinicId, drugIds)
  const open = await db
    .selectFrom('stock_shortfalls')
    .selectAll()
    .where('clinic_id', '=', clinicId)
    .where(sql<boolean>`drug_id = any(${[...drugIds]}::uuid[])`)
    .where('entered_on', 'is not', null)
    .where('settlement', 'is', null)
    .where('is_deleted', '=', false)
    .orderBy('occurred_at')
    .orderBy('id')
    .limit(MOST_COVERED)
    .forUpdate()
    .execute()
  if (open.length === 0) return []
  const own = [...new Set(open.map(({ drug_id }) => drug_id))]
  const first = open[0]!.occurred_at
  const stock = await loadDailyStock(db, clinicId, own, dayIn(first, clinicTimeZone()))
  const batches = await batchesIn(db, clinicId, own)
  const posted: Movement[] = []
  const covered: string[] = []
  const rest: { id: string; quantity: number }[] = []
  for (const each of open) {
    const day = dayIn(each.occurred_at, clinicTimeZone())
    const candidates = batches.filter((batch) =>
      each.batch_id
        ? batch.batch_id === each.batch_id
        : batch.drug_id === each.drug_id && barred(batch, day) === null,
    )
    let missing = each.quantity
    for (const { batch_id } of candidates) {
      const taken = Math.min(missing, stock.availableSince(batch_id, day))
      if (taken === 0) continue
      missing = roundQuantity(missing - taken)
      stock.move({ batch_id, day, quantity: -taken })
      posted.push({
        clinicId,
        drugId: each.drug_id,
        batchId: batch_id,
        type: each.transaction_type,
        quantity: -taken,
        reference: each.reference_type as MovementReference,
        referenceId: each.reference_id,
        otherClinicId: each.other_clinic_id ?? undefined,
        reason: each.reason,
        by: each.performed_by,
        now: each.occurred_at,
        enteredOn: each.entered_on,
      })
    }
    if (missing === 0) covered.push(each.id)
    else if (missing < each.quantity) rest.push({ id: each.id, quantity: missing })
  }
  const moved = posted.flatMap(withArrival)
  await postMovements(db, moved)
  await sql`update stock_shortfalls s set
      settlement = case when s.id = any(${covered}::uuid[]) then 'covered' end,
      settled_at = case when s.id = any(${covered}::uuid[]) then clock_timestamp() end,
      settled_by = case when s.id = any(${covered}::uuid[]) then acting_user() end,
      quantity = coalesce(rest.quantity, s.quantity), updated_at = now()
    from stock_shortfalls o
      left join unnest(${rest.map(({ id }) => id)}::uuid[],
        ${rest.map(({ quantity }) => quantity)}::numeric[]) as rest(id, quantity) on rest.id = o.id
    where s.id = o.id and (s.id = any(${covered}::uuid[]) or rest.id is not null)`.execute(db)
  return moved
}

/** So many are covered by one receipt; the rest by the next, or by hand. */
const MOST_COVERED = 2000

const batchesIn = (db: Kysely<DB>, clinicId: string, drugIds: readonly string[]) =>
  db
    .selectFrom('clinic_inventory as i')
    .innerJoin('drug_batches as b', 'b.id', 'i.batch_id')
    .select(['i.batch_id', 'i.drug_id', 'b.expiry_date', 'b.is_quarantined'])
    .where('i.clinic_id', '=', clinicId)
    .where('i.is_deleted', '=', false)
    .where('i.quantity_available', '>', 0)
    .where(sql<boolean>`i.drug_id = any(${[...drugIds]}::uuid[])`)
    .orderBy('b.expiry_date')
    .orderBy('i.batch_id')
    .limit(5000)
    .execute()
