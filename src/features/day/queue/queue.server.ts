import { sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import { parseUrgency } from '~/features/rules/transitions/urgency'
import {
  maySeeAppointments,
  inVisibleClinics,
} from '~/features/day/appointments/appointments.server'
import { patientName, PatientIdInput, birthColumns } from '~/features/people/patients/patient'
import { identifiersColumn } from '~/features/people/patients/card/identifiers.server'
import { inClinic, namedPatient } from '~/policy/on.server'
import { seeAppointments } from '~/policy/rules'
import { type Context, query } from '~/server/operation'
import { patientsOfList } from '~/server/shown'
import { clinicTimeZone, momentAt, clinicToday } from '~/shared/zone'
import { dayLater } from '~/features/day/appointments/recurrence'
import { QueueInput } from './queue'
import { urgencyInQueue } from './urgency-order.server'

/** Places of one day, of some 500 patients. Beyond it, completed patients of the highest numbers are left out first. */
export const STEPS_SHOWN = 1500
/** Beyond it, the list of appointments is the better place to search. */
export const EXPECTED_SHOWN = 100
const UNFINISHED_SHOWN = 20

/** Today's patients and their departments, by number; those still expected; the waiting times. */
export const listQueue = query('queue.list', {
  access: 'queue',
  reads: ['appointment_departments', 'appointments', 'clinic_departments', 'patients'],
  looksUp: ['users'],
  input: QueueInput,
  on: inClinic(seeAppointments),
  async run(ctx, { clinicId, departmentId }) {
    const day = clinicToday()
    const steps = await stepsToday(ctx, clinicId, day, departmentId)
    const isCut = steps.length > STEPS_SHOWN
    const arrivals = [...Map.groupBy(steps, ({ appointment_id }) => appointment_id).values()]
    // of the last one not all places may have been read
    const people = (isCut ? arrivals.slice(0, -1) : arrivals).map(toQueuedPerson)
    const expected = await expectedToday(ctx, clinicId, day, departmentId)
    const unfinished = await unfinishedBefore(ctx, clinicId, day)
    return {
      day,
      people: people.toSorted((a, b) => a.token - b.token),
      /** Other patients of today are not among `people` nor in the median. */
      isCut,
      expectedCount: expected[0]?.total ?? 0,
      expected: expected.map(({ total: _, ...person }) => person),
      unfinishedCount: unfinished[0]?.total ?? 0,
      unfinished: unfinished.map(({ total: _, ...person }) => person),
      medianWaitMinutes: median(waitingMinutes(people, departmentId)),
    }
  },
  shows: ({ people, expected, unfinished }) => [
    ...people.map(({ patientId }) => patientId),
    ...patientsOfList(expected),
    ...patientsOfList(unfinished),
  ],
})

/** Whether a patient waits or is being seen today, in the clinics whose queue the actor sees: with the numbers. */
export const listPatientQueue = query('queue.ofPatient', {
  access: 'queue',
  reads: ['appointments'],
  looksUp: ['clinics', 'patients'],
  input: PatientIdInput,
  on: namedPatient(),
  allow: maySeeAppointments,
  run: ({ db, actor }, { patientId }) =>
    db
      .selectFrom('appointments')
      .modifyFront(asPrepared())
      .innerJoin('queue_tokens', 'queue_tokens.appointment_id', 'appointments.id')
      .innerJoin('clinics', 'clinics.id', 'appointments.clinic_id')
      .select(['appointments.id', 'number', 'clinics.name as clinic', 'appointments.clinic_id'])
      .where('appointments.patient_id', '=', patientId)
      .where('appointments.is_deleted', '=', false)
      .where('appointments.status', '=', 'checked_in')
      .where('queue_tokens.day', '=', clinicToday())
      .where(inVisibleClinics(actor))
      .orderBy('checked_in_at')
      .orderBy('number')
      .limit(10)
      .execute(),
})
export type PatientQueueEntry = Awaited<ReturnType<typeof listPatientQueue>>[number]

/** Checked in on an earlier day and never finished: they are not forgotten at midnight. */
async function unfinishedBefore({ db }: Context, clinicId: string, day: string) {
  const rows = await db
    .selectFrom('appointments')
    .innerJoin('queue_tokens', 'queue_tokens.appointment_id', 'appointments.id')
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .select(['appointments.id', 'appointments.patient_id', 'given_name', 'surname', 'died_on'])
    .select(['queue_tokens.day', 'number', 'appointments.timestamp', 'status'])
    .select(['date_of_birth', 'patients.metadata'])
    .select(identifiersColumn('patients').as('identifiers'))
    .select(sql<number>`count(*) over ()`.as('total'))
    .where('appointments.clinic_id', '=', clinicId)
    .where('appointments.is_deleted', '=', false)
    .where('appointments.status', '=', 'checked_in')
    .where('queue_tokens.day', '<', day)
    .orderBy('queue_tokens.day', 'desc')
    .orderBy('number')
    .limit(UNFINISHED_SHOWN)
    .execute()
  return rows.map(({ date_of_birth, metadata, ...row }) => ({
    ...row,
    born: birthColumns({ date_of_birth, metadata }),
    patient: patientName(row),
    status: row.status,
  }))
}
export type UnfinishedPerson = Omit<Awaited<ReturnType<typeof unfinishedBefore>>[number], 'total'>

const stepsToday = ({ db }: Context, clinicId: string, day: string, departmentId?: string | null) =>
  db
    .selectFrom('queue_tokens')
    .innerJoin('appointments', 'appointments.id', 'queue_tokens.appointment_id')
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .innerJoin('appointment_departments as step', 'step.appointment_id', 'appointments.id')
    .leftJoin('clinic_departments', 'clinic_departments.id', 'step.department_id')
    .leftJoin('users as provider', 'provider.id', 'appointments.provider_id')
    .leftJoin('users as caller', 'caller.id', 'step.called_by')
    .leftJoin('users as seer', 'seer.id', 'step.seen_by')
    .select([
      'step.appointment_id',
      'step.position',
      'step.department_id',
      'clinic_departments.name as department',
    ])
    .select([
      'step.status',
      'waiting_since',
      'called_at',
      'caller.name as called_by',
      'seen_at',
      'seer.name as seen_by',
    ])
    .select([
      'passed_over_at',
      'finished_at',
      'number',
      'checked_in_at',
      'appointments.patient_id',
      'given_name',
      'surname',
      'died_on',
      'date_of_birth',
      'patients.metadata as patient_metadata',
    ])
    // a completed arrival is in no queue any more
    .select(sql<string>`coalesce(${urgencyInQueue}, urgency)`.as('urgency'))
    .select([
      'appointments.status as appointment_status',
      'appointments.timestamp',
      'is_walk_in',
      'reason',
    ])
    .select(identifiersColumn('patients').as('identifiers'))
    .select(['provider.name as provider', 'current_visit_id', 'appointments.last_modified'])
    .where('queue_tokens.clinic_id', '=', clinicId)
    .where('queue_tokens.day', '=', day)
    .where('appointments.is_deleted', '=', false)
    .where('appointments.status', 'in', ['checked_in', 'completed'])
    .$if(departmentId !== undefined, (q) =>
      q.where(sql<boolean>`exists (select from appointment_departments d where d.appointment_id = appointments.id
        and d.department_id is not distinct from ${departmentId}::uuid)`),
    )
    .orderBy(sql`appointments.status = 'completed'`)
    .orderBy('number')
    .orderBy('step.position')
    .limit(STEPS_SHOWN + 1)
    .execute()

type StepRow = Awaited<ReturnType<typeof stepsToday>>[number]

function toQueuedPerson(rows: StepRow[]) {
  const [first] = rows as [StepRow]
  return {
    id: first.appointment_id,
    token: first.number,
    patientId: first.patient_id,
    patient: patientName(first),
    identifiers: first.identifiers,
    diedOn: first.died_on,
    born: birthColumns({ date_of_birth: first.date_of_birth, metadata: first.patient_metadata }),
    urgency: parseUrgency(first.urgency),
    provider: first.provider,
    reason: first.reason,
    status: first.appointment_status,
    isWalkIn: first.is_walk_in,
    expectedAt: first.timestamp,
    arrivedAt: first.checked_in_at,
    visitId: first.current_visit_id,
    steps: rows.map((row) => ({
      position: row.position,
      departmentId: row.department_id,
      department: row.department,
      status: row.status,
      waitingSince: row.waiting_since,
      passedOverAt: row.passed_over_at,
      calledAt: row.called_at,
      calledBy: row.called_by,
      seenAt: row.seen_at,
      seenBy: row.seen_by,
      finishedAt: row.finished_at,
    })),
  }
}
export type QueuedPerson = ReturnType<typeof toQueuedPerson>
export type QueueStep = QueuedPerson['steps'][number]

/** Booked for today and not here yet: the first of them, and on each how many there are. */
async function expectedToday(
  { db }: Context,
  clinicId: string,
  day: string,
  departmentId?: string | null,
) {
  const start = (of: string) => momentAt(`${of}T00:00`, clinicTimeZone())!
  const rows = await db
    .selectFrom('appointments')
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .leftJoin('users as provider', 'provider.id', 'appointments.provider_id')
    .select([
      'appointments.id',
      'appointments.patient_id',
      'given_name',
      'surname',
      'died_on',
      'date_of_birth',
      'patients.metadata',
      'appointments.timestamp',
      'status',
    ])
    .select(['provider.name as provider', 'reason'])
    .select(identifiersColumn('patients').as('identifiers'))
    .select(sql<number>`count(*) over ()`.as('total'))
    .where('appointments.clinic_id', '=', clinicId)
    .where('appointments.is_deleted', '=', false)
    .where('status', 'in', ['pending', 'confirmed'])
    .where('appointments.timestamp', '>=', start(day))
    .where('appointments.timestamp', '<', start(dayLater(day, 1, 'day')))
    .$if(departmentId !== undefined, (q) =>
      q.where(sql<boolean>`exists (select from appointment_departments d where d.appointment_id = appointments.id
        and d.department_id is not distinct from ${departmentId}::uuid)`),
    )
    .orderBy('appointments.timestamp')
    .orderBy('appointments.id')
    .limit(EXPECTED_SHOWN)
    .execute()
  return rows.map(({ date_of_birth, metadata, ...row }) => ({
    ...row,
    born: birthColumns({ date_of_birth, metadata }),
    patient: patientName(row),
    status: row.status,
  }))
}
export type ExpectedPerson = Omit<Awaited<ReturnType<typeof expectedToday>>[number], 'total'>

/**
 * Minutes from arrival at a department to being called there, or to being seen if there was no
 * call.
 */
const waitingMinutes = (people: QueuedPerson[], departmentId?: string | null) =>
  people
    .flatMap(({ steps }) => steps)
    .filter((step) => departmentId === undefined || step.departmentId === departmentId)
    .flatMap(({ waitingSince, calledAt, seenAt }) => {
      const until = calledAt ?? seenAt
      return waitingSince && until
        ? [Math.max(0, (until.getTime() - waitingSince.getTime()) / 60_000)]
        : []
    })

/** Null of nothing. */
export function median(values: number[]): number | null {
  if (values.length === 0) return null
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
