import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { conflict } from '~/shared/errors'
import { rounded } from '../changes/picking'
import { isPosted } from './movements.server'

type Posted = { batch_id: string; quantity: number; balance_after: number }

/**
 * As `isPosted`, for a request whose movements in a clinic can be compared with it. Refuses one with other values: the
 * answer to the first was lost, the user changed a quantity, and only the first is in the books. Of an earlier day, a
 * part of it may be a shortfall, and nothing is compared.
 */
export async function isRepeatOf(
  db: Kysely<DB>,
  referenceId: string,
  clinicId: string,
  isSame: (posted: readonly Posted[]) => boolean,
): Promise<boolean> {
  if (!(await isPosted(db, referenceId))) return false
  const posted = await db
    .selectFrom('inventory_transactions')
    .select(['batch_id', 'quantity', 'balance_after'])
    .where('reference_id', '=', referenceId)
    .where('clinic_id', '=', clinicId)
    .where('entered_on', 'is', null)
    .execute()
  if (posted.length > 0 && !isSame(posted)) throw conflict('inventory.otherRequest')
  return true
}

/** Whether movements add up to a quantity. */
export const addUpTo = (quantity: number) => (posted: readonly Posted[]) =>
  rounded(posted.reduce((sum, each) => sum + each.quantity, 0)) === rounded(quantity)
