import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { inClinic } from '~/policy/on.server'
import { requireClinic } from '~/policy/require.server'
import { manageStock, workAt } from '~/policy/rules'
import { batchRecord } from '~/records/batch'
import { hasNoExpiry } from '~/records/no-expiry'
import { qualified } from '~/records/qualified'
import { mutation, type On, query } from '~/server/operation'
import { saveRecord } from '~/server/record'
import { inPermittedClinics } from '~/server/scope'
import { isAdmin } from '~/shared/actor'
import { conflict, forbidden, invalid, notFound } from '~/shared/errors'
import { ask, happened, type EarlierDayQuestion } from '~/shared/earlier-day'
import { newId } from '~/shared/id'
import { addDays, clinicToday } from '~/shared/zone'
import { CreateBatch, ListBatches, Quarantine, SaveBatch } from './inventory'
import { isPosted, lockBatches, type Movement, postMovements } from './ledger/movements.server'
import { postEarlier } from './ledger/earlier.server'
import { askAboutMuch } from './changes/much.server'
import { barred, roundQuantity } from './changes/picking'
import { isUsable } from './usable.server'

export type BatchStock = {
  clinic_id: string
  clinic_name: string
  quantity_available: number
  reserved_quantity: number
  last_counted_at: string | null
}
type QuarantineNote = { reason: string; by: string | null; at: string }

/**
 * The batches of a medicine, first to expire first, with the stock in each of the caller's clinics.
 * Includes unavailable ones unless `onlyAvailable`.
 */
export const listBatches = query('batches.byDrug', {
  reads: ['clinic_inventory', 'drug_batches'],
  looksUp: ['clinics'],
  input: ListBatches,
  on: inClinic(workAt),
  async run({ db, actor }, { drugId, onlyAvailable, clinicId }) {
    const inSight = clinicId
      ? sql<boolean>`i.clinic_id = ${clinicId}`
      : inPermittedClinics(actor, 'i.clinic_id', ...workAt)
    const rows = await db
      .selectFrom('drug_batches as b')
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom('clinic_inventory as i')
            .innerJoin('clinics as c', 'c.id', 'i.clinic_id')
            .whereRef('i.batch_id', '=', 'b.id')
            .where('i.is_deleted', '=', false)
            .where(inSight)
            .select([
              sql<number>`coalesce(sum(i.quantity_available), 0)`.as('quantity_remaining'),
              sql<number>`coalesce(sum(greatest(i.quantity_available - i.reserved_quantity, 0)), 0)`.as(
                'free',
              ),
              sql<number>`count(*)`.as('places'),
              sql<
                BatchStock[]
              >`coalesce(jsonb_agg(jsonb_build_object('clinic_id', c.id, 'clinic_name', c.name,
                'quantity_available', i.quantity_available, 'reserved_quantity', i.reserved_quantity,
                'last_counted_at', i.last_counted_at) order by c.name collate names), '[]')`.as(
                'stock',
              ),
            ])
            .as('s'),
        (join) => join.onTrue(),
      )
      .where('b.drug_id', '=', drugId)
      .where('b.is_deleted', '=', false)
      .$if(!isAdmin(actor) || !!clinicId, (q) => q.where('s.places', '>', 0))
      .$if(onlyAvailable, (q) =>
        q.where('s.free', '>', 0).where(isUsable('b', sql`${clinicToday()}::date`)),
      )
      .select([...qualified('b', batchRecord.selected), 'b.quantity_received', 'b.is_quarantined'])
      .select(['s.quantity_remaining', 's.free', 's.stock'])
      .select(sql<QuarantineNote | null>`b.metadata -> 'quarantine'`.as('quarantine'))
      .orderBy('b.expiry_date')
      .orderBy('b.id')
      .limit(1000)
      .execute()
    const today = clinicToday()
    return rows.map((batch) => ({
      ...batch,
      /** Why the batch cannot be dispensed; null if it can. */
      barred: barred(batch, today),
    }))
  },
})
export type Batch = Awaited<ReturnType<typeof listBatches>>[number]

/**
 * Receives a batch in a clinic: a new one, or more of a known one. The same request again receives
 * nothing more.
 */
