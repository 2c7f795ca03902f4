import { sql } from 'kysely'
import { parseUrgency } from '~/features/rules/transitions/urgency'
import { birthColumns } from '~/features/people/patients/patient'
import { searched } from '~/features/people/patients/search/searched.server'
import { mayReadUsers } from '~/features/office/users/reach'
import { seenBy } from '~/features/office/users/reach.server'
import { knowPatient, othersRows, readHistory, seeAppointments } from '~/policy/rules'
import { historyWhere, patientsWhere } from '~/policy/sql.server'
import { type Context, NoInput, query } from '~/server/operation'
import { inPermittedClinics } from '~/server/scope'
import { patientsOfList } from '~/server/shown'
import { type Actor, clinicsWhere, mayAnywhere } from '~/shared/actor'
import { addDays, clinicTimeZone, dayIn, momentAt } from '~/shared/zone'
import { seesDay, seesNumbers, SHOWN } from './summary'

export type Stats = {
  clinicUsers: number | null
  totalPatients: number | null
  totalVisits: number | null
  totalForms: number | null
}

const none = sql<null>`null`

/**
 * The numbers of users, patients, visits and forms that the actor may see; null for what the actor
 * may not open. One statement.
 */
export const summaryStats = query('summary.stats', {
  reads: [],
  looksUp: ['event_forms', 'user_clinic_permissions', 'users', 'visits'],
  input: NoInput,
  allow: ({ actor }) => seesNumbers(actor),
  async run({ db, actor }): Promise<Stats> {
    const users = sql`(select count(*) from users where not users.is_deleted and ${seenBy(actor)})`
    const patients = sql`(select count(*) from ${searched({ actor })} known)`
    const forms = sql`(select count(*) from event_forms
      where not event_forms.is_deleted and ${visibleFormsWhere(actor)})`
    const { rows } = await sql<Stats>`select
      ${mayReadUsers(actor) ? users : none} as "clinicUsers",
      ${seesDay(actor) ? patients : none} as "totalPatients",
      ${mayAnywhere(actor, 'can_view_history') ? visitsOpenTo(actor) : none} as "totalVisits",
      ${mayAnywhere(actor, 'can_view_history', 'is_clinic_admin') ? forms : none} as "totalForms"`.execute(
      db,
    )
    return rows[0]!
  },
})

/**
 * The visits that are `readHistory`, each part by an index: those in the actor's clinics, those of other clinics that
 * were opened, and those that the actor's clinics recorded and that were moved to another.
 */
function visitsOpenTo(actor: Actor) {
  const clinics = clinicsWhere(actor, 'can_view_history')
  // all rows are counted in a small index, and the few that are deleted in another
  if (clinics === 'all')
    return sql`((select count(*) from visits) - (select count(*) from visits where is_deleted))`
  const own = sql`${clinics}::uuid[]`
  const elsewhere = sql`select count(*) from visits v
    where not v.is_deleted and v.clinic_id <> all(${own})`
  return sql`((select count(*) from visits where not is_deleted and clinic_id = any(${own}))
    + (${elsewhere} and v.recorded_clinic_id <> all(${own})
      and ${patientsWhere(othersRows(actor), actor, 'v.patient_id')})
    + (${elsewhere} and v.recorded_clinic_id <> v.clinic_id and v.recorded_clinic_id = any(${own})
      and ${patientsWhere(readHistory, actor, 'v.patient_id')}))`
}

/** Forms for every clinic, and those of the clinics where the user reads or administers. */
function visibleFormsWhere(actor: Actor) {
  const clinics = clinicsWhere(actor, 'can_view_history', 'is_clinic_admin')
  return clinics === 'all'
    ? sql`true`
    : sql`(event_forms.clinic_ids = '{}' or event_forms.clinic_ids && ${clinics}::uuid[])`
}

export type DaySummary = Awaited<ReturnType<typeof summaryDay>>
export type Waiting = DaySummary['waiting'][number]

/**
 * Today, as the clinic's clock has it: appointments by status, who waits where and since when, who
 * came.
 */
export const summaryDay = query('summary.day', {
  access: 'queue',
  reads: ['appointment_departments', 'appointments'],
  looksUp: [
    'clinic_departments',
    'clinics',
    'events',
    'patient_problems',
    'patient_vitals',
    'patients',
    'prescriptions',
    'visits',
  ],
  input: NoInput,
  allow: ({ actor }) => seesDay(actor),
  async run(ctx) {
    const zone = clinicTimeZone()
    const today = dayIn(new Date(), zone)
    const day = {
      today,
      from: momentAt(`${today}T00:00`, zone)!,
      until: momentAt(`${addDays(today, 1)}T00:00`, zone)!,
    }
    const [counts, waiting] = [await loadCounts(ctx, day), await whoWaits(ctx, day)]
    return {
      today,
      ...counts,
      waitingCount: waiting[0]?.total ?? 0,
      waiting: waiting.map(({ total: _, ...row }) => row),
    }
  },
  shows: ({ waiting }) => patientsOfList(waiting),
})

