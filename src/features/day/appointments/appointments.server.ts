import { type Kysely, type RawBuilder, sql } from 'kysely'
import { asPrepared, columnInIds } from '~/db/kept'
import type { DB } from '~/db/types'
import {
  guessPatientMatchSql,
  type Matching,
  patientMatchSql,
  readPatientSearch,
} from '~/features/people/patients/search/matching.server'
import { endOf } from '~/features/rules/transitions/taken.server'
import { identifiersColumn } from '~/features/people/patients/card/identifiers.server'
import { readBirthPrecision, patientName, PatientIdInput } from '~/features/people/patients/patient'
import { contactColumns } from '~/records/clinic'
import { namedPatient } from '~/policy/on.server'
import { seeAppointments } from '~/policy/rules'
import { log } from '~/server/log'
import { type Context, query } from '~/server/operation'
import { loadListPage } from '~/server/paged'
import { inPermittedClinics } from '~/server/scope'
import { patientOfRow, patientsOfList, patientsOfRows } from '~/server/shown'
import { type Actor, mayAnywhere } from '~/shared/actor'
import { notFound } from '~/shared/errors'
import { PAGE_SIZE, ListInput } from '~/shared/record'
import { clinicTimeZone, dayIn, momentAt } from '~/shared/zone'
import {
  type AppointmentFilter,
  AppointmentId,
  CalendarOf,
  ListAppointments,
  SearchAppointments,
} from './appointment'
import { departmentsIn } from '~/features/rules/transitions/departments'
import { dayLater } from './recurrence'

export const maySeeAppointments = ({ actor }: Pick<Context, 'actor'>) =>
  mayAnywhere(actor, ...seeAppointments)
export const inVisibleClinics = (actor: Actor, column = 'appointments.clinic_id') =>
  inPermittedClinics(actor, column, ...seeAppointments)

/** The live appointments of the clinics that the actor works in. */
export const selectVisibleAppointments = ({ db, actor }: Pick<Context, 'db' | 'actor'>) =>
  db
    .selectFrom('appointments')
    .where('appointments.is_deleted', '=', false)
    .where(inVisibleClinics(actor))
type Seen = ReturnType<typeof selectVisibleAppointments>

/**
 * With the names of patient, clinic and provider, and the queue number of a patient who has
 * arrived.
 */
const detailed = (seen: Seen) =>
  seen
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .innerJoin('clinics', 'clinics.id', 'appointments.clinic_id')
    .leftJoin('users as provider', 'provider.id', 'appointments.provider_id')
    .leftJoin('queue_tokens', 'queue_tokens.appointment_id', 'appointments.id')
    .select([
      'appointments.id',
      'appointments.patient_id',
      'given_name',
      'surname',
      'date_of_birth',
      'patients.metadata as patient_metadata',
      'patients.phone',
      'patients.died_on',
    ])
    .select(identifiersColumn('patients').as('identifiers'))
    .select(['appointments.clinic_id', 'clinics.name as clinic', 'clinics.is_archived'])
    .select([
      'appointments.provider_id',
      'provider.name as provider',
      'appointments.timestamp',
      'duration',
      'reason',
    ])
    .select([
      'notes',
      'status',
      'is_walk_in',
      'departments',
      'current_visit_id',
      'fulfilled_visit_id',
    ])
    .select(['number as token', 'appointments.last_modified'])
    .select(contactColumns('clinics'))
    .select(sql<string | null>`appointments.metadata ->> 'series_id'`.as('series_id'))

type Row = Awaited<ReturnType<ReturnType<typeof detailed>['execute']>>[number]

