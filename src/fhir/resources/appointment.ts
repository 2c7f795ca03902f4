import { sql } from 'kysely'
import {
  isWalkInOfThePast,
  requireToday,
  saveAppointment,
} from '~/features/day/appointments/booking.server'
import { inVisibleClinics } from '~/features/day/appointments/appointments.server'
import { DEFAULT_MINUTES } from '~/features/day/appointments/appointment'
import { departmentsIn } from '~/features/rules/transitions/departments'
import { setAppointmentStatus } from '~/features/day/appointments/status.server'
import { permitsSomewhere } from '~/policy/facts'
import { seeAppointments } from '~/policy/rules'
import { APPOINTMENT_REASONS } from '~/records/appointment'
import type { Context } from '~/server/operation'
import type { Element } from '../element'
import { unsupportedElements, invalidElement } from '../outcome'
import { conditionalCodes, moment, referenceParameter, referenceBy } from '../parameters'
import { codedIn, readKnownCode, concept, readDateTime, requireElement } from '../parts'
import { compact, type Fhir, instant, refer, resource, type FhirRow } from '../resource'
import { isId } from '~/shared/id'

export type AppointmentRow = {
  patient_id: string
  clinic_id: string
  provider_id: string | null
  timestamp: Date
  duration: number | null
  reason: string
  notes: string
  is_walk_in: boolean
  departments: unknown
  status: string
  created_at: Date
}

/** https://hl7.org/fhir/R4/valueset-appointmentstatus.html */
const STATUSES: Readonly<Record<string, string>> = {
  pending: 'booked',
  confirmed: 'booked',
  checked_in: 'checked-in',
  completed: 'fulfilled',
  cancelled: 'cancelled',
}
const KINDS = 'http://terminology.hl7.org/CodeSystem/v2-0276'
const WALK_IN = { system: KINDS, code: 'WALKIN', display: 'A previously unscheduled walk-in visit' }
const MINUTE = 60_000

export function appointmentToFhir(row: AppointmentRow): Fhir {
  const minutes = row.duration ?? DEFAULT_MINUTES
  const place = (id: string) => ({ actor: refer('Location', id), status: 'accepted' })
  return {
    resourceType: 'Appointment',
    ...compact({
      status: STATUSES[row.status] ?? 'booked',
      appointmentType: row.is_walk_in ? concept(null, WALK_IN) : undefined,
      reasonCode: [concept(row.reason)],
      start: instant(row.timestamp),
      end: instant(new Date(row.timestamp.getTime() + minutes * MINUTE)),
      minutesDuration: minutes,
      created: instant(row.created_at),
      comment: row.notes,
      participant: [
        // the patient of an appointment that is not confirmed has yet to say so
        {
          actor: refer('Patient', row.patient_id),
          status: row.status === 'pending' ? 'needs-action' : 'accepted',
        },
        row.provider_id && { actor: refer('Practitioner', row.provider_id), status: 'accepted' },
        place(row.clinic_id),
        ...departmentsIn(row.departments).map(({ id }) => place(id)),
      ],
    }),
  }
}

/** What `appointments.save` takes, and the status that `appointments.setStatus` sets. */
export function appointmentFromFhir(element: Element) {
  const given = requireElement(
    readKnownCode(element, 'status', ['booked', 'checked-in', 'fulfilled', 'cancelled']),
    element.at('status'),
  )
  const timestamp = requireElement(readDateTime(element, 'start'), element.at('start'))
  const reason = element.only('reasonCode')
  const people = participantsIn(element)
  const kind = codedIn(element.one('appointmentType'), KINDS, ['WALKIN'])
  element.ignore('created')
  return {
    ...people.found,
    timestamp,
    duration: minutesIn(element, timestamp),
    reason: (reason && readKnownCode(reason, 'text', APPOINTMENT_REASONS)) ?? 'other',
    notes: element.text('comment') ?? null,
    is_walk_in: kind === 'WALKIN',
    status: appointmentStatus(given, people.isAccepted),
  }
}

type Input = ReturnType<typeof appointmentFromFhir>

function appointmentStatus(given: string, isAccepted: boolean) {
  if (given === 'checked-in') return 'checked_in' as const
  if (given === 'fulfilled') return 'completed' as const
  if (given === 'cancelled') return 'cancelled' as const
  return isAccepted ? ('confirmed' as const) : ('pending' as const)
}

/** The length in minutes; `end` and `minutesDuration` say the same. */
function minutesIn(element: Element, start: Date): number {
  const end = readDateTime(element, 'end')
  const said = element.number('minutesDuration')
  const counted = end && (end.getTime() - start.getTime()) / MINUTE
  if (said !== undefined && counted !== undefined && said !== counted)
    throw invalidElement(element.at('minutesDuration'), 'This is not the time from start to end.')
  return said ?? counted ?? DEFAULT_MINUTES
}

