import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { ask, type EarlierDayQuestion } from '~/shared/earlier-day'
import { clinicTimeZone, dayIn } from '~/shared/zone'

/*
 * What is handed out was prescribed before. Where a user types both days from paper, one of two in the wrong order is a
 * slip: asked about whichever of them is typed last.
 */

/** Asks about a day of dispensing before the prescription. */
export function askBeforePrescribed(
  { prescribed_at }: { prescribed_at: Date },
  day: string,
  confirmed: readonly EarlierDayQuestion[],
) {
  const prescribedOn = dayIn(prescribed_at, clinicTimeZone())
  if (day < prescribedOn && !confirmed.includes('unlikely_date'))
    throw ask('unlikely_date', 'day', {
      key: 'dispensing.beforePrescribed',
      values: { day: prescribedOn },
    })
}

/** Asks about a day of the prescription after that on which something of it was handed out. */
export async function askAboutDispensed(
  db: Kysely<DB>,
  prescription: { id: string; is_dispensed: boolean } | undefined,
  { day, field }: { day: string; field: string },
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  // a program is not asked
  if (!prescription?.is_dispensed || !confirmed || confirmed.includes('unlikely_date')) return
  const { first } = await db
    .selectFrom('dispensing_records as r')
    .innerJoin('prescription_items as i', 'i.id', 'r.prescription_item_id')
    .leftJoin('dispensing_records as back', (join) =>
      join.onRef('back.reverses_id', '=', 'r.id').on('back.is_deleted', '=', false),
    )
    .select(({ fn }) => fn.min<Date | null>('r.dispensed_at').as('first'))
    .where('i.prescription_id', '=', prescription.id)
    .where('r.is_deleted', '=', false)
    .where('r.quantity_dispensed', '>', 0)
    .where('back.id', 'is', null)
    .executeTakeFirstOrThrow()
  const dispensedOn = first && dayIn(first, clinicTimeZone())
  if (dispensedOn && dispensedOn < day)
    throw ask('unlikely_date', field, {
      key: 'prescriptions.dispensedBefore',
      values: { day: dispensedOn },
    })
}
