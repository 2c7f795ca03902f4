// A patient's whole way through the queue, an operation for each step: longer than most files.
import { sql } from 'kysely'
import {
  selectVisibleAppointments,
  maySeeAppointments,
} from '~/features/day/appointments/appointments.server'
import { saveAppointment } from '~/features/day/appointments/booking.server'
import {
  type AppointmentDepartment,
  newStep,
  withNextWaiting,
} from '~/features/rules/transitions/departments'
import {
  lockAppointment,
  moveOn,
  setAppointmentStatus,
} from '~/features/day/appointments/status.server'
import { CAPABILITY_SWITCHES } from '~/features/office/clinics/clinic'
import { patientName } from '~/features/people/patients/patient'
import {
  arrivalToday,
  followTransition,
  requireNotHere,
  setProvider,
} from '~/features/rules/transitions/day.server'
import { moreUrgent, type Urgency, parseUrgency } from '~/features/rules/transitions/urgency'
import { both, inClinic, namedPatient } from '~/policy/on.server'
import { seeAppointments } from '~/policy/rules'
import { audit } from '~/server/audit'
import { type Context, mutation } from '~/server/operation'
import { mayIn } from '~/shared/actor'
import { conflict, invalid, notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn, clinicToday } from '~/shared/zone'
import {
  CheckInInput,
  LeaveQueueInput,
  QueueInput,
  SendToDepartmentInput,
  SetUrgencyInput,
  QueueStepInput,
} from './queue'
import { urgencyOrder } from './urgency-order.server'

/**
 * Calls the most urgent patient; of equally urgent ones, the one who has waited longest. Two simultaneous calls get two
 * patients: a row that one holds is skipped by the other.
 */
export const callNext = mutation('queue.callNext', {
  input: QueueInput,
  on: inClinic(seeAppointments),
  async run(ctx, { clinicId, departmentId }) {
    const next = await ctx.db
      .selectFrom('appointment_departments as step')
      .innerJoin('appointments', 'appointments.id', 'step.appointment_id')
      .innerJoin('queue_tokens', 'queue_tokens.appointment_id', 'step.appointment_id')
      .innerJoin('patients', 'patients.id', 'appointments.patient_id')
      .select([
        'step.appointment_id',
        'step.position',
        'number',
        'appointments.patient_id',
        'given_name',
        'surname',
      ])
      .where('step.clinic_id', '=', clinicId)
      .where('step.status', '=', 'checked_in')
      .where('step.called_at', 'is', null)
      .where('appointments.status', '=', 'checked_in')
      .where('appointments.is_deleted', '=', false)
      .where('queue_tokens.day', '=', clinicToday())
      .$if(departmentId !== undefined, (q) =>
        q.where(sql<boolean>`step.department_id is not distinct from ${departmentId}::uuid`),
      )
      .orderBy(urgencyOrder)
      .orderBy(sql`coalesce(passed_over_at, waiting_since)`)
      .orderBy('number')
      .limit(1)
      .forUpdate('step')
      .skipLocked()
      .executeTakeFirst()
    if (!next) return { ok: false as const, reason: 'nobody_waits' as const }
    const { appointment_id: appointmentId, patient_id, position, number } = next
    const where = { appointmentId, position, clinic_id: clinicId, patient_id }
    await updateStep(ctx, 'queue.callNext', where, callStamp(ctx))
    return { ok: true as const, appointmentId, position, token: number, patient: patientName(next) }
  },
})

/**
 * Checks a patient in at the desk: to today's appointment in this clinic, else as a walk-in. The
 * chosen department comes first; without one, a booked patient visits the departments as booked.
 */
