import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { nameOf } from '~/features/patients/patient'
import { setLeft, takeBackArrival, visitOfArrival } from '~/features/visits/arrival.server'
import { type Context, mutation } from '~/server/operation'
import { conflict, notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { type AppointmentStatus, isUsualMove, movesFrom, SetStatus } from './appointment'
import { appointmentsSeen, maySeeAnywhere } from './appointments.server'
import {
  type AppointmentDepartment,
  departmentsIn,
  withAllClosed,
  withNextWaiting,
  withNobodyWaiting,
} from './departments'

/** Tells the database where the clinic's day begins: the numbers of the queue start again with it. */
export const tellDay = (db: Kysely<DB>) =>
  sql`select set_config('sanad.time_zone', ${clinicTimeZone()}, true)`.execute(db)

/** The live appointment of one of the actor's clinics, kept from others until the transaction ends. */
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
type Change = {
  current_visit_id?: string | null
  fulfilled_visit_id?: string | null
  departments: AppointmentDepartment[]
}

/**
 * Moves an appointment on. Checking in opens the visit and puts the person into the queue; completing ends the visit. A move
 * that is not the usual one has to be meant.
 */
export const setAppointmentStatus = mutation('appointments.setStatus', {
  input: SetStatus,
  allow: maySeeAnywhere,
  async run(ctx, { id, status, isMeant }) {
    const before = await lockAppointment(ctx, id)
    if (before.status === status) return { id, status, last_modified: before.last_modified }
    if (!movesFrom(before.status).includes(status)) throw conflict('appointments.completedStays')
    if (!isMeant && !isUsualMove(before.status, status)) throw conflict('appointments.unusualMove')
    return moveOn(ctx, before, status)
  },
})

/** What comes of a status: the caller has locked the appointment. */
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
  return { fulfilled_visit_id: null, departments: withNobodyWaiting(before.departments) }
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
  const steps = status === 'cancelled' ? withNobodyWaiting(departments) : departments
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
