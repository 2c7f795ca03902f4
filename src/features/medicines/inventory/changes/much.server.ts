import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { askAbout, type EarlierDayQuestion } from '~/shared/earlier-day'
import type { Message } from '~/shared/errors'

/** More than this is a slip of the number, and so is a hundred times the most that was received of one batch. */
const VERY_MUCH = 100_000
const TIMES_THE_MOST = 100

/** `before`: what was there; a large stock that grows by less than itself is no slip. */
type Amount = { drugId: string; quantity: number; before?: number; path: string }

/** Asks about stock that is hardly right, whether it is received, counted or corrected to that. */
export async function askAboutMuch(
  db: Kysely<DB>,
  amounts: readonly Amount[],
  confirmed: readonly EarlierDayQuestion[],
) {
  if (amounts.length === 0 || confirmed.includes('unlikely_amount')) return
  const received = await db
    .selectFrom('drug_batches')
    .select(['drug_id', sql<number>`max(quantity_received)::float8`.as('most')])
    .where(sql<boolean>`drug_id = any(${amounts.map(({ drugId }) => drugId)}::uuid[])`)
    .groupBy('drug_id')
    .execute()
  const fields: Record<string, Message> = {}
  for (const { drugId, quantity, before = 0, path } of amounts) {
    const most = received.find(({ drug_id }) => drug_id === drugId)?.most
    if (quantity < 2 * before) continue
    if (quantity > VERY_MUCH) fields[path] = { key: 'batches.veryMuch', values: { quantity } }
    else if (most && quantity >= TIMES_THE_MOST * most)
      fields[path] = { key: 'batches.muchMore', values: { quantity, most } }
  }
  if (Object.keys(fields).length > 0) throw askAbout('unlikely_amount', fields)
}
