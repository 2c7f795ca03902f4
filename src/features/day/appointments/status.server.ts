import {
  followTransition,
  tellDay,
  urgencyOfArrival,
} from '~/features/rules/transitions/day.server'
import { departmentsIn } from '~/features/rules/transitions/departments'
import { type AppointmentStatus, transitionBetween } from '~/features/rules/transitions/transitions'
import type { Urgency } from '~/features/rules/transitions/urgency'
import { permitsIn, permitsSomewhere } from '~/policy/facts'
import { type ClinicRule, seeAppointments } from '~/policy/rules'
import { type Context, mutation, type On } from '~/server/operation'
import { ask, isOnAnotherDay, type EarlierDayQuestion } from '~/shared/earlier-day'
import { conflict, forbidden, notFound } from '~/shared/errors'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { isUsualMove, movesFrom, SetAppointmentStatus } from './appointment'
import { selectVisibleAppointments } from './appointments.server'
import { askIfTaken } from './overlaps.server'

/** The live appointment of one of the actor's clinics, locked until the transaction ends. */
export async function lockAppointment(ctx: Context, id: string) {
  const row = await selectVisibleAppointments(ctx)
    .innerJoin('patients', 'patients.id', 'appointments.patient_id')
    .select([
      'appointments.id',
      'appointments.patient_id',
      'appointments.clinic_id',
      'appointments.provider_id',
    ])
    .select([
      'appointments.timestamp',
      'duration',
      'status',
      'departments',
      'current_visit_id',
      'fulfilled_visit_id',
    ])
    .select(['is_walk_in', 'given_name', 'surname', 'urgency', 'appointments.last_modified'])
    .select('died_on')
    .where('appointments.id', '=', id)
    .forUpdate('appointments')
    .executeTakeFirst()
  if (!row) throw notFound('appointments.notFound')
  return {
    ...row,
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
/**
 * Changes the status. Checking in opens the visit and puts the patient into the queue; completing
 * ends the visit. An unusual change must be confirmed with `isMeant`.
 */
export const setAppointmentStatus = mutation('appointments.setStatus', {
  input: SetAppointmentStatus,
  on: lockedAppointment(),
  async run(ctx, { id, status, isMeant, urgency, confirmed }, { before }) {
    if (before.status === status) return { id, status, last_modified: before.last_modified }
    if (!movesFrom(before.status).includes(status)) throw conflict('appointments.completedStays')
    if (!isMeant && !isUsualMove(before.status, status)) throw conflict('appointments.unusualMove')
    // the desk cancels it; nobody comes
    const isExpected = status === 'pending' || status === 'confirmed'
    if (isExpected && isAfterDeath(before, before.timestamp)) throw conflict('patients.hasDied')
    const transition = transitionBetween(before.status, status)
    // a completion of no visit, as another system may send it, is taken back into a visit of today, too
    const hasVisit = (before.fulfilled_visit_id ?? before.current_visit_id) !== null
    if (transition === 'arrive' || (transition === 'resume' && !hasVisit))
      askIfOtherDay(before, confirmed)
    if (transition === 'rebook') await askIfTaken(ctx, before, confirmed)
    return moveOn(ctx, before, status, transition, urgency)
  },
})

/** Who is checked in is here now: an appointment of another day is a slip of the row, or its patient comes today. */
function askIfOtherDay(
  { timestamp }: Locked,
  confirmed: readonly EarlierDayQuestion[] | undefined,
) {
  if (!confirmed || confirmed.includes('unlikely_date')) return
  if (isOnAnotherDay(new Date(), timestamp))
    throw ask('unlikely_date', 'timestamp', {
      key: 'appointments.isOfOtherDay',
      values: { day: dayIn(timestamp, clinicTimeZone()) },
    })
}

export const isAfterDeath = ({ died_on }: { died_on: string | null }, at: Date) =>
  died_on !== null && dayIn(at, clinicTimeZone()) > died_on

/** Applies the effects of a status; `transition` where the status alone does not say which it is. */
export async function moveOn(
  ctx: Context,
  before: Locked,
  status: AppointmentStatus,
  transition = transitionBetween(before.status, status),
  urgency?: Urgency,
) {
  await tellDay(ctx.db)
  const arrival =
    status === 'checked_in' ? { urgency: await urgencyOfArrival(ctx.db, before, urgency) } : {}
  const { departments, ...links } = transition
    ? await followTransition(ctx, transition, before)
    : { departments: before.departments }
  const { last_modified } = await ctx.db
    .updateTable('appointments')
    .set({
      ...links,
      ...arrival,
      status,
      departments: JSON.stringify(departments),
      updated_at: new Date(),
    })
    .where('id', '=', before.id)
    .returning('last_modified')
    .executeTakeFirstOrThrow()
  return { id: before.id, status, last_modified }
}