/** The departments' current names, in one query. A missing department is logged and left out. */
async function named(db: Kysely<DB>, rows: Row[]) {
  const parsed = rows.map(({ departments }) => departmentsIn(departments))
  const ids = [...new Set(parsed.flat().map(({ id }) => id))]
  const departments = await db
    .selectFrom('clinic_departments')
    .modifyFront(asPrepared(ids.length))
    .select(['id', 'name'])
    .where(
      sql<boolean>`id = any(array(select id_of(to_jsonb(sought)) from unnest(${ids}::text[]) sought))`,
    )
    .execute()
  const names = new Map(departments.map(({ id, name }) => [id, name]))
  for (const id of ids) if (!names.has(id)) log.warn(`Failed to fetch department ${id}`)
  return rows.map(({ patient_metadata, ...row }, at) => ({
    ...row,
    birth_precision: readBirthPrecision(patient_metadata),
    patient: patientName(row),
    departments: parsed[at]!.filter(({ id }) => names.has(id)).map(
      ({ id, status, seen_at, seen_by }) => ({
        id,
        name: names.get(id)!,
        status,
        seen_at,
        seen_by,
      }),
    ),
  }))
}
export type Appointment = Awaited<ReturnType<typeof named>>[number]

/** One page of the appointments: future ones in their order, past ones newest first. */
export const listAppointments = query('appointments.list', {
  access: 'appointments',
  mayLag: true,
  reads: ['appointments', 'clinic_departments', 'patients'],
  looksUp: ['clinics', 'users'],
  input: ListAppointments,
  allow: maySeeAppointments,
  async run(ctx, { page, ...filter }) {
    const found = await selectMatchingAppointments(ctx, filter)
    if (!found) return { rows: [], pagination: { page, pageSize: PAGE_SIZE, total: 0 } }
    // names are looked up for the rows of the page alone, however far it is
    const { rows: ids, pagination } = await loadListPage(
      orderedBy(found.select('appointments.id'), filter),
      found,
      page,
      { list: { ctx, name: 'appointments', filter } },
    )
    const rows = await loadAppointments(
      ctx,
      ids.map(({ id }) => id),
    )
    return { rows, pagination }
  },
  shows: patientsOfRows,
})

const isNewestFirst = ({ when, status, from }: AppointmentFilter) =>
  !from && (when === 'past' || when === 'all' || (status === 'missed' && !when))

/** In the list's order. */
export function orderedBy<Q extends { orderBy: (order: RawBuilder<unknown>) => Q }>(
  builder: Q,
  filter: AppointmentFilter,
): Q {
  const way = isNewestFirst(filter) ? sql`desc` : sql`asc`
  return builder.orderBy(sql`appointments.timestamp ${way}, appointments.id ${way}`)
}

