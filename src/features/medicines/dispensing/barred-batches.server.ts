import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { barred } from '~/features/medicines/inventory/changes/picking'
import { ask, type Question } from '~/shared/earlier-day'

/** It was dispensed all the same: asks once whether a batch that was expired or is in quarantine is right. */
export async function askBarred(
  db: Kysely<DB>,
  records: readonly { batchId: string | null; path: string }[],
  day: string,
  confirmed: readonly Question[],
) {
  const ids = records.flatMap(({ batchId }) => batchId ?? [])
  if (ids.length === 0 || confirmed.includes('barred_batch')) return
  const batches = await db
    .selectFrom('drug_batches')
    .select(['id', 'batch_number', 'expiry_date', 'is_quarantined'])
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
  const batch = batches.find((each) => barred(each, day))
  const at = batch && records.find(({ batchId }) => batchId === batch.id)
  if (at)
    throw ask('barred_batch', at.path, {
      key: batch.is_quarantined ? 'earlierDay.quarantinedBatch' : 'earlierDay.expiredBatch',
      values: { batch: batch.batch_number, expiry: batch.expiry_date },
    })
}
