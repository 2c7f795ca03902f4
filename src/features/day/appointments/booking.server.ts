import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { requireLivingOn } from '~/features/people/patients/lifetime/lifetime'
import { patientName, PatientIdInput } from '~/features/people/patients/patient'
import {
  cancelledBooking,
  countToCome,
  followTransition,
  requireNotHere,
  tellDay,
  visitOfArrival,
} from '~/features/rules/transitions/day.server'
import { both, namedClinic, namedPatient } from '~/policy/on.server'
import { requireProvider, seesPatientsAt } from '~/policy/require.server'
import { seeAppointments } from '~/policy/rules'
import { type Context, mutation, type On, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { patientsOfList } from '~/server/shown'
import { conflict, invalid, notFound } from '~/shared/errors'
import { isOnAnotherDay } from '~/shared/earlier-day'
import { newId } from '~/shared/id'
import { impossibleDay } from '~/shared/planned-days'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import {
  AppointmentId,
  DEFAULT_MINUTES,
  MoveAppointment,
  Overlaps,
  SaveAppointment,
} from './appointment'
import {
  selectVisibleAppointments,
  maySeeAppointments,
  inVisibleClinics,
} from './appointments.server'
import {
  type AppointmentDepartment,
  chosenSteps,
  departmentsIn,
  withNextWaiting,
} from '~/features/rules/transitions/departments'
import { MOST_REPEATS, occurrences } from './recurrence'
import { askAboutOverlaps, askIfTaken, overlapping } from './overlaps.server'
import { isAfterDeath, lockedAppointment } from './status.server'

/**
 * Books an appointment or a series, or changes one; a walk-in that arrives is checked in at once. Returns how many were
 * booked.
 */
export const saveAppointment = mutation('appointments.save', {
  input: SaveAppointment,
  on: both(namedPatient(), namedClinic(seeAppointments)),
  async run(ctx, { overlaps_shown, confirmed, ...saved }, { patient: { died_on } }) {
    const { department_ids, repeat, urgency, arrives, ...input } = saved
    const isHere = input.is_walk_in && arrives !== false
    const before = await findAppointment(ctx, input.id)
    if (!before && input.last_modified) throw notFound('appointments.notFound')
    if (before && before.patient_id !== input.patient_id) throw notFound('appointments.notFound')
    const isElsewhere = before !== undefined && before.clinic_id !== input.clinic_id
    const hasCome = before !== undefined && ['checked_in', 'completed'].includes(before.status)
    if (isElsewhere && hasCome) throw invalid({ clinic_id: { key: 'appointments.clinicFixed' } })
    // a program may correct the day of one that is over
    const isDayFixed = before?.status === 'checked_in' || (hasCome && confirmed !== undefined)
    if (isDayFixed && isOnAnotherDay(before?.timestamp, input.timestamp))
      throw invalid({ timestamp: { key: 'appointments.dayFixed' } })
    if (input.provider_id && (isElsewhere || before?.provider_id !== input.provider_id)) {
      await requireProvider(ctx.db, input.provider_id, seesPatientsAt(input.clinic_id))
    }
    const kept = before ? departmentsIn(before.departments) : []
    const { steps, isSame } = await resolveDepartments(
      ctx.db,
      input.clinic_id,
      department_ids,
      kept,
      isElsewhere,
    )
    requirePossible(input.timestamp, before?.timestamp)
    if (!before && input.is_walk_in && !isHere) requireEarlierDay(input.timestamp)
    if (!before && isHere) requireToday(input.timestamp)
    if (isMoved(input.timestamp, before?.timestamp))
      requireLivingOn({ died_on }, dayIn(input.timestamp, clinicTimeZone()), 'patient_id')
    const isPlaceChanged =
      isMoved(input.timestamp, before?.timestamp) ||
      before?.provider_id !== input.provider_id ||
      (before.duration ?? DEFAULT_MINUTES) !== input.duration
    if (overlaps_shown !== undefined && isPlaceChanged && !confirmed?.includes('against_record'))
      await askAboutOverlaps(
        ctx,
        input,
        overlaps_shown,
        before ? [] : bookedTimes({ ...input, repeat }).slice(1),
      )
    if (!before) return book(ctx, { ...input, urgency, isHere }, steps, repeat)
    const departments = !isSame && {
      departments: JSON.stringify(before?.status === 'checked_in' ? withNextWaiting(steps) : steps),
    }
    const changed = await saveRecord(ctx, 'appointments', { ...input, ...departments })
    return { ...changed, booked: 1 }
  },
})

const isMoved = (timestamp: Date, before?: Date) => before?.getTime() !== timestamp.getTime()

/** An appointment that a phone or an import dated otherwise keeps its time while it is changed in other respects. */
function requirePossible(timestamp: Date, before?: Date) {
  if (!isMoved(timestamp, before)) return
  const zone = clinicTimeZone()
  const key = impossibleDay('appointment', dayIn(timestamp, zone), dayIn(new Date(), zone))
  if (key) throw invalid({ timestamp: { key } })
}

/** Whether a walk-in is history that another system or paper had: one of an earlier day. */
export const isWalkInOfThePast = (timestamp: Date) =>
  isOnAnotherDay(new Date(), timestamp) && timestamp < new Date()

/** Nobody can say of a walk-in of today, or of a day to come, that the patient does not arrive. */
function requireEarlierDay(timestamp: Date) {
  if (!isWalkInOfThePast(timestamp))
    throw invalid({ arrives: { key: 'appointments.walkInArrives' } })
}

/** Who walks in is here now: the visit and the queue are those of today. */
export function requireToday(timestamp: Date) {
  const day = dayIn(timestamp, clinicTimeZone())
  if (isOnAnotherDay(new Date(), timestamp))
    throw invalid({ timestamp: { key: 'appointments.walkInNow', values: { day } } })
}

type Extra = 'department_ids' | 'repeat' | 'overlaps_shown' | 'confirmed' | 'arrives'
type New = Omit<SaveAppointment, Extra> & { isHere: boolean }

const bookedTimes = ({
  timestamp,
  repeat,
  is_walk_in,
}: Pick<SaveAppointment, 'timestamp' | 'repeat' | 'is_walk_in'>) =>
  repeat && !is_walk_in ? occurrences(timestamp, repeat, clinicTimeZone()) : [timestamp]

async function book(
  ctx: Context,
  { last_modified: _new, urgency, isHere, ...values }: New,
  steps: AppointmentDepartment[],
  repeat: SaveAppointment['repeat'],
) {
  await tellDay(ctx.db)
  const times = bookedTimes({ ...values, repeat })
  if (times.length > MOST_REPEATS) throw invalid({ repeat: { key: 'appointments.tooManyRepeats' } })
  if (isHere) await requireNotHere(ctx.db, values)
  const visit = isHere ? await visitOfArrival(ctx, values) : null
  const rows = await ctx.db
    .insertInto('appointments')
    .values(
      times.map((timestamp, at) => ({
        ...values,
        id: at === 0 ? values.id : newId(),
        timestamp,
        user_id: ctx.actor.userId,
        status: isHere ? 'checked_in' : 'pending',
        ...(isHere && urgency && { urgency }),
        current_visit_id: visit,
        departments: JSON.stringify(isHere ? withNextWaiting(steps) : steps),
        metadata: JSON.stringify(times.length > 1 ? { series_id: values.id } : {}),
      })),
    )
    .onConflict((oc) => oc.column('id').doNothing())
    .returning(['id', 'last_modified'])
    .execute()
  const first = rows.find(({ id }) => id === values.id)
  if (!first) throw notFound('appointments.notFound')
  return { ...first, booked: rows.length }
}

/** Another time or provider, from the calendar. */
export const moveAppointment = mutation('appointments.move', {
  input: MoveAppointment,
  on: lockedAppointment(),
  async run(
    ctx,
    { provider_id, confirmed, ...input },
    { before: { status, clinic_id, ...before } },
  ) {
    if (status !== 'pending' && status !== 'confirmed') throw conflict('appointments.moveClosed')
    requirePossible(input.timestamp, before.timestamp)
    if (isMoved(input.timestamp, before.timestamp) && isAfterDeath(before, input.timestamp))
      throw conflict('patients.hasDied')
    if (provider_id && provider_id !== before.provider_id)
      await requireProvider(ctx.db, provider_id, seesPatientsAt(clinic_id))
    const values = provider_id === undefined ? input : { ...input, provider_id }
    await askIfTaken(ctx, { ...before, ...values }, confirmed)
    return saveRecord(ctx, 'appointments', values)
  },
})

/** To users who see appointments somewhere; a patient that the question names must be known to them. */
const overlapsOf: On<{ patient_id?: string }, object> = {
  permits: (actor) => maySeeAppointments({ actor }),
  rows: (ctx, { patient_id }) =>
    patient_id ? namedPatient().rows(ctx, { patientId: patient_id }) : Promise.resolve({}),
}

/**
 * Appointments of the same provider, and of the same patient, at that time: with names in the viewer's clinics,
 * elsewhere only their number.
 */
export const overlappingAppointments = query('appointments.overlaps', {
  access: 'appointments',
  input: Overlaps,
  on: overlapsOf,
  async run(ctx, at) {
    const { ofProvider, ofPatient } = await overlapping(ctx, at)
    const seen = ofProvider.filter(({ isSeen }) => isSeen)
    const theirs = ofPatient.filter(({ isSeen }) => isSeen)
    return {
      overlaps: seen.map((row) => ({
        id: row.id,
        timestamp: row.timestamp,
        duration: row.duration,
        patient_id: row.patient_id,
        patient: patientName(row),
      })),
      elsewhere: ofProvider.length - seen.length,
      ofPatient: theirs.map(({ id, timestamp, duration, provider, clinic }) => ({
        id,
        timestamp,
        duration,
        provider,
        clinic,
      })),
      ofPatientElsewhere: ofPatient.length - theirs.length,
    }
  },
  shows: ({ overlaps }) => patientsOfList(overlaps),
})

/**
 * Cancels this appointment and the later ones of its series that are still pending or confirmed.
 */
export const cancelSeries = mutation('appointments.cancelSeries', {
  input: AppointmentId,
  on: lockedAppointment(),
  async run(ctx, { id }, { before: { timestamp } }) {
    const rows = await ctx.db
      .updateTable('appointments')
      .set({ ...cancelledBooking, updated_at: new Date() })
      .where(sql<boolean>`metadata ? 'series_id' and metadata ->> 'series_id' =
        (select this.metadata ->> 'series_id' from appointments this where this.id = ${id})`)
      .where('timestamp', '>=', timestamp)
      .where('status', 'in', ['pending', 'confirmed'])
      .where('is_deleted', '=', false)
      .where(inVisibleClinics(ctx.actor))
      .returning('id')
      .execute()
    return { cancelled: rows.length }
  },
})

/** Moves the appointment to the trash. If its patient is here, the visit ends as if it was cancelled. */
export const deleteAppointment = mutation('appointments.delete', {
  input: AppointmentId,
  on: lockedAppointment(['can_delete_records']),
  async run(ctx, { id }, { before }) {
    const label = `${patientName(before)}, ${dayIn(before.timestamp, clinicTimeZone())}`
    const deleted = await deleteRecord(ctx, 'appointments', id, label)
    await followTransition(ctx, 'remove', before)
    return deleted
  },
})

const findAppointment = (ctx: Context, id: string) =>
  selectVisibleAppointments(ctx)
    .select([
      'patient_id',
      'clinic_id',
      'provider_id',
      'timestamp',
      'status',
      'departments',
      'duration',
    ])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/**
 * The chosen departments: active ones of this clinic, or those that the appointment already has. An
 * appointment that moves to another clinic loses its departments. Entries of phones for unknown
 * departments stay, at the end. The rows are locked against deletion until the appointment names
 * them.
 */
async function resolveDepartments(
  db: Kysely<DB>,
  clinicId: string,
  ids: string[],
  kept: AppointmentDepartment[],
  isElsewhere: boolean,
) {
  const known = await db
    .selectFrom('clinic_departments')
    .select(['id', 'name', 'clinic_id', 'is_deleted', 'status'])
    .where(sql<boolean>`id::text = any(${[...ids, ...kept.map(({ id }) => id)]}::text[])`)
    .forShare()
    .execute()
  const shown = [
    ...new Set(
      kept.map(({ id }) => id).filter((id) => known.some((department) => department.id === id)),
    ),
  ]
  if (!isElsewhere && shown.join() === ids.join()) return { steps: kept, isSame: true }
  const chosen = ids.flatMap((id) => {
    const found = known.find((department) => department.id === id)
    const isUsable = found?.clinic_id === clinicId && !found.is_deleted && found.status === 'active'
    return found && (isUsable || (!isElsewhere && shown.includes(id))) ? [found] : []
  })
  if (chosen.length < ids.length)
    throw invalid({ department_ids: { key: 'appointments.departmentElsewhere' } })
  return {
    steps: [
      ...chosenSteps(kept, chosen),
      ...kept.filter(({ id }) => !known.some((d) => d.id === id)),
    ],
    isSame: false,
  }
}

/** How many appointments a patient has from today on: what a recorded death may cancel. */
export const appointmentsToCome = query('appointments.toCome', {
  access: 'appointments',
  input: PatientIdInput,
  on: namedPatient(),
  allow: maySeeAppointments,
  run: async (ctx, { patientId }) => ({ count: await countToCome(ctx, patientId) }),
})
