import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { birthSpan } from '~/fields/birth'
import { knowPatient, clinicsOf } from '~/policy/rules'
import { isAdmin } from '~/shared/actor'
import type { Context } from '~/server/operation'
import { askAbout, type Question } from '~/shared/earlier-day'
import { invalid } from '~/shared/errors'
import { clinicTimeZone } from '~/shared/zone'
import { familyDoubts } from '~/features/people/related/related-persons.server'
import { type Born, birthOf, isBeforeBirth } from './patient'

/** Nothing happens to a patient after the death; what happened before may be written down late. */
export function requireLivingOn(
  { died_on }: { died_on: string | null },
  day: string,
  field: string,
) {
  if (died_on && day > died_on) throw invalid({ [field]: { key: 'patients.hasDied' } })
}

/** Also nothing before the birth. */
export function requireAliveOn(
  patient: Born & { died_on: string | null },
  day: string,
  field: string,
) {
  if (isBeforeBirth(patient, day)) throw invalid({ [field]: { key: 'vitals.beforeBirth' } })
  requireLivingOn(patient, day, field)
}

type Life = Born & { died_on: string | null; sex: string | null }

/**
 * The same rule from its other side: a sex, a date of birth or of death that contradicts what is recorded already, of
 * the patient or of the family, is asked about. `confirmed` is what the user answered; a program is not asked.
 */
export async function askAboutLife(
  ctx: Context,
  { id, before, now }: { id: string; before: Life; now: Life },
  confirmed: readonly Question[] | undefined,
) {
  if (!confirmed || confirmed.includes('against_record')) return
  const [birth, earlier] = [birthOf(now), birthOf(before)]
  const born = birth && birthSpan(birth)[0]
  const isBornLater = born !== null && (!earlier || born > birthSpan(earlier)[0])
  const isDeathNew = now.died_on !== null && now.died_on !== before.died_on
  const isOther = now.sex !== before.sex || now.date_of_birth !== before.date_of_birth
  const doubts = isOther ? await familyDoubts(ctx, id, now) : {}
  const { first, last } =
    isBornLater || isDeathNew ? await recordedDays(ctx, id) : { first: null, last: null }
  if (isBornLater && first && first < born)
    doubts['date_of_birth'] = { key: 'patients.recordsBeforeBirth', values: { day: first } }
  if (isDeathNew && last && last > now.died_on!)
    doubts['died_on'] = { key: 'patients.recordsAfterDeath', values: { day: last } }
  if (Object.keys(doubts).length > 0) throw askAbout('against_record', doubts)
}

/** The first and the last day of what the clinics of the actor have recorded as done with the patient. */
async function recordedDays({ db, actor }: Context, id: string) {
  const clinics = isAdmin(actor) ? 'all' : clinicsOf(knowPatient, actor)
  const own = (table: string) =>
    clinics === 'all'
      ? sql`true`
      : sql`${sql.ref(`${table}.recorded_clinic_id`)} = any(${clinics}::uuid[])`
  return daysOf(db, id, own)
}

async function daysOf(
  db: Kysely<DB>,
  id: string,
  own: (table: string) => ReturnType<typeof sql>,
): Promise<{ first: string | null; last: string | null }> {
  const zone = clinicTimeZone()
  const days = Object.entries({
    visits: sql`(check_in_timestamp at time zone ${zone})::date`,
    patient_vitals: sql`(timestamp at time zone ${zone})::date`,
    prescriptions: sql`(prescribed_at at time zone ${zone})::date`,
    patient_immunizations: sql`given_on`,
    patient_pregnancies: sql`asked_on`,
  }).map(
    ([table, day]) =>
      sql`select ${day} as day from ${sql.table(table)} where patient_id = ${id} and not is_deleted and ${own(table)}`,
  )
  const { rows } = await sql<{ first: string | null; last: string | null }>`
    select min(day)::text as first, max(day)::text as last
    from (${sql.join(days, sql` union all `)}) recorded`.execute(db)
  return rows[0]!
}
