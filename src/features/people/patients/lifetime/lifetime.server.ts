import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { type Birth, birthSpan } from '~/fields/birth'
import { parseSex } from '~/fields/sex'
import { clinicsMeetingRule, knowPatient, readForSafety } from '~/policy/rules'
import { patientsWhere } from '~/policy/sql.server'
import { isAdmin } from '~/shared/actor'
import type { Context } from '~/server/operation'
import { type Relationship, relationFault } from '~/records/related-person'
import { askAbout, type EarlierDayQuestion } from '~/shared/earlier-day'
import type { Message } from '~/shared/errors'
import { clinicTimeZone } from '~/shared/zone'
import { type Born, patientBirth, patientName, toRelative } from '../patient'

type Life = Born & { died_on: string | null; sex: string | null }
type Change = { id: string; before: Life; now: Life }

/**
 * The rule of `lifetime.ts` from its other side: a sex, a date of birth or of death that contradicts what is recorded
 * already, of the patient or of the family, is asked about. `confirmed` is what the user answered; a program is not
 * asked.
 */
export const askAboutLife = (
  ctx: Context,
  change: Change,
  confirmed: readonly EarlierDayQuestion[] | undefined,
) => askAboutLives(ctx, [change], confirmed)

/** The same of several records that become one: one question. */
export async function askAboutLives(
  ctx: Context,
  changes: readonly Change[],
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  if (!confirmed || confirmed.includes('against_record')) return
  const doubts: Record<string, Message> = {}
  for (const change of changes) Object.assign(doubts, await findLifetimeDoubts(ctx, change))
  if (Object.keys(doubts).length > 0) throw askAbout('against_record', doubts)
}

async function findLifetimeDoubts(ctx: Context, { id, before, now }: Change) {
  const [birth, earlier] = [patientBirth(now), patientBirth(before)]
  const born = birth && birthSpan(birth)[0]
  const isBornLater = born !== null && (!earlier || born > birthSpan(earlier)[0])
  const isDeathNew = now.died_on !== null && now.died_on !== before.died_on
  const isOther = now.sex !== before.sex || birthSpanKey(birth) !== birthSpanKey(earlier)
  const doubts = isOther ? await familyDoubts(ctx, id, now) : {}
  if (isMale(now) && !isMale(before) && (await wasPregnant(ctx, id)))
    doubts['sex'] = { key: 'patients.recordsPregnancy' }
  const { first, last } =
    isBornLater || isDeathNew ? await recordedDays(ctx, id) : { first: null, last: null }
  if (isBornLater && first && first < born)
    doubts['date_of_birth'] = { key: 'patients.recordsBeforeBirth', values: { day: first } }
  if (isDeathNew && last && last > now.died_on!)
    doubts['died_on'] = { key: 'patients.recordsAfterDeath', values: { day: last } }
  return doubts
}

const birthSpanKey = (birth: Birth | null) => (birth ? birthSpan(birth).join() : '')

const isMale = ({ sex }: Life) => parseSex(sex) === 'male'

/** Of those who may read it: others learn nothing by a question. */
async function wasPregnant({ db, actor }: Context, id: string) {
  const row = await db
    .selectFrom('patients')
    .select(
      sql<boolean>`exists (select from pregnancy_answers_of(patients.id)
        where state in ('pregnant', 'after_birth', 'breastfeeding'))`.as('was'),
    )
    .where('id', '=', id)
    .where(patientsWhere(readForSafety, actor))
    .executeTakeFirst()
  return row?.was ?? false
}

type Link = {
  patient_id: string
  relationship: Relationship
  given_name: string | null
  surname: string | null
  sex: string | null
  date_of_birth: string | null
  metadata: unknown
  is_known: boolean
}

/** Sex and birth beside each link of the family; the sentence names the other person only to those who know them. */
async function familyDoubts({ db, actor }: Context, id: string, now: Life) {
  const { rows } = await sql<Link>`
    select r.patient_id, r.relationship, p.given_name, p.surname, p.sex, p.date_of_birth, p.metadata,
      coalesce(${patientsWhere(knowPatient, actor, 'p.id')}, false) as is_known
    from related_persons r
      join patients p on p.id = case when r.patient_id = ${id} then r.related_patient_id else r.patient_id end
    where ${id} in (r.patient_id, r.related_patient_id) and not r.is_deleted and not p.is_deleted
    order by r.id`.execute(db)
  const doubts: Record<string, Message> = {}
  for (const { patient_id, relationship, is_known, ...other } of rows) {
    const [of, to] = patient_id === id ? [now, other] : [other, now]
    const fault = relationFault(relationship, toRelative(of), toRelative(to))
    if (!fault) continue
    const field = fault.startsWith('relatedPersons.recorded') ? 'sex' : 'date_of_birth'
    doubts[field] = is_known
      ? { key: 'relatedPersons.contradictsOf', values: { name: patientName(other) } }
      : { key: 'relatedPersons.contradicts' }
  }
  return doubts
}

/**
 * The first and the last day of what the clinics of the actor have recorded as done with the patient: rows of five
 * tables. What no known clinic recorded is only for administrators.
 */
async function recordedDays({ db, actor }: Context, id: string) {
  const clinics = isAdmin(actor) ? 'all' : clinicsMeetingRule(knowPatient, actor)
  const own = (table: string) =>
    clinics === 'all'
      ? sql`true`
      : sql`${sql.ref(`${table}.recorded_clinic_id`)} = any(${clinics}::uuid[])`
  return loadRecordedDays(db, id, own)
}

async function loadRecordedDays(
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
