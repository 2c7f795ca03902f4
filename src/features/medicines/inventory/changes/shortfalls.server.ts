import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { titleColumns } from '~/records/strength'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { inClinic, type TableRow } from '~/policy/on.server'
import { countStockAt, manageStock } from '~/policy/rules'
import { type Context, mutation, type On, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { inPermittedClinics } from '~/server/scope'
import { conflict, forbidden, notFound } from '~/shared/errors'
import { ListShortfalls, SettleShortfall } from '../inventory'
import {
  lockAndPick,
  postMovements,
  type MovementReference,
  requireEnough,
} from '../ledger/movements.server'
import { withArrival } from '../ledger/earlier.server'
import { lockStock } from './stock-changes.server'

/** What phones dispensed beyond the stock: the open ones, or the settled ones. */
export const listShortfalls = query('shortfalls.list', {
  reads: ['stock_shortfalls'],
  looksUp: ['clinics', 'drug_batches', 'drug_catalogue', 'users'],
  input: ListShortfalls,
  on: inClinic(countStockAt),
  async run({ db, actor }, { clinicId, settled, page }) {
    const found = db
      .selectFrom('stock_shortfalls as s')
      .where('s.is_deleted', '=', false)
      .where('s.settlement', settled ? 'is not' : 'is', null)
      .where(inPermittedClinics(actor, 's.clinic_id', ...countStockAt))
      .$if(!!clinicId, (q) => q.where('s.clinic_id', '=', clinicId!))
    return loadListPage(
      found
        .innerJoin('drug_catalogue as d', 'd.id', 's.drug_id')
        .innerJoin('clinics as c', 'c.id', 's.clinic_id')
        .leftJoin('drug_batches as b', 'b.id', 's.batch_id')
        .leftJoin('users as u', 'u.id', 's.performed_by')
        .leftJoin('users as by', 'by.id', 's.settled_by')
        .select([
          's.id',
          's.quantity',
          's.occurred_at',
          's.entered_on',
          's.transaction_type',
          's.settlement',
          's.settled_reason',
          's.settled_at',
        ])
        .select(['s.clinic_id', 'c.name as clinic_name', 's.drug_id', ...titleColumns('d')])
        .select(['b.batch_number', 'u.name as performed_by_name'])
        .select('by.name as settled_by_name')
        .orderBy('s.occurred_at', 'desc')
        .orderBy('s.id'),
      found,
      page,
    )
  },
})
export type Shortfall = Awaited<ReturnType<typeof listShortfalls>>['rows'][number]

/** The locked shortfall: to users who manage the stock of its clinic, `forbidden` to those of others. */
const managed: On<{ id: string }, { shortfall: TableRow<'stock_shortfalls'> }> = {
  permits: (actor) => permitsSomewhere(manageStock, actor),
  async rows({ db, actor }, { id }) {
    const shortfall = await db
      .selectFrom('stock_shortfalls')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst()
    if (shortfall && !permitsIn(manageStock, actor, shortfall.clinic_id)) throw forbidden()
    if (!shortfall || shortfall.is_deleted) throw notFound('inventory.shortfallNotFound')
    return { shortfall }
  },
}

/**
 * `posted`: takes it from stock that was found, all or nothing. `explained`: takes nothing, the
 * reason says why.
 */
export const settleShortfall = mutation('shortfalls.settle', {
  input: SettleShortfall,
  on: managed,
  async run(ctx, { id, settlement, reason }, { shortfall }) {
    if (shortfall.settlement === settlement) return { id, settlement }
    if (shortfall.settlement) throw conflict('inventory.alreadySettled')
    if (settlement === 'posted') await takeFromStock(ctx, shortfall, reason)
    await ctx.db
      .updateTable('stock_shortfalls')
      .set({ settlement, settled_reason: reason, settled_at: new Date(), updated_at: new Date() })
      .set({ settled_by: sql`acting_user()` })
      .where('id', '=', id)
      .execute()
    return { id, settlement }
  },
})

type Owed = Pick<
  TableRow<'stock_shortfalls'>,
  | 'clinic_id'
  | 'drug_id'
  | 'batch_id'
  | 'quantity'
  | 'transaction_type'
  | 'reference_type'
  | 'reference_id'
  | 'other_clinic_id'
  | 'performed_by'
>

async function takeFromStock({ db }: Context, owed: Owed, reason: string) {
  const now = new Date()
  const where = { clinicId: owed.clinic_id, drugId: owed.drug_id }
  await postMovements(
    db,
    (await picksFor(db, owed, now)).flatMap((pick) =>
      withArrival({
        ...where,
        batchId: pick.batch_id,
        type: owed.transaction_type,
        quantity: -pick.quantity,
        reference: owed.reference_type as MovementReference,
        referenceId: owed.reference_id,
        otherClinicId: owed.other_clinic_id ?? undefined,
        reason,
        by: owed.performed_by,
        isReported: true,
        now,
      }),
    ),
  )
}

/** A loss, a transfer or a count is of its batch; what was dispensed comes from what is usable now. */
async function picksFor(db: Kysely<DB>, owed: Owed, now: Date) {
  const { clinic_id: clinicId, drug_id: drugId, batch_id, quantity } = owed
  if (owed.transaction_type === 'dispensed' || !batch_id) {
    const picking = await lockAndPick(db, { clinicId, drugId, quantity, now })
    requireEnough(picking)
    return picking.picks
  }
  const { quantity_available: available } = (await lockStock(db, clinicId, [batch_id])).get(
    batch_id,
  )!
  if (available < quantity) throw conflict('inventory.notEnoughOf', { available })
  return [{ batch_id, quantity }]
}
