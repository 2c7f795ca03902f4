import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { type DailyStock, dailyStock } from '../changes/daily-stock'

/**
 * The stock of each batch of these medicines in a clinic at the end of a day and of each later one. Counted back from
 * the stock on hand: the ledger is read from that day on, however long it is.
 */
export async function loadDailyStock(
  db: Kysely<DB>,
  clinicId: string,
  drugIds: readonly string[],
  first: string,
): Promise<DailyStock> {
  const ofDrugs = sql<boolean>`drug_id = any(${[...drugIds]}::uuid[])`
  const moved = await db
    .selectFrom('inventory_transactions')
    .select(['batch_id', 'day'])
    .select(({ fn }) => fn.sum<number>('quantity').as('quantity'))
    .where('clinic_id', '=', clinicId)
    .where(ofDrugs)
    .where('day', '>', first)
    .groupBy(['batch_id', 'day'])
    .orderBy('day')
    .execute()
  const onHand = await db
    .selectFrom('clinic_inventory')
    .select(['batch_id', 'quantity_available'])
    .where('clinic_id', '=', clinicId)
    .where(ofDrugs)
    .execute()
  const since = Map.groupBy(moved, ({ batch_id }) => batch_id)
  const balances = onHand.map(({ batch_id, quantity_available }) => ({
    batch_id,
    quantity: (since.get(batch_id) ?? []).reduce(
      (left, { quantity }) => left - quantity,
      quantity_available,
    ),
  }))
  return dailyStock(first, balances, moved)
}
