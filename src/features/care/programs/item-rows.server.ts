import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { readBirthPrecision } from '~/features/people/patients/patient'
import { byPatient, type WithPatientId, type Today } from './enrolment-rows.server'
import { type ItemFacts, followUpItems } from './items'
import { type Counts, PREGNANCY, findProgram } from './programs'
import { type Schedule, scheduleInForce, STARTER_SCHEDULES } from './schedule'

/**
 * The schedules in force: those that Sanad ships, with what the clinic changed. A stored one that no longer
 * follows the schema is that of Sanad.
 */
export async function loadSchedules(db: Kysely<DB>): Promise<Schedule[]> {
  const rows = await db
    .selectFrom('follow_up_schedules')
    .select(['code', 'body', 'is_active'])
    .where('is_deleted', '=', false)
    .execute()
  const stored = new Map(rows.map((row) => [row.code, row]))
  return STARTER_SCHEDULES.flatMap((schedule) => {
    const row = stored.get(schedule.code)
    if (row && !row.is_active) return []
    return [row ? scheduleInForce(schedule, row.body) : schedule]
  })
}

/** A pressure from which a patient is listed first (docs/rules.md, "Follow-up"). */
const HIGH_SYSTOLIC = 180
const HIGH_DIASTOLIC = 110

/** Writes the follow-up of these patients as their records say. What is the same is not written. */
export async function settleItems(db: Kysely<DB>, ids: readonly string[], now: Today) {
  const [enrolled, schedules] = [await loadEnrolments(db, ids), await loadSchedules(db)]
  const facts = enrolled.length > 0 ? await loadItemFacts(db, ids, now) : undefined
  const rows = enrolled.flatMap((enrollment) => {
    const of = facts!.of(enrollment)
    return schedules
      .filter(({ program }) => program === enrollment.program)
      .flatMap((schedule) =>
        followUpItems(schedule, of.items, now.today).map(({ key, ...item }) => ({
          id: idFromText(`${enrollment.id}/${schedule.code}/${key}`),
          patient_id: enrollment.patient_id,
          enrollment_id: enrollment.id,
          clinic_id: enrollment.clinic_id,
          schedule_code: schedule.code,
          program: enrollment.program,
          ...item,
          is_high_risk: item.status === 'open' && of.isHighRisk,
          last_visit_on: item.status === 'open' ? of.lastVisitOn : null,
        })),
      )
  })
  await sql`delete from follow_up_items
    where patient_id = any(${[...ids]}::uuid[]) and id <> all(${rows.map(({ id }) => id)}::uuid[])`.execute(
    db,
  )
  if (rows.length === 0) return
  const listed = (prefix: string) =>
    sql.join(COLUMNS.map((column) => sql.ref(prefix ? `${prefix}.${column}` : column)))
  await sql`insert into follow_up_items as i (id, ${listed('')})
    select id, ${listed('')}
    from jsonb_populate_recordset(null::follow_up_items, ${JSON.stringify(rows)}::jsonb)
    on conflict (id) do update set (${listed('')}, computed_at)
      = (${listed('excluded')}, clock_timestamp())
    where (${listed('i')}) is distinct from (${listed('excluded')})`.execute(db)
}

const COLUMNS = [
  'patient_id',
  'enrollment_id',
  'clinic_id',
  'schedule_code',
  'program',
  'step',
  'due_on',
  'due_from',
  'overdue_from',
  'status',
  'status_on',
  'visit_id',
  'appointment_id',
  'hidden_until',
  'last_call_id',
  'expires_on',
  'is_lead',
  'has_agreed',
  'is_high_risk',
  'last_visit_on',
] as const

