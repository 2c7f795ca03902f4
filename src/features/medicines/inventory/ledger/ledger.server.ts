import { type SelectQueryBuilder, sql } from 'kysely'
import type * as z from 'zod'
import type { DB } from '~/db/types'
import { titleColumns } from '~/records/strength'
import { inClinic } from '~/policy/on.server'
import { workAt } from '~/policy/rules'
import { type Context, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { inPermittedClinics } from '~/server/scope'
import { ListLedger } from '../inventory'

type Filter = Omit<z.output<typeof ListLedger>, 'page' | 'pageSize'>
type Ledger = SelectQueryBuilder<DB & { t: DB['inventory_transactions'] }, 't', object>

/**
 * Everything that came and went, the last day first: of a clinic, a medicine, a batch. Balances run by the day it
 * happened, then by the order of the ledger; `balance_after` is what the batch had when the movement was posted.
 */
export const listLedger = query('ledger.list', {
  mayLag: true,
  reads: ['inventory_transactions', 'stock_shortfalls'],
  looksUp: ['clinics', 'drug_batches', 'drug_catalogue', 'users'],
  input: ListLedger,
  on: inClinic(workAt),
  async run(ctx, { page, pageSize, ...filter }) {
    const found = matching(ctx, filter)
    const { rows, pagination } = await loadListPage(
      found
        .innerJoin('drug_catalogue as d', 'd.id', 't.drug_id')
        .innerJoin('drug_batches as b', 'b.id', 't.batch_id')
        .innerJoin('clinics as c', 'c.id', 't.clinic_id')
        .leftJoin('clinics as o', 'o.id', 't.other_clinic_id')
        .leftJoin('users as u', 'u.id', 't.performed_by')
        .select([
          't.id',
          't.transaction_type',
          't.quantity',
          't.balance_after',
          't.reference_type',
          't.reference_id',
        ])
        .select([
          't.reason',
          't.is_reported',
          't.day',
          't.entered_on',
          't.purchase_price',
          't.purchase_currency',
          't.expiry_before',
          't.expiry_after',
          't.occurred_at',
          't.server_created_at',
          't.batch_id',
          'b.batch_number',
        ])
        .select(['b.expiry_date', 't.drug_id', ...titleColumns('d')])
        .select([
          't.clinic_id',
          'c.name as clinic_name',
          'o.name as other_clinic_name',
          'u.name as performed_by_name',
        ])
        // of the medicine in the clinic, over its batches: for a bin card
        .select(
          sql<number>`(select sum(e.quantity) from inventory_transactions e
          where e.clinic_id = t.clinic_id and e.drug_id = t.drug_id
            and (e.day, e.position) <= (t.day, t.position))`.as('drug_balance'),
        )
        .select(
          sql<number>`(select sum(e.quantity) from inventory_transactions e
          where e.clinic_id = t.clinic_id and e.batch_id = t.batch_id
            and (e.day, e.position) <= (t.day, t.position))`.as('batch_balance'),
        )
        .orderBy('t.day', 'desc')
        .orderBy('t.position', 'desc'),
      found,
      page,
      { pageSize },
    )
    return {
      rows,
      pagination,
      /** What was taken beyond the stock and is not resolved: no balance has it. */
      shortfall: await sumOpenShortfall(ctx, filter),
    }
  },
})

/** Of the clinics, the medicine and the batch that the ledger is about. */
async function sumOpenShortfall({ db, actor }: Context, { clinicId, drugId, batchId }: Filter) {
  const { quantity } = await db
    .selectFrom('stock_shortfalls as s')
    .select(sql<number>`coalesce(sum(s.quantity), 0)`.as('quantity'))
    .where('s.is_deleted', '=', false)
    .where('s.settlement', 'is', null)
    .where(inPermittedClinics(actor, 's.clinic_id', ...workAt))
    .$if(!!clinicId, (q) => q.where('s.clinic_id', '=', clinicId!))
    .$if(!!drugId, (q) => q.where('s.drug_id', '=', drugId!))
    .$if(!!batchId, (q) => q.where('s.batch_id', '=', batchId!))
    .executeTakeFirstOrThrow()
  return quantity
}
export type LedgerRow = Awaited<ReturnType<typeof listLedger>>['rows'][number]

const matching = ({ db, actor }: Context, { clinicId, drugId, batchId, type }: Filter) =>
  (db.selectFrom('inventory_transactions as t') as unknown as Ledger) // without the page's joins
    .where(inPermittedClinics(actor, 't.clinic_id', ...workAt))
    .$if(!!clinicId, (q) => q.where('t.clinic_id', '=', clinicId!))
    .$if(!!drugId, (q) => q.where('t.drug_id', '=', drugId!))
    .$if(!!batchId, (q) => q.where('t.batch_id', '=', batchId!))
    .$if(!!type, (q) => q.where('t.transaction_type', '=', type!))