export const checkIn = mutation('queue.checkIn', {
  input: CheckInInput,
  on: both(namedPatient(), inClinic(seeAppointments)),
  async run(ctx, { id, patientId, clinicId, departmentId, urgency }) {
    const zone = clinicTimeZone()
    const today = dayIn(new Date(), zone)
    await requireNotHere(ctx.db, { id, patient_id: patientId, clinic_id: clinicId })
    const here = await arrivalToday(ctx.db, patientId, clinicId)
    if (here) {
      if (urgency) await raiseUrgency(ctx, await lockAppointment(ctx, here.id), urgency)
      return { appointmentId: id, token: here.number }
    }
    const booked = await selectVisibleAppointments(ctx)
      .select('id')
      .where('patient_id', '=', patientId)
      .where('clinic_id', '=', clinicId)
      .where('status', 'in', ['pending', 'confirmed'])
      .where(sql<boolean>`(timestamp at time zone ${zone})::date = ${today}::date`)
      .orderBy('timestamp')
      .limit(1)
      .executeTakeFirst()
    if (booked) {
      await setAppointmentStatus(ctx, { id: booked.id, status: 'checked_in', urgency })
      if (departmentId) await sendToDepartment(ctx, { appointmentId: booked.id, departmentId })
    } else {
      const walkIn = {
        is_walk_in: true,
        timestamp: new Date().toISOString(),
        reason: 'doctor-visit' as const,
      }
      const department_ids = departmentId ? [departmentId] : []
      await saveAppointment(ctx, {
        id,
        patient_id: patientId,
        clinic_id: clinicId,
        department_ids,
        urgency,
        ...walkIn,
      })
    }
    const appointmentId = booked?.id ?? id
    const { number: token } = await ctx.db
      .selectFrom('queue_tokens')
      .select('number')
      .where('appointment_id', '=', appointmentId)
      .executeTakeFirstOrThrow()
    return { appointmentId, token }
  },
})

/**
 * Sets the urgency of a patient who is here, also to a lower one: of all numbers that the patient has in this clinic's
 * queue of the day.
 */
export const setUrgency = mutation('queue.setUrgency', {
  input: SetUrgencyInput,
  allow: maySeeAppointments,
  async run(ctx, { appointmentId, urgency }) {
    const { status, ...arrival } = await lockAppointment(ctx, appointmentId)
    if (status !== 'checked_in') throw conflict('queue.notHere')
    await writeUrgency(ctx, arrival, urgency)
    return { appointmentId, urgency }
  },
})

type Arrival = { id: string; patient_id: string; clinic_id: string; urgency: string }

const raiseUrgency = (ctx: Context, arrival: Arrival, urgency: Urgency) =>
  writeUrgency(ctx, arrival, moreUrgent(parseUrgency(arrival.urgency), urgency))

/** Leaves `updated_at` alone, which the trigger of queue numbers reads as the time of arrival. */
const writeUrgency = ({ db }: Context, { id, patient_id, clinic_id }: Arrival, urgency: Urgency) =>
  db
    .updateTable('appointments')
    .set({ urgency })
    .where('patient_id', '=', patient_id)
    .where('clinic_id', '=', clinic_id)
    .where('status', '=', 'checked_in')
    .where('is_deleted', '=', false)
    .where('urgency', '<>', urgency)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('queue_tokens as other')
          .innerJoin('queue_tokens as own', 'own.day', 'other.day')
          .select('other.number')
          .whereRef('other.appointment_id', '=', 'appointments.id')
          .where('own.appointment_id', '=', id),
      ),
    )
    .execute()

/** Calls a patient out of order, or once more. */
export const callPatient = mutation('queue.call', {
  input: QueueStepInput,
  allow: maySeeAppointments,
  async run(ctx, step) {
    const appointment = await requireStep(ctx, step, 'checked_in')
    return updateStep(ctx, 'queue.call', { ...appointment, ...step }, callStamp(ctx))
  },
})

/** The patient did not come when called: waits on, behind those who wait now. */
export const passOverPatient = mutation('queue.passOver', {
  input: QueueStepInput,
  allow: maySeeAppointments,
  async run(ctx, step) {
    const appointment = await requireStep(ctx, step, 'checked_in')
    const change = { called_at: null, called_by: null, passed_over_at: new Date() }
    return updateStep(ctx, 'queue.passOver', { ...appointment, ...step }, change)
  },
})

/**
 * The patient is with the caller now; refused if the patient is with another user already. A caller
 * who may write in the record becomes the provider of the visit. A department that serves others
 * (laboratory, imaging, dispensing) only fills an empty place.
 */