type TheDay = { today: string; from: Date; until: Date }
type Counts = {
  appointments: Record<string, number>
  beingSeen: number
  registered: number
  visited: number | null
  /** Visits of earlier days that nobody closed. */
  openVisits: number | null
}

async function loadCounts({ db, actor }: Context, { today, from, until }: TheDay): Promise<Counts> {
  const here = (column: string) => inPermittedClinics(actor, column, ...seeAppointments)
  const visited = sql`(select count(distinct v.patient_id) from visits v where not v.is_deleted
    and v.check_in_timestamp >= ${from} and v.check_in_timestamp < ${until}
      and ${historyWhere(actor, 'v')}
    and not visit_only_waits(v.id, v.closed_at, v.closed_as))`
  const openVisits = sql`(select count(*) from visits v where not v.is_deleted and v.closed_at is null
    and v.check_in_timestamp < ${from} and ${inPermittedClinics(actor, 'v.clinic_id', 'can_view_history')}
    and exists (select from clinics c where c.id = v.clinic_id and not c.is_archived))`
  const { rows } = await sql<Counts>`select
    (select coalesce(jsonb_object_agg(status, number), '{}') from (
      select status, count(*) as number from appointments
      where not is_deleted and timestamp >= ${from} and timestamp < ${until} and ${here('appointments.clinic_id')}
        -- a patient who died is not expected; offset keeps PostgreSQL from reading all patients
        and not (status in ('pending', 'confirmed') and exists (select from patients p
          where p.id = appointments.patient_id and p.died_on is not null offset 0))
      group by status) by_status) as appointments,
    (select count(*) from appointment_departments d join queue_tokens t using (appointment_id)
      join appointments a on a.id = d.appointment_id
      where d.status = 'in_progress' and t.day = ${today}::date and not a.is_deleted
        and ${here('d.clinic_id')}) as "beingSeen",
    (select count(*) from patients where not patients.is_deleted
      and patients.created_at >= ${from} and patients.created_at < ${until}
        and ${patientsWhere(knowPatient, actor)}) as registered,
    ${mayAnywhere(actor, 'can_view_history') ? visited : none} as visited,
    ${mayAnywhere(actor, 'can_view_history') ? openVisits : none} as "openVisits"`.execute(db)
  return rows[0]!
}

/** Most urgent first, then longest waiting. With names, as users who run a queue may know who is in it. */
async function whoWaits({ db, actor }: Context, { today }: TheDay) {
  const rows = await db
    .selectFrom('appointment_departments as d')
    .innerJoin('queue_tokens as t', 't.appointment_id', 'd.appointment_id')
    .innerJoin('appointments as a', 'a.id', 'd.appointment_id')
    .innerJoin('patients as p', 'p.id', 'a.patient_id')
    .innerJoin('clinics as c', 'c.id', 'd.clinic_id')
    .leftJoin('clinic_departments as room', 'room.id', 'd.department_id')
    .select([
      'a.id',
      'p.id as patient_id',
      'p.given_name',
      'p.surname',
      'p.died_on',
      't.number as token',
      'd.waiting_since',
      'p.date_of_birth',
      'p.metadata',
    ])
    .select(sql<string | null>`urgency_in_queue(a.patient_id, t.clinic_id, t.day)`.as('urgency'))
    .select(['c.name as clinic', 'room.name as department'])
    .select(sql<number>`count(*) over ()`.as('total'))
    .where('d.status', '=', 'checked_in')
    .where('t.day', '=', sql<never>`${today}::date`)
    .where('a.is_deleted', '=', false)
    .where('p.is_deleted', '=', false)
    .where(inPermittedClinics(actor, 'd.clinic_id', ...seeAppointments))
    .orderBy(sql`urgency_rank(urgency_in_queue(a.patient_id, t.clinic_id, t.day))`)
    .orderBy('d.waiting_since')
    .orderBy('t.number')
    .limit(SHOWN)
    .execute()
  return rows.map(({ date_of_birth, metadata, ...row }) => ({
    ...row,
    born: birthColumns({ date_of_birth, metadata }),
    urgency: parseUrgency(row.urgency),
  }))
}
