import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { barred } from '~/features/medicines/inventory/changes/picking'
import { askAbout, type EarlierDayQuestion } from '~/shared/earlier-day'
import type { Message } from '~/shared/errors'

/**
 * It was dispensed all the same: asks once whether the batches that were expired or are in quarantine are right, and
 * names each.
 */
export async function askBarred(
  db: Kysely<DB>,
  records: readonly { batchId: string | null; path: string }[],
  day: string,
  confirmed: readonly EarlierDayQuestion[],
) {
  const ids = records.flatMap(({ batchId }) => batchId ?? [])
  if (ids.length === 0 || confirmed.includes('barred_batch')) return
  const batches = await db
    .selectFrom('drug_batches')
    .select(['id', 'batch_number', 'expiry_date', 'is_quarantined'])
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  const fields: Record<string, Message> = {}
  for (const [at, { batchId, path }] of records.entries()) {
    const batch = batches.find(({ id }) => id === batchId)
    if (!batch || !barred(batch, day)) continue
    // an item can have several
    fields[path in fields ? `${path}.${at}` : path] = {
      key: batch.is_quarantined ? 'earlierDay.quarantinedBatch' : 'earlierDay.expiredBatch',
      values: { batch: batch.batch_number, expiry: batch.expiry_date },
    }
  }
  if (Object.keys(fields).length > 0) throw askAbout('barred_batch', fields)
}