export const startStep = mutation('queue.start', {
  input: QueueStepInput,
  allow: maySeeAppointments,
  async run(ctx, step) {
    const appointment = await requireStep(ctx, step, 'checked_in', 'pending')
    const visitId = appointment.current_visit_id ?? (await recreateVisit(ctx, appointment))
    if (visitId && mayIn(ctx.actor, 'can_edit_records', appointment.clinic_id)) {
      await setProvider(ctx, visitId, {
        onlyIfNone: await isSupportDepartment(ctx, step),
      })
    }
    if (step.position === 0) {
      const change = {
        status: 'in_progress',
        seen_at: new Date(),
        seen_by: ctx.actor.userId,
      } as const
      return updateStep(ctx, 'queue.start', { ...appointment, ...step }, change)
    }
    const seen = { status: 'in_progress', seen_at: Date.now(), seen_by: ctx.actor.userId } as const
    return saveSteps(
      ctx,
      step.appointmentId,
      withStep(appointment.departments, step.position, seen),
    )
  },
})

/** Makes the visit again if it was deleted while its patient waited. */
async function recreateVisit(ctx: Context, appointment: Awaited<ReturnType<typeof requireStep>>) {
  const { departments: _asTheyAre, ...links } = await followTransition(ctx, 'start', appointment)
  await ctx.db.updateTable('appointments').set(links).where('id', '=', appointment.id).execute()
  return links.current_visit_id
}

async function isSupportDepartment(
  { db }: Context,
  { appointmentId, position }: StepRef,
): Promise<boolean> {
  const department = await db
    .selectFrom('appointment_departments as step')
    .innerJoin('clinic_departments', 'clinic_departments.id', 'step.department_id')
    .select(CAPABILITY_SWITCHES)
    .where('appointment_id', '=', appointmentId)
    .where('position', '=', position)
    .executeTakeFirst()
  return (
    department !== undefined && CAPABILITY_SWITCHES.some((capability) => department[capability])
  )
}

/**
 * Done here: the next department waits for the patient; after the last one the appointment is
 * completed.
 */
export const finishStep = mutation('queue.finish', {
  input: QueueStepInput,
  allow: maySeeAppointments,
  async run(ctx, step) {
    const appointment = await requireStep(ctx, step, 'in_progress', 'checked_in')
    const departments = withNextWaiting(
      withStep(appointment.departments, step.position, { status: 'completed' }),
    )
    const isLast = !departments.some(
      ({ status }) => status === 'checked_in' || status === 'in_progress',
    )
    if (isLast) await moveOn(ctx, { ...appointment, departments }, 'completed')
    else await saveSteps(ctx, step.appointmentId, departments)
    return { appointmentId: step.appointmentId, isCompleted: isLast }
  },
})

/** The patient has left without being seen: the number ends, and a visit without records goes to the trash. */
export const leaveQueue = mutation('queue.leave', {
  input: LeaveQueueInput,
  allow: maySeeAppointments,
  async run(ctx, { appointmentId }) {
    const appointment = await lockAppointment(ctx, appointmentId)
    if (appointment.status === 'cancelled') return { appointmentId }
    if (appointment.status !== 'checked_in') throw conflict('queue.notHere')
    await moveOn(ctx, appointment, 'cancelled', 'leave')
    return { appointmentId }
  },
})

/**
 * Sends the patient to another department at once: the current one is done, the waiting ones come
 * after it.
 */
export const sendToDepartment = mutation('queue.send', {
  input: SendToDepartmentInput,
  allow: maySeeAppointments,
  async run(ctx, { appointmentId, departmentId }) {
    const { status, clinic_id, departments } = await lockInQueue(ctx, appointmentId)
    if (status !== 'checked_in') throw conflict('queue.notHere')
    const department = await ctx.db
      .selectFrom('clinic_departments')
      .select(['id', 'name'])
      .where('id', '=', departmentId)
      .where('clinic_id', '=', clinic_id)
      .where('is_deleted', '=', false)
      .where('status', '=', 'active')
      .forShare()
      .executeTakeFirst()
    if (!department) throw invalid({ departmentId: { key: 'appointments.departmentElsewhere' } })
    return saveSteps(ctx, appointmentId, movedToDepartment(departments, department))
  },
})