/** These rows with their names, in the order of the ids. */
export const loadAppointments = async ({ db, actor }: Context, ids: string[]) => {
  if (ids.length === 0) return []
  const rows = await named(
    db,
    await detailed(selectVisibleAppointments({ db, actor }))
      .modifyFront(asPrepared(ids.length))
      .where(columnInIds('appointments.id', ids))
      .execute(),
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The appointments that match a filter; null if the search can match no patient. */
export async function selectMatchingAppointments(
  ctx: Context,
  filter: AppointmentFilter,
  now = new Date(),
): Promise<Seen | null> {
  const zone = clinicTimeZone()
  const start = (day: string) => momentAt(`${day}T00:00`, zone)!
  const today = start(dayIn(now, zone))
  const tomorrow = start(dayLater(dayIn(now, zone), 1, 'day'))
  const { clinicId, departmentId, providerId, status, from, to } = filter
  const isUnbounded = status === 'missed' || from !== undefined || to !== undefined
  const when = filter.when ?? (isUnbounded ? 'all' : 'upcoming')
  let found = selectVisibleAppointments(ctx)
  if (filter.search) {
    const people = await peopleCalled(ctx, filter.search)
    if (!people) return null
    found = found.where(
      sql<boolean>`appointments.patient_id in (select patient_id from ${people} match)`,
    )
  }
  if (clinicId) found = found.where('appointments.clinic_id', '=', clinicId)
  if (providerId) found = found.where('appointments.provider_id', '=', providerId)
  if (departmentId) found = found.where(inDepartment(departmentId))
  if (status === 'missed') {
    found = found
      .where('status', 'in', ['pending', 'confirmed'])
      .where('appointments.timestamp', '<', today)
  } else if (status) found = found.where('status', '=', status)
  if (from) found = found.where('appointments.timestamp', '>=', start(from))
  if (to) found = found.where('appointments.timestamp', '<', start(dayLater(to, 1, 'day')))
  if (from || to || when === 'all') return found
  if (when === 'today')
    return found
      .where('appointments.timestamp', '>=', today)
      .where('appointments.timestamp', '<', tomorrow)
  const { isPast, isUpcoming } = timeConditions(now)
  return found.where(when === 'past' ? isPast : isUpcoming)
}

const HOUR = 3_600_000

/**
 * A current appointment is neither over nor past until its time is up. None is longer than a week, and few are longer
 * than three hours (`appointments_long_idx`): what began before the first of these that is current is over.
 */
function timeConditions(now: Date) {
  const ago = (hours: number) => new Date(now.getTime() - hours * HOUR)
  const first = sql`coalesce((select min(long.timestamp) from appointments long
    where long.duration > 180 and not long.is_deleted and long.timestamp > ${ago(7 * 24)}
      and long.timestamp <= ${ago(3)} and ${endOf('long')} > ${now}), ${ago(3)})`
  const hasEnded = sql`${endOf('appointments')} <= ${now}`
  return {
    isUpcoming: sql<boolean>`appointments.timestamp >= ${first}
      and (appointments.timestamp > ${now} or not ${hasEnded})`,
    isPast: sql<boolean>`appointments.timestamp < ${now}
      and (appointments.timestamp < ${first} or ${hasEnded})`,
  }
}

const inDepartment = (departmentId: string) =>
  sql<boolean>`exists (select from appointment_departments d where d.appointment_id = appointments.id
    and d.department_id = ${departmentId})`

/** The patients that the search matches or, if none, those with similar names. */
async function peopleCalled({ db }: Context, search: string): Promise<Matching | null> {
  const read = await readPatientSearch(db, search)
  if (!read) return null
  const exact = patientMatchSql(read)
  const { rows } = await sql`select 1 from ${exact} match limit 1`.execute(db)
  return rows.length > 0 ? exact : guessPatientMatchSql(db, read)
}

/** For the command palette: the next appointments of matching patients, then the latest. */
export const searchAppointments = query('appointments.search', {
  access: 'appointments',
  mayLag: true,
  input: SearchAppointments,
  allow: maySeeAppointments,
  async run(ctx, { searchQuery, limit }) {
    if (!searchQuery) return { appointments: [] }
    const found = await selectMatchingAppointments(ctx, { search: searchQuery, when: 'all' })
    if (!found) return { appointments: [] }
    const rows = await detailed(found)
      .orderBy(sql`appointments.timestamp < now()`)
      .orderBy(sql`abs(extract(epoch from appointments.timestamp - now()))`)
      .orderBy('appointments.id')
      .limit(limit)
      .execute()
    return { appointments: await named(ctx.db, rows) }
  },
  shows: ({ appointments }) => patientsOfList(appointments),
})

export const getAppointment = query('appointments.get', {
  access: 'appointments',
  input: AppointmentId,
  allow: maySeeAppointments,
  run: (ctx, { id }) => readAppointment(ctx, id),
  shows: patientOfRow,
})

export async function readAppointment(ctx: Context, id: string): Promise<Appointment> {
  const row = await detailed(selectVisibleAppointments(ctx))
    .where('appointments.id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('appointments.notFound')
  const [appointment] = await named(ctx.db, [row])
  return appointment!
}

/** Of one patient, the furthest ahead first: those of the clinics that the actor works in. */
export const appointmentsByPatient = query('appointments.byPatient', {
  access: 'appointments',
  reads: ['appointments', 'clinic_departments'],
  looksUp: ['clinics', 'patients', 'users'],
  input: PatientIdInput.extend({ page: ListInput.shape.page }),
  on: namedPatient(),
  allow: maySeeAppointments,
  async run(ctx, { patientId, page }) {
    const found = selectVisibleAppointments(ctx).where('appointments.patient_id', '=', patientId)
    const { rows, pagination } = await loadListPage(
      detailed(found).orderBy('appointments.timestamp', 'desc').orderBy('appointments.id', 'desc'),
      found,
      page,
      { ofPatient: true },
    )
    return { rows: await named(ctx.db, rows), pagination }
  },
})

/**
 * When the patient is expected next: not the appointment that they are checked in to now. Null when
 * nothing is booked.
 */
export const nextAppointment = query('appointments.next', {
  access: 'appointments',
  reads: ['appointments', 'clinic_departments'],
  looksUp: ['clinics', 'patients', 'users'],
  input: PatientIdInput,
  on: namedPatient(),
  allow: maySeeAppointments,
  async run(ctx, { patientId }) {
    const zone = clinicTimeZone()
    const row = await detailed(selectVisibleAppointments(ctx))
      .where('appointments.patient_id', '=', patientId)
      .where('status', 'in', ['pending', 'confirmed'])
      .where('appointments.timestamp', '>=', momentAt(`${dayIn(new Date(), zone)}T00:00`, zone)!)
      .orderBy('appointments.timestamp')
      .orderBy('appointments.id')
      .limit(1)
      .executeTakeFirst()
    if (!row) return { appointment: null }
    const [appointment] = await named(ctx.db, [row])
    return { appointment: appointment! }
  },
})

/** More than a clinic has in a month: beyond it, the calendar says that it is incomplete. */
const CALENDAR_HOLDS = 3000

/** All appointments of some days that were not cancelled, in their order. */
export const appointmentCalendar = query('appointments.calendar', {
  access: 'appointments',
  reads: ['appointments', 'clinic_departments', 'patients'],
  looksUp: ['clinics', 'users'],
  input: CalendarOf,
  allow: maySeeAppointments,
  async run(ctx, filter) {
    const { from } = filter
    // what began on an earlier day goes on; none is longer than a week
    const found = await selectMatchingAppointments(ctx, {
      ...filter,
      from: from && dayLater(from, -7, 'day'),
    })
    const begins = from && momentAt(`${from}T00:00`, clinicTimeZone())
    const shown = found!
      .where('status', '<>', 'cancelled')
      .$if(!!begins, (q) => q.where(sql<boolean>`${endOf('appointments')} > ${begins}`))
    const rows = await orderedBy(detailed(shown), filter)
      .limit(CALENDAR_HOLDS + 1)
      .execute()
    return {
      appointments: await named(ctx.db, rows.slice(0, CALENDAR_HOLDS)),
      isCut: rows.length > CALENDAR_HOLDS,
    }
  },
  shows: ({ appointments }) => patientsOfList(appointments),
})

/** How many of a day the page of a month names; the number beside them counts all. */
const MONTH_NAMES = 4

/**
 * For each day of a month, the number of appointments that were not cancelled, and the first
 * patients.
 */
export const appointmentMonth = query('appointments.month', {
  access: 'appointments',
  reads: ['appointments', 'patients'],
  input: CalendarOf,
  allow: maySeeAppointments,
  async run(ctx, filter) {
    const found = await selectMatchingAppointments(ctx, filter)
    const dayOf = sql<string>`(appointments.timestamp at time zone ${clinicTimeZone()})::date::text`
    const counted = found!
      .where('status', '<>', 'cancelled')
      .select([
        'appointments.id',
        'appointments.patient_id',
        'appointments.timestamp',
        dayOf.as('day'),
      ])
      .select(
        sql<number>`row_number() over (partition by ${dayOf} order by timestamp, id)`.as('place'),
      )
      .select(sql<number>`count(*) over (partition by ${dayOf})`.as('count'))
    const rows = await ctx.db
      .selectFrom(counted.as('counted'))
      .innerJoin('patients', 'patients.id', 'counted.patient_id')
      .select([
        'counted.id',
        'counted.timestamp',
        'day',
        'count',
        'given_name',
        'surname',
        'died_on',
      ])
      .select('counted.patient_id')
      .where('place', '<=', MONTH_NAMES)
      .orderBy('counted.timestamp')
      .orderBy('counted.id')
      .execute()
    return [...Map.groupBy(rows, ({ day }) => day)].map(([day, first]) => ({
      day,
      count: first[0]!.count,
      first: first.map(({ id, timestamp, patient_id, died_on, ...who }) => ({
        id,
        timestamp,
        patient_id,
        died_on,
        patient: patientName(who),
      })),
    }))
  },
  shows: (days) => days.flatMap(({ first }) => patientsOfList(first)),
})
export type MonthDay = Awaited<ReturnType<typeof appointmentMonth>>[number]
