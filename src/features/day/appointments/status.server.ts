import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { nameOf } from '~/features/people/patients/patient'
import { setLeft, takeBackArrival, visitOfArrival } from '~/features/care/visits/arrival.server'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { type ClinicRule, seeAppointments } from '~/policy/rules'
import { type Context, mutation, type On } from '~/server/operation'
import { conflict, forbidden, notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { isUsualMove, movesFrom, SetStatus } from './appointment'
import { type AppointmentStatus } from './appointment-search'
import { appointmentsSeen } from './appointments.server'
import {
  type AppointmentDepartment,
  departmentsIn,
  withAllClosed,
  withNextWaiting,
  withoutWaiting,
} from './departments'

/** Sets the clinic's time zone for this transaction: queue numbers start again each day. */
export const tellDay = (db: Kysely<DB>) =>
  sql`select set_config('sanad.time_zone', ${clinicTimeZone()}, true)`.execute(db)

/** The live appointment of one of the actor's clinics, locked until the transaction ends. */
export async function lockAppointment(ctx: Context, id: string) {
  const row = await appointmentsSeen(ctx)
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .select([
      'appointments.id',
      'appointments.patient_id',
      'appointments.clinic_id',
      'appointments.provider_id',
    ])
    .select([
      'appointments.timestamp',
      'status',
      'departments',
      'current_visit_id',
      'fulfilled_visit_id',
    ])
    .select(['is_walk_in', 'given_name', 'surname', 'appointments.last_modified'])
    .where('appointments.id', '=', id)
    .forUpdate('appointments')
    .executeTakeFirst()
  if (!row) throw notFound('appointments.notFound')
  return {
    ...row,
    status: row.status as AppointmentStatus,
    departments: departmentsIn(row.departments),
  }
}
type Locked = Awaited<ReturnType<typeof lockAppointment>>

/**
 * Rule of operations: the locked appointment, to users who see it and meet `change` in its clinic.
 */
export const lockedAppointment = (
  change: ClinicRule = seeAppointments,
): On<{ id: string }, { before: Locked }> => ({
  permits: (actor) => permitsSomewhere(change, actor),
  async rows(ctx, { id }) {
    const before = await lockAppointment(ctx, id)
    if (!permitsIn(change, ctx.actor, before.clinic_id)) throw forbidden()
    return { before }
  },
})
type Change = {
  current_visit_id?: string | null
  fulfilled_visit_id?: string | null
  departments: AppointmentDepartment[]
}

/**
 * Changes the status. Checking in opens the visit and puts the patient into the queue; completing
 * ends the visit. An unusual change must be confirmed with `isMeant`.
 */
export const setAppointmentStatus = mutation('appointments.setStatus', {
  input: SetStatus,
  on: lockedAppointment(),
  async run(ctx, { id, status, isMeant }, { before }) {
    if (before.status === status) return { id, status, last_modified: before.last_modified }
    if (!movesFrom(before.status).includes(status)) throw conflict('appointments.completedStays')
    if (!isMeant && !isUsualMove(before.status, status)) throw conflict('appointments.unusualMove')
    return moveOn(ctx, before, status)
  },
})

/** Applies the effects of a status. The caller has locked the appointment. */
export async function moveOn(ctx: Context, before: Locked, status: AppointmentStatus) {
  await tellDay(ctx.db)
  const { departments, ...links } = await consequences[status](ctx, before)
  const { last_modified } = await ctx.db
    .updateTable('appointments')
    .set({ ...links, status, departments: JSON.stringify(departments), updated_at: new Date() })
    .where('id', '=', before.id)
    .returning('last_modified')
    .executeTakeFirstOrThrow()
  return { id: before.id, status, last_modified }
}

const consequences: Record<AppointmentStatus, (ctx: Context, before: Locked) => Promise<Change>> = {
  pending: backToBooked,
  confirmed: backToBooked,
  checked_in: arrive,
  completed: complete,
  async cancelled(ctx, before) {
    await takeBackVisit(ctx, before)
    return { fulfilled_visit_id: null, departments: withAllClosed(before.departments) }
  },
}

async function backToBooked(ctx: Context, before: Locked): Promise<Change> {
  await takeBackVisit(ctx, before)
  return { fulfilled_visit_id: null, departments: withoutWaiting(before.departments) }
}

async function arrive(ctx: Context, before: Locked): Promise<Change> {
  const { status, departments, fulfilled_visit_id } = before
  if (status === 'completed' && fulfilled_visit_id) {
    await setLeft(ctx.db, fulfilled_visit_id, null)
    return {
      current_visit_id: fulfilled_visit_id,
      fulfilled_visit_id: null,
      departments: withNextWaiting(departments),
    }
  }
  const steps = status === 'cancelled' ? withoutWaiting(departments) : departments
  return {
    current_visit_id: await visitOfArrival(ctx, before),
    departments: withNextWaiting(steps),
  }
}

async function complete(
  { db }: Context,
  { current_visit_id, departments }: Locked,
): Promise<Change> {
  if (current_visit_id) await setLeft(db, current_visit_id, new Date())
  return { fulfilled_visit_id: current_visit_id, departments: withAllClosed(departments) }
}

const takeBackVisit = async (ctx: Context, before: Locked) => {
  if (before.status !== 'checked_in' || !before.current_visit_id) return
  await takeBackArrival(
    ctx,
    before.current_visit_id,
    `${nameOf(before)}, ${dayIn(before.timestamp, clinicTimeZone())}`,
  )
}