function movedToDepartment(
  steps: AppointmentDepartment[],
  department: { id: string; name: string },
): AppointmentDepartment[] {
  const left = steps.map((step) => {
    if (step.status === 'in_progress') return { ...step, status: 'completed' as const }
    return step.status === 'checked_in' ? { ...step, status: 'pending' as const } : step
  })
  const there = left.findIndex(({ id, status }) => id === department.id && status === 'pending')
  if (there >= 0)
    return left.map((step, at) => (at === there ? { ...step, status: 'checked_in' } : step))
  const firstPending = left.findIndex(({ status }) => status === 'pending')
  return left.toSpliced(
    firstPending < 0 ? left.length : firstPending,
    0,
    newStep(department, 'checked_in'),
  )
}

type StepRef = { appointmentId: string; position: number }

const withStep = (
  steps: AppointmentDepartment[],
  position: number,
  change: Partial<AppointmentDepartment>,
) => steps.map((step, at) => (at === position - 1 ? { ...step, ...change } : step))

/**
 * The locked appointment with its departments as the queue has them. A phone that takes a completion back sends them as
 * they were at the end, and that row stays as sent.
 */
async function lockInQueue(ctx: Context, appointmentId: string) {
  const appointment = await lockAppointment(ctx, appointmentId)
  const places = await ctx.db
    .selectFrom('appointment_departments')
    .select(['position', 'status'])
    .where('appointment_id', '=', appointmentId)
    .execute()
  const statusAt = new Map(places.map(({ position, status }) => [position, status]))
  const departments = appointment.departments.map((step, at) => ({
    ...step,
    status: (statusAt.get(at + 1) ?? step.status) as AppointmentDepartment['status'],
  }))
  return { ...appointment, departments }
}

/** The locked appointment of a patient who is here, at a step in one of these states. */
async function requireStep(
  ctx: Context,
  { appointmentId, position }: StepRef,
  ...statuses: string[]
) {
  const appointment = await lockInQueue(ctx, appointmentId)
  const step = await ctx.db
    .selectFrom('appointment_departments as step')
    .leftJoin('users', 'users.id', 'step.seen_by')
    .select(['step.status', 'users.name as seen_by'])
    .where('appointment_id', '=', appointmentId)
    .where('position', '=', position)
    .executeTakeFirst()
  if (!step) throw notFound('appointments.notFound')
  if (appointment.status !== 'checked_in') throw conflict('queue.notHere')
  if (statuses.includes(step.status)) return appointment
  if (step.status === 'in_progress')
    throw conflict('queue.alreadySeen', { who: step.seen_by ?? '—' })
  throw conflict('queue.movedOn')
}

type StepChange = {
  status?: 'in_progress'
  called_at?: Date | null
  called_by?: string | null
  passed_over_at?: Date
  seen_at?: Date
  seen_by?: string
}

const callStamp = ({ actor }: Context) => ({ called_at: new Date(), called_by: actor.userId })

/**
 * What phones do not know is stored beside the appointment, where no trigger audits it: the entry
 * is written here.
 */
async function updateStep(
  ctx: Context,
  action: string,
  {
    appointmentId,
    position,
    clinic_id,
    patient_id,
  }: StepRef & { clinic_id: string; patient_id: string },
  change: StepChange,
) {
  const before = await ctx.db
    .selectFrom('appointment_departments')
    .select([
      'department_id',
      'status',
      'called_at',
      'called_by',
      'passed_over_at',
      'seen_at',
      'seen_by',
    ])
    .where('appointment_id', '=', appointmentId)
    .where('position', '=', position)
    .executeTakeFirstOrThrow()
  await ctx.db
    .updateTable('appointment_departments')
    .set(change)
    .where('appointment_id', '=', appointmentId)
    .where('position', '=', position)
    .execute()
  const changed = Object.entries(change).map(([name, value]) => [
    name,
    [before[name as keyof StepChange], value],
  ])
  await audit(ctx, {
    action,
    table: 'appointments',
    recordId: appointmentId,
    clinicId: clinic_id,
    patientId: patient_id,
    // the department that called stays as it is, and is what users look for
    changes: {
      department_id: [before.department_id, before.department_id],
      ...Object.fromEntries(changed),
    },
  })
  return { appointmentId }
}

async function saveSteps({ db }: Context, appointmentId: string, steps: AppointmentDepartment[]) {
  await db
    .updateTable('appointments')
    .set({ departments: JSON.stringify(steps), updated_at: new Date() })
    .where('id', '=', appointmentId)
    .execute()
  return { appointmentId }
}