export const createBatch = mutation('batches.create', {
  input: CreateBatch,
  on: inClinic(manageStock),
  async run({ db }, { id, clinic_id, drug_id, quantity, confirmed, ...batch }) {
    await requireClinic(db, clinic_id)
    const drug = await db
      .selectFrom('drug_catalogue')
      .select('is_active')
      .where('id', '=', drug_id)
      .where('is_deleted', '=', false)
      .executeTakeFirst()
    if (!drug) throw notFound('drugs.notFound')
    if (!(await isPosted(db, id))) {
      if (!drug.is_active) throw conflict('drugs.notInUse')
      const { day, at, enteredOn } = happened(
        { day: batch.received_date, confirmed },
        'received_date',
      )
      askUnlikely(batch, confirmed)
      await askAboutMuch(db, [{ drugId: drug_id, quantity, path: 'quantity' }], confirmed)
      const isExpired = batch.expiry_date < day
      // found at the start: it is counted, cannot be dispensed, and is written off
      if (isExpired && !confirmed.includes('expired_stock'))
        throw ask('expired_stock', 'expiry_date', { key: 'batches.alreadyExpired' })
      const batchId = await knownOrNew(db, { drug_id, ...batch })
      const receipt: Movement = {
        clinicId: clinic_id,
        drugId: drug_id,
        batchId,
        type: isExpired ? 'adjustment' : 'received',
        quantity,
        reference: isExpired ? 'found' : 'receipt',
        referenceId: id,
        reason: batch.supplier_name,
        purchase: isExpired
          ? undefined
          : { price: batch.purchase_price, currency: batch.purchase_currency },
        now: at,
      }
      if (enteredOn) {
        await lockBatches(db, clinic_id, [drug_id])
        await postEarlier(db, [{ ...receipt, enteredOn }])
      } else await postMovements(db, [receipt])
    }
    const posted = await db
      .selectFrom('inventory_transactions as t')
      .innerJoin('drug_batches as b', 'b.id', 't.batch_id')
      .select(['t.batch_id', 't.quantity', 't.balance_after', 't.transaction_type'])
      .select(['b.batch_number', 'b.expiry_date', 't.purchase_price', 't.purchase_currency'])
      .where('reference_id', '=', id)
      .where('t.drug_id', '=', drug_id)
      .where('t.clinic_id', '=', clinic_id)
      .executeTakeFirst()
    // the first answer was lost, and the user changed something
    if (!posted || !isSameReceipt(posted, { quantity, ...batch }))
      throw conflict('inventory.otherRequest')
    return { id: posted.batch_id, quantity_available: posted.balance_after }
  },
})

type PostedReceipt = Pick<NewBatch, 'batch_number' | 'expiry_date'> & {
  quantity: number
  transaction_type: string
  purchase_price: number | null
  purchase_currency: string | null
}
/** What has expired when it is found has no price in the books. */
const isSameReceipt = (
  posted: PostedReceipt,
  sent: Omit<NewBatch, 'drug_id'> & { quantity: number },
) =>
  posted.quantity === roundQuantity(sent.quantity) &&
  posted.batch_number.toLowerCase() === sent.batch_number.toLowerCase() &&
  posted.expiry_date === sent.expiry_date &&
  (posted.transaction_type !== 'received' ||
    (posted.purchase_price === sent.purchase_price &&
      posted.purchase_currency === sent.purchase_currency))

type NewBatch = Omit<typeof CreateBatch._zod.output, 'id' | 'clinic_id' | 'quantity' | 'confirmed'>

async function knownOrNew(db: Kysely<DB>, batch: NewBatch): Promise<string> {
  await db
    .insertInto('drug_batches')
    .values({ id: newId(), ...batch })
    .onConflict((oc) => oc.expression(sql`drug_id, lower(batch_number)`).doNothing())
    .execute()
  const known = await db
    .selectFrom('drug_batches')
    .select(['id', 'expiry_date'])
    .where('drug_id', '=', batch.drug_id)
    .where(sql<boolean>`lower(batch_number) = lower(${batch.batch_number})`)
    .executeTakeFirstOrThrow()
  if (known.expiry_date !== batch.expiry_date) {
    const text = { key: 'batches.otherExpiry', values: { expiry: known.expiry_date } } as const
    throw conflict(text.key, text.values, { expiry_date: text })
  }
  return known.id
}

type Corrected = { drug_id: string; expiry_date: string; after: string; reason: string | null }

/** In each clinic that has or had it. */
async function postCorrected(db: Kysely<DB>, batchId: string, corrected: Corrected) {
  const { drug_id: drugId, expiry_date, after, reason } = corrected
  const clinics = await db
    .selectFrom('clinic_inventory')
    .select('clinic_id')
    .where('batch_id', '=', batchId)
    .where('is_deleted', '=', false)
    .orderBy('clinic_id')
    .limit(1000)
    .execute()
  const referenceId = newId()
  await postMovements(
    db,
    clinics.map(({ clinic_id }) => ({
      clinicId: clinic_id,
      drugId,
      batchId,
      type: 'corrected' as const,
      quantity: 0,
      reference: 'correction' as const,
      referenceId,
      reason,
      expiry: { before: expiry_date, after },
      now: new Date(),
    })),
  )
}

/**
 * A batch, to users who manage the stock of `some` or `every` clinic that holds it. To others it is `forbidden`,
 * whether or not it exists.
 */
