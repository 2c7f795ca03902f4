import { sql } from 'kysely'
import type { Context } from '~/server/operation'
import { conflict, invalid } from '~/shared/errors'
import { addDays, startOfDay } from '~/shared/zone'
import { requirePrescriber } from './prescriptions.server'
import { lockPrescription } from './status.server'

type Stopped = { itemId: string; patientId: string; reason: string | null; day: string }

/**
 * Cancels one medicine of a prescription, for a user who may prescribe for the patient. A prescription of which no
 * medicine is left, and of which nothing was dispensed, is cancelled with the reason: it does not wait in the pharmacy.
 */
export async function stopItem(ctx: Context, { itemId, patientId, reason, day }: Stopped) {
  await requirePrescriber(ctx, patientId)
  const { prescription_id } = await ctx.db
    .selectFrom('prescription_items')
    .select('prescription_id')
    .where('id', '=', itemId)
    .where('patient_id', '=', patientId)
    .executeTakeFirstOrThrow()
  const was = await lockPrescription(ctx, prescription_id)
  // a visit of an earlier day, typed late: what was dispensed after it is not stopped by it
  const since = await ctx.db
    .selectFrom('dispensing_records as r')
    .select('r.id')
    .where('prescription_item_id', '=', itemId)
    .where('is_deleted', '=', false)
    .where('quantity_dispensed', '>', 0)
    .where('dispensed_at', '>=', startOfDay(addDays(day, 1)))
    .where(
      sql<boolean>`not exists (select from dispensing_records back
        where back.reverses_id = r.id and not back.is_deleted)`,
    )
    .executeTakeFirst()
  if (since) throw invalid({ decision: { key: 'reconciliations.dispensedSince', values: { day } } })
  const stopped = await ctx.db
    .updateTable('prescription_items')
    .set({ item_status: 'cancelled', updated_at: new Date() })
    .where('id', '=', itemId)
    .where('is_deleted', '=', false)
    .where('item_status', '<>', 'cancelled')
    .returning('id')
    .executeTakeFirst()
  if (!stopped) throw conflict('reconciliations.changed')
  const isEmpty = sql<boolean>`(items = '[]' and not exists (select from prescription_items i
    where i.prescription_id = prescriptions.id and not i.is_deleted and i.item_status <> 'cancelled'))`
  const waits = !was.is_dispensed && ['pending', 'prepared'].includes(was.status)
  // an editor that was open is out of date
  await ctx.db
    .updateTable('prescriptions')
    .set({
      updated_at: new Date(),
      ...(waits && {
        status: sql<string>`case when ${isEmpty} then 'cancelled' else status end`,
        status_reason: sql<
          string | null
        >`case when ${isEmpty} then ${reason}::text else status_reason end`,
      }),
    })
    .where('id', '=', prescription_id)
    .execute()
}