/** One patient, at most one practitioner, and places: the clinic first, then its departments in their order. */
function participantsIn(element: Element) {
  const places: string[] = []
  let [patient, provider]: (string | undefined)[] = []
  let isAccepted = false
  for (const each of element.list('participant')) {
    const status = readKnownCode(each, 'status', ['accepted', 'needs-action', 'tentative'])
    each.ignore('required', 'type')
    const actor = requireElement(each.one('actor'), each.at('actor'))
    actor.ignore('display', 'type')
    const [, type, id] =
      /(?:^|\/)(Patient|Practitioner|Location)\/([A-Za-z0-9.-]{1,64})$/.exec(
        actor.text('reference') ?? '',
      ) ?? []
    if (type === 'Patient' && !patient) [patient, isAccepted] = [id, status === 'accepted']
    else if (type === 'Practitioner' && !provider) provider = id
    else if (type === 'Location' && id) places.push(id)
    else throw unsupportedElements([each.expression])
  }
  const [clinic, ...departments] = places
  return {
    isAccepted,
    found: {
      patient_id: requireElement(patient, element.at('participant')),
      provider_id: provider ?? null,
      clinic_id: requireElement(clinic, element.at('participant')),
      department_ids: departments,
    },
  }
}

export const appointment = resource<AppointmentRow>({
  type: 'Appointment',
  from: sql`appointments r`,
  columns: sql`r.patient_id, r.clinic_id, r.provider_id, r.timestamp, r.duration::float8, r.reason, r.notes,
    r.is_walk_in, r.departments, r.status, r.created_at`,
  permits: (actor) => permitsSomewhere(seeAppointments, actor),
  where: (actor) => inVisibleClinics(actor, 'r.clinic_id'),
  patient: 'patient_id',
  toFhir: appointmentToFhir,
  search: {
    patient: referenceParameter('participant.actor', sql`r.patient_id`, ['Patient']),
    practitioner: referenceParameter('participant.actor', sql`r.provider_id`, ['Practitioner']),
    location: referenceBy('participant.actor', ['Location'], sql`r.clinic_id`, ({ id }) =>
      isId(id)
        ? sql<boolean>`(r.clinic_id = ${id}::uuid or exists (select from appointment_departments d
            where d.appointment_id = r.id and d.department_id = ${id}::uuid))`
        : sql<boolean>`false`,
    ),
    date: moment('start', sql`r.timestamp`),
    status: conditionalCodes(
      'status',
      {
        booked: sql<boolean>`r.status in ('pending', 'confirmed')`,
        'checked-in': sql<boolean>`r.status = 'checked_in'`,
        fulfilled: sql<boolean>`r.status = 'completed'`,
        cancelled: sql<boolean>`r.status = 'cancelled'`,
      },
      'http://hl7.org/fhir/appointmentstatus',
    ),
  },
  writes: {
    table: 'appointments',
    fromFhir: appointmentFromFhir,
    async create(ctx: Context, { status, ...input }: Input, id: string) {
      // a walk-in of an earlier day is history, unless it is to be checked in: then it is asked for as one of today
      const arrives = status === 'checked_in' || !isWalkInOfThePast(input.timestamp)
      await saveAppointment(ctx, { ...input, id, arrives })
      return setAppointmentStatus(ctx, { id, status, isMeant: true })
    },
    async update(ctx: Context, { status, ...input }: Input, row: AppointmentRow & FhirRow) {
      const id = row.fhir_id
      const arrives = input.is_walk_in && status === 'checked_in' && row.status !== 'checked_in'
      // as if it was created: a visit would be opened today, unless the one of its day is opened again
      if (arrives && !(await hasVisit(ctx, id))) requireToday(input.timestamp)
      await saveAppointment(ctx, { ...input, id, last_modified: row.fhir_modified })
      return setAppointmentStatus(ctx, { id, status, isMeant: true })
    },
    expressions: {
      patient_id: 'Appointment.participant',
      clinic_id: 'Appointment.participant',
      provider_id: 'Appointment.participant',
      department_ids: 'Appointment.participant',
      timestamp: 'Appointment.start',
      duration: 'Appointment.minutesDuration',
      reason: 'Appointment.reasonCode[0].text',
      notes: 'Appointment.comment',
      status: 'Appointment.status',
    },
  },
})

async function hasVisit({ db }: Context, id: string) {
  const { fulfilled_visit_id, current_visit_id } = await db
    .selectFrom('appointments')
    .select(['fulfilled_visit_id', 'current_visit_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return (fulfilled_visit_id ?? current_visit_id) !== null
}