const managed = (clinics: 'some' | 'every'): On<{ id: string }, object> => ({
  permits: (actor) => permitsSomewhere(manageStock, actor),
  async rows({ db, actor }, { id }) {
    if (isAdmin(actor)) return {}
    const rows = await db
      .selectFrom('clinic_inventory')
      .select('clinic_id')
      .where('batch_id', '=', id)
      .where('quantity_available', '>', 0)
      .execute()
    const own = rows.filter(({ clinic_id }) => permitsIn(manageStock, actor, clinic_id))
    const isEnough = clinics === 'some' || own.length === rows.length
    if (own.length === 0 || !isEnough) throw forbidden()
    return {}
  },
})

/** No medicine keeps longer; a date further ahead is a slip of the year. */
const MOST_SHELF_DAYS = 3653

/** Asks about dates that are possible and hardly right. */
function askUnlikely(
  { expiry_date, manufacture_date, received_date }: Omit<NewBatch, 'drug_id'>,
  confirmed: readonly EarlierDayQuestion[],
) {
  if (confirmed.includes('unlikely_date')) return
  const today = clinicToday()
  if (expiry_date > addDays(today, MOST_SHELF_DAYS) && !hasNoExpiry(expiry_date))
    throw ask('unlikely_date', 'expiry_date', {
      key: 'batches.farExpiry',
      values: { expiry: expiry_date },
    })
  if (manufacture_date && manufacture_date > today)
    throw ask('unlikely_date', 'manufacture_date', { key: 'validation.inFuture' })
  if (manufacture_date && received_date && received_date < manufacture_date)
    throw ask('unlikely_date', 'received_date', {
      key: 'batches.receivedBeforeMade',
      values: { day: manufacture_date },
    })
}

/** Asks about a day of receipt after another movement of the batch: what had not come was not moved. */
async function askIfMovedBefore(
  db: Kysely<DB>,
  { id, received_date }: { id: string; received_date: string },
  confirmed: readonly EarlierDayQuestion[],
) {
  if (confirmed.includes('unlikely_date')) return
  const first = await db
    .selectFrom('inventory_transactions')
    .select('day')
    .where('batch_id', '=', id)
    .where('day', '<', received_date)
    .where('transaction_type', '<>', 'received')
    // of an expired batch, the receipt itself is a movement of this kind
    .where('reference_type', '<>', 'found')
    .orderBy('day')
    .limit(1)
    .executeTakeFirst()
  if (first)
    throw ask('unlikely_date', 'received_date', {
      key: 'batches.movedBefore',
      values: { day: first.day },
    })
}

/**
 * Corrects the details of a batch: for users who manage the stock of every clinic that holds it. Another expiry date
 * needs a reason, and is a movement of its own kind in each of them.
 */
export const saveBatch = mutation('batches.save', {
  input: SaveBatch,
  on: managed('every'),
  async run(ctx, { reason, confirmed, ...batch }) {
    const before = await ctx.db
      .selectFrom('drug_batches')
      .select(['drug_id', 'expiry_date', 'manufacture_date', 'received_date'])
      .where('id', '=', batch.id)
      .where('is_deleted', '=', false)
      .forUpdate()
      .executeTakeFirst()
    if (
      before &&
      before.received_date !== batch.received_date &&
      batch.received_date > clinicToday()
    )
      throw invalid({ received_date: { key: 'validation.inFuture' } })
    const isOther = before !== undefined && before.expiry_date !== batch.expiry_date
    if (isOther && !reason) throw invalid({ reason: { key: 'batches.expiryNeedsReason' } })
    const isReceivedOther = before?.received_date !== batch.received_date
    if (isOther || isReceivedOther || before?.manufacture_date !== batch.manufacture_date)
      askUnlikely(batch, confirmed)
    if (isReceivedOther) await askIfMovedBefore(ctx.db, batch, confirmed)
    const saved = await saveRecord(ctx, 'drug_batches', batch, 'batches.notFound')
    if (isOther)
      await postCorrected(ctx.db, batch.id, { ...before, after: batch.expiry_date, reason })
    return saved
  },
})

/**
 * Into quarantine or out of it, in every clinic that holds it: by a user who manages the stock of any of them.
 */
export const quarantineBatch = mutation('batches.quarantine', {
  input: Quarantine,
  on: managed('some'),
  async run({ db, actor }, { id, is_quarantined, reason }) {
    const note: QuarantineNote = { reason, by: actor.name, at: new Date().toISOString() }
    const batch = await db
      .updateTable('drug_batches')
      .set({
        is_quarantined,
        metadata: sql`metadata || jsonb_build_object('quarantine', ${JSON.stringify(note)}::jsonb)`,
        updated_at: new Date(),
      })
      .where('id', '=', id)
      .where('is_deleted', '=', false)
      .returning(['id', 'is_quarantined', 'last_modified'])
      .executeTakeFirst()
    if (!batch) throw notFound('batches.notFound')
    return batch
  },
})