/** The same id for the same text: an item that is computed again is the same row. */
function idFromText(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

type Enrolled = Awaited<ReturnType<typeof loadEnrolments>>[number]

const loadEnrolments = async (db: Kysely<DB>, ids: readonly string[]) =>
  (
    await sql<{
      id: string
      patient_id: string
      program: string
      clinic_id: string
      enrolled_on: string
      ended_on: string | null
      lmp: string | null
      review_days: number | null
      born: string | null
      sex: string | null
      metadata: unknown
    }>`select e.id, e.patient_id, program, clinic_id, to_char(enrolled_on, 'YYYY-MM-DD') as enrolled_on,
        to_char(ended_on, 'YYYY-MM-DD') as ended_on, to_char(lmp, 'YYYY-MM-DD') as lmp, review_days,
        to_char(p.date_of_birth, 'YYYY-MM-DD') as born, p.sex, p.metadata
      from program_enrollments e join patients p on p.id = e.patient_id and not p.is_deleted
      where e.patient_id = any(${[...ids]}::uuid[]) and not e.is_deleted`.execute(db)
  ).rows

/** A day that can count as a visit of a program. */
type Seen = { day: string; id: string | null; kind: 'bp' | 'sugar' | 'contact' | 'visit' }
const KINDS: Record<Counts, readonly Seen['kind'][]> = {
  bp: ['bp'],
  bp_or_sugar: ['bp', 'sugar'],
  contact: ['contact'],
  dose: [],
  visit: ['visit'],
}

async function loadItemFacts(db: Kysely<DB>, ids: readonly string[], { zone }: Today) {
  const all = sql`${[...ids]}::uuid[]`
  const day = (column: string) =>
    sql`to_char(${sql.ref(column)} at time zone ${zone}, 'YYYY-MM-DD')`
  const minute = (column: string) =>
    sql`to_char(${sql.ref(column)} at time zone ${zone}, 'YYYY-MM-DD"T"HH24:MI:SS.MS')`
  const text = (column: string) => sql`to_char(${sql.ref(column)}, 'YYYY-MM-DD')`
  const seen = await sql<WithPatientId<Seen>>`
    with answers as (
      select e.patient_id, e.id, e.visit_id, b.concept,
        coalesce(${day('v.check_in_timestamp')}, ${day('e.created_at')}) as day,
        f ->> 'value' as value
      from events e
        join report_bindings b on b.form_id = e.form_id and not b.is_deleted
        left join visits v on v.id = e.visit_id and not v.is_deleted
        left join jsonb_array_elements(e.form_data) f on f ->> 'fieldId' = b.field_id
      where e.patient_id = any(${all}) and not e.is_deleted
        and (b.clinic_id is null or b.clinic_id = v.clinic_id)
        and (b.field_id is null or coalesce(f ->> 'value', '') <> '')
    )
    select distinct on (patient_id, day, kind) patient_id, day, kind, id
    from (
      select r.patient_id, coalesce(${day('v.check_in_timestamp')}, ${day('r.timestamp')}) as day,
        'bp' as kind, r.visit_id as id
      from patient_vitals r left join visits v on v.id = r.visit_id and not v.is_deleted
      where r.patient_id = any(${all}) and not r.is_deleted
        and systolic_bp is not null and diastolic_bp is not null
      union all
      select patient_id, day, 'bp', visit_id from answers
      where concept in ('bp.systolic', 'bp.diastolic')
      group by patient_id, id, day, visit_id having count(distinct concept) = 2
      union all
      select patient_id, day, 'sugar', visit_id from answers
      where concept in ('sugar.fasting', 'sugar.random', 'hba1c')
      union all
      select patient_id, day, 'contact', visit_id from answers where concept = 'anc.contact'
      union all
      select patient_id, ${day('check_in_timestamp')}, kind, id from visits,
        (select 'visit' as kind union all
          -- where no form records an antenatal contact, each visit is one
          select 'contact' where not exists (
            select from report_bindings where concept = 'anc.contact' and not is_deleted)) kinds
      where patient_id = any(${all}) and not is_deleted
        and not visit_only_waits(id, closed_at, closed_as)
    ) days
    order by patient_id, day, kind, id`.execute(db)
  const appointments = await sql<WithPatientId<ItemFacts['appointments'][number]>>`
    select patient_id, id, ${day('timestamp')} as day, ${minute('created_at')} as "madeAt",
      status in ('checked_in', 'completed') or fulfilled_visit_id is not null as fulfilled
    from appointments
    where patient_id = any(${all}) and not is_deleted and status <> 'cancelled' and not is_walk_in
    order by created_at, id`.execute(db)
  const calls = await sql<WithPatientId<ItemFacts['calls'][number] & { program: string }>>`
    select f.patient_id, id, program, ${day('called_at')} as day, result,
      ${text('agreed_on')} as "agreedOn", ${text('remind_on')} as "remindOn"
    from former_patients(${all}) f join follow_up_calls c on c.patient_id = f.former_id
    where counters_id is null
      and not exists (select from follow_up_calls t where t.counters_id = c.id)
    order by called_at, id`.execute(db)
  const given = await sql<WithPatientId<ItemFacts['doses'][number]>>`
    select patient_id, vaccine, ${text('given_on')} as day, visit_id as "visitId"
    from patient_immunizations where patient_id = any(${all}) and not is_deleted
    order by given_on, id`.execute(db)
  const risks = await sql<WithPatientId<{ isHigh: boolean }>>`
    select distinct on (patient_id) patient_id,
      systolic_bp >= ${HIGH_SYSTOLIC} or diastolic_bp >= ${HIGH_DIASTOLIC} as "isHigh"
    from patient_vitals
    where patient_id = any(${all}) and not is_deleted
      and systolic_bp is not null and diastolic_bp is not null
    order by patient_id, timestamp desc, id desc`.execute(db)
  const dangers = await sql<WithPatientId<{ day: string }>>`
    select distinct e.patient_id,
      coalesce(${day('v.check_in_timestamp')}, ${day('e.created_at')}) as day
    from events e
      join report_bindings b on b.form_id = e.form_id and b.concept = 'anc.danger' and not b.is_deleted
      join jsonb_array_elements(e.form_data) f on f ->> 'fieldId' = b.field_id
      left join visits v on v.id = e.visit_id and not v.is_deleted
    where e.patient_id = any(${all}) and not e.is_deleted
      and coalesce(f ->> 'value', '') not in ('', '[]', 'none', 'no', 'false', '["none"]')
      and (b.option is null or position(b.option in f ->> 'value') > 0)`.execute(db)
  const of = {
    seen: byPatient(seen.rows),
    appointments: byPatient(appointments.rows),
    calls: byPatient(calls.rows),
    given: byPatient(given.rows),
    risks: byPatient(risks.rows),
    dangers: byPatient(dangers.rows),
  }
  return {
    of(enrollment: Enrolled) {
      const { patient_id, program, enrolled_on, ended_on, lmp, review_days, born, sex } = enrollment
      const counts = findProgram(program)?.counts ?? 'visit'
      const doses = of.given.get(patient_id) ?? []
      const visits =
        counts === 'dose'
          ? doses.map(({ day: on, visitId }) => ({ day: on, id: visitId }))
          : byDay(
              (of.seen.get(patient_id) ?? []).filter(({ kind }) => KINDS[counts].includes(kind)),
            )
      const items: ItemFacts = {
        enrolledOn: enrolled_on,
        endedOn: ended_on,
        lmp,
        born,
        isBirthExact: readBirthPrecision(enrollment.metadata) === 'day',
        sex,
        reviewDays: review_days,
        visits,
        doses,
        appointments: of.appointments.get(patient_id) ?? [],
        calls: (of.calls.get(patient_id) ?? []).filter((call) => call.program === program),
      }
      const lastVisitOn = visits.at(-1)?.day ?? null
      const inDanger =
        program === PREGNANCY &&
        (of.dangers.get(patient_id) ?? []).some((one) => one.day === lastVisitOn)
      return {
        items,
        lastVisitOn,
        isHighRisk: inDanger || (of.risks.get(patient_id)?.[0]?.isHigh ?? false),
      }
    },
  }
}

/** One visit a day, ascending. */
const byDay = (seen: readonly Seen[]) => [
  ...new Map(seen.map(({ day, id }) => [day, { day, id }])).values(),
]
