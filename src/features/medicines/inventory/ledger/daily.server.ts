import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { type DailyStock, dailyStock } from '../changes/daily-stock'

/** What was moved on each day, of each batch of these medicines in a clinic. */
export async function dailyStockOf(
  db: Kysely<DB>,
  clinicId: string,
  drugIds: readonly string[],
): Promise<DailyStock> {
  const moved = await db
    .selectFrom('inventory_transactions')
    .select(['batch_id', 'day'])
    .select(({ fn }) => fn.sum<number>('quantity').as('quantity'))
    .where('clinic_id', '=', clinicId)
    .where(sql<boolean>`drug_id = any(${[...drugIds]}::uuid[])`)
    .groupBy(['batch_id', 'day'])
    .execute()
  return dailyStock(moved)
}
