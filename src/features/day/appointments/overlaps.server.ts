import { type RawBuilder, sql } from 'kysely'
import { isBookedAt } from '~/features/rules/transitions/taken.server'
import type { Context } from '~/server/operation'
import { ask, askAbout, type EarlierDayQuestion } from '~/shared/earlier-day'
import type { Message } from '~/shared/errors'
import { DEFAULT_MINUTES } from './appointment'
import { inVisibleClinics } from './appointments.server'

/** Whether an appointment takes a part of `minutes` from `at` on. */
const isBookedFrom = (alias: string, at: RawBuilder<unknown>, minutes: number) =>
  isBookedAt(alias, at, sql`${at} + make_interval(secs => ${minutes * 60})`)

/** Those that are booked at that time, with names; the caller says whose. */
const atThatTime = (
  { db, actor }: Context,
  { id, timestamp, duration }: { id?: string; timestamp: Date; duration: number },
) =>
  db
    .selectFrom('appointments')
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .innerJoin('clinics', 'clinics.id', 'appointments.clinic_id')
    .leftJoin('users as provider', 'provider.id', 'appointments.provider_id')
    .select(['appointments.id', 'appointments.timestamp', 'duration', 'given_name', 'surname'])
    .select(['appointments.patient_id', 'provider.name as provider', 'clinics.name as clinic'])
    .select(sql<boolean>`${inVisibleClinics(actor)}`.as('isSeen'))
    .where(isBookedFrom('appointments', sql`${timestamp}::timestamptz`, duration))
    .$if(id !== undefined, (q) => q.where('appointments.id', '<>', id!))
    .orderBy('appointments.timestamp')
    .limit(10)

type At = {
  id?: string
  provider_id?: string | null
  patient_id?: string
  timestamp: Date
  duration: number
}
export async function overlapping(ctx: Context, { provider_id, patient_id, ...at }: At) {
  const found = atThatTime(ctx, at)
  return {
    ofProvider: provider_id
      ? await found.where('appointments.provider_id', '=', provider_id).execute()
      : [],
    ofPatient: patient_id
      ? await found.where('appointments.patient_id', '=', patient_id).execute()
      : [],
  }
}

/** What is booked at that time; one of both lists is there twice, as the notice of the form shows it. */
const bookedAt = async (ctx: Context, at: At) => {
  const { ofProvider, ofPatient } = await overlapping(ctx, at)
  return [...ofProvider, ...ofPatient].map(({ id }) => id)
}

/**
 * Asks before a place is taken that was free when the user looked (or whose notice was still on its way), and before a
 * series takes places that no notice speaks of: both in one question, because its answer answers both.
 */
export async function askAboutOverlaps(
  ctx: Context,
  input: At,
  shown: number,
  laterTimes: readonly Date[],
) {
  const isTaken = (await bookedAt(ctx, input)).length > shown
  const count = laterTimes.length > 0 ? await countTaken(ctx, input, laterTimes) : 0
  const series: Message = { key: 'appointments.seriesTaken', values: { count } }
  if (isTaken)
    throw askAbout('against_record', {
      timestamp: { key: 'appointments.takenMeanwhile' },
      ...(count > 0 && { repeat: series }),
    })
  if (count > 0) throw ask('against_record', 'timestamp', series)
}

/** At how many of these times the provider or the patient is booked already. */
async function countTaken(
  { db }: Context,
  { provider_id, patient_id, duration }: At,
  times: readonly Date[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from unnest(${times}::timestamptz[]) wanted(at)
    where exists (
      select from appointments a
      where (a.provider_id = ${provider_id ?? null} or a.patient_id = ${patient_id ?? null})
        and ${isBookedFrom('a', sql`wanted.at`, duration)})`.execute(db)
  return rows[0]!.count
}

type Place = {
  id: string
  patient_id: string
  provider_id: string | null
  timestamp: Date
  duration: number | null
}
/** The same for a place that an appointment gets without its form: dragged, no longer cancelled, agreed in a call. */
export async function askIfTaken(
  ctx: Context,
  { duration, ...place }: Place,
  confirmed: readonly EarlierDayQuestion[] | undefined,
  field = 'timestamp',
) {
  // a program is not asked, and what is over takes no place
  if (!confirmed || confirmed.includes('against_record') || place.timestamp < new Date()) return
  const at = { ...place, duration: duration ?? DEFAULT_MINUTES }
  const count = new Set(await bookedAt(ctx, at)).size
  if (count > 0)
    throw ask('against_record', field, { key: 'appointments.takenAt', values: { count } })
}
