import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { conflict } from '~/shared/errors'
import { roundQuantity } from '../changes/picking'
import { isPosted } from './movements.server'

type Posted = {
  batch_id: string
  quantity: number
  balance_after: number
  transaction_type: string
  other_clinic_id: string | null
}

/**
 * As `isPosted`, for a request whose movements in a clinic can be compared with it. Refuses one with other values: the
 * answer to the first was lost, the user changed something, and only the first is in the books; or it is in those of
 * another clinic. Of an earlier day, a part of it may be a shortfall, and no quantity is compared.
 */
export async function repeats(
  db: Kysely<DB>,
  referenceId: string,
  clinicId: string,
  isSame: (posted: readonly Posted[]) => boolean,
): Promise<boolean> {
  if (!(await isPosted(db, referenceId))) return false
  const posted = await db
    .selectFrom('inventory_transactions')
    .select(['batch_id', 'quantity', 'balance_after', 'transaction_type', 'other_clinic_id'])
    .select('entered_on')
    .where('reference_id', '=', referenceId)
    .where('clinic_id', '=', clinicId)
    .execute()
  const today = posted.filter(({ entered_on }) => entered_on === null)
  const isHere = posted.length > 0 || (await isShortIn(db, referenceId, clinicId))
  if (!isHere || (today.length > 0 && !isSame(today))) throw conflict('inventory.otherRequest')
  return true
}

async function isShortIn(db: Kysely<DB>, referenceId: string, clinicId: string) {
  const short = await db
    .selectFrom('stock_shortfalls')
    .select('id')
    .where('reference_id', '=', referenceId)
    .where('clinic_id', '=', clinicId)
    .limit(1)
    .executeTakeFirst()
  return short !== undefined
}

/** Whether movements took these quantities from these batches. */
export function tookFrom(
  lines: readonly { batchId: string; quantity: number }[],
  posted: readonly Posted[],
): boolean {
  const left = new Map<string, number>()
  const add = (batch: string, quantity: number) =>
    left.set(batch, roundQuantity((left.get(batch) ?? 0) + quantity))
  for (const { batchId, quantity } of lines) add(batchId, quantity)
  for (const { batch_id, quantity } of posted) add(batch_id, quantity)
  return [...left.values()].every((quantity) => quantity === 0)
}
