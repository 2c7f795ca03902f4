import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { nameOf } from '~/features/people/patients/patient'
import { visitOfArrival } from '~/features/care/visits/arrival.server'
import { both, namedClinic, namedPatient } from '~/policy/on.server'
import { requireProvider, seesPatientsAt } from '~/policy/require.server'
import { seeAppointments } from '~/policy/rules'
import { type Context, mutation, query } from '~/server/operation'
import { deleteRecord, saveRecord } from '~/server/record'
import { patientsOfList } from '~/server/shown'
import { conflict, invalid, notFound } from '~/shared/errors'
import { newId } from '~/shared/id'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { AppointmentId, MoveAppointment, Overlaps, SaveAppointment } from './appointment'
import { appointmentsSeen, maySeeAnywhere, seenIn } from './appointments.server'
import {
  type AppointmentDepartment,
  chosenSteps,
  departmentsIn,
  withNextWaiting,
} from './departments'
import { MOST_REPEATS, occurrences } from './recurrence'
import { lockedAppointment, tellDay } from './status.server'

/**
 * Books an appointment or a series, or changes one; a walk-in is checked in at once. Returns how
 * many were booked.
 */
export const saveAppointment = mutation('appointments.save', {
  input: SaveAppointment,
  on: both(namedPatient(), namedClinic(seeAppointments)),
  async run(ctx, { department_ids, repeat, ...input }, { patient: { died_on } }) {
    const before = await findAppointment(ctx, input.id)
    if (!before && input.last_modified) throw notFound('appointments.notFound')
    if (before && before.patient_id !== input.patient_id) throw notFound('appointments.notFound')
    const isElsewhere = before !== undefined && before.clinic_id !== input.clinic_id
    if (isElsewhere && ['checked_in', 'completed'].includes(before.status)) {
      throw invalid({ clinic_id: { key: 'appointments.clinicFixed' } })
    }
    if (input.provider_id && (isElsewhere || before?.provider_id !== input.provider_id)) {
      await requireProvider(ctx.db, input.provider_id, seesPatientsAt(input.clinic_id))
    }
    const kept = before ? departmentsIn(before.departments) : []
    const { steps, isSame } = await stepsOf(
      ctx.db,
      input.clinic_id,
      department_ids,
      kept,
      isElsewhere,
    )
    const values = { ...input, notes: input.notes ?? '' }
    if (!before && died_on && dayIn(input.timestamp, clinicTimeZone()) > died_on) {
      throw invalid({ patient_id: { key: 'patients.hasDied' } })
    }
    if (!before) return book(ctx, values, steps, repeat)
    const departments = !isSame && {
      departments: JSON.stringify(before?.status === 'checked_in' ? withNextWaiting(steps) : steps),
    }
    const saved = await saveRecord(ctx, 'appointments', { ...values, ...departments })
    return { ...saved, booked: 1 }
  },
})

type New = Omit<SaveAppointment, 'department_ids' | 'repeat' | 'notes'> & { notes: string }

async function book(
  ctx: Context,
  { last_modified: _new, ...values }: New,
  steps: AppointmentDepartment[],
  repeat: SaveAppointment['repeat'],
) {
  await tellDay(ctx.db)
  const times =
    repeat && !values.is_walk_in
      ? occurrences(values.timestamp, repeat, clinicTimeZone())
      : [values.timestamp]
  if (times.length > MOST_REPEATS) throw invalid({ repeat: { key: 'appointments.tooManyRepeats' } })
  const visit = values.is_walk_in ? await visitOfArrival(ctx, values) : null
  const rows = await ctx.db
    .insertInto('appointments')
    .values(
      times.map((timestamp, at) => ({
        ...values,
        id: at === 0 ? values.id : newId(),
        timestamp,
        user_id: ctx.actor.userId,
        status: values.is_walk_in ? 'checked_in' : 'pending',
        current_visit_id: visit,
        departments: JSON.stringify(values.is_walk_in ? withNextWaiting(steps) : steps),
        metadata: JSON.stringify(times.length > 1 ? { series_id: values.id } : {}),
      })),
    )
    .onConflict((conflict) => conflict.column('id').doNothing())
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
  async run(ctx, { provider_id, ...input }, { before: { status, clinic_id, ...before } }) {
    if (status !== 'pending' && status !== 'confirmed') throw conflict('appointments.moveClosed')
    if (provider_id && provider_id !== before.provider_id)
      await requireProvider(ctx.db, provider_id, seesPatientsAt(clinic_id))
    const values = provider_id === undefined ? input : { ...input, provider_id }
    return saveRecord(ctx, 'appointments', values)
  },
})

/**
 * Appointments of the same provider at that time: with names in the viewer's clinics, elsewhere
 * only their number.
 */
export const overlappingAppointments = query('appointments.overlaps', {
  input: Overlaps,
  allow: maySeeAnywhere,
  async run({ db, actor }, { id, provider_id, timestamp, duration }) {
    const end = new Date(timestamp.getTime() + duration * 60_000)
    const rows = await db
      .selectFrom('appointments')
      .innerJoin('patients', 'patients.id', 'appointments.patient_id')
      .select(['appointments.id', 'appointments.timestamp', 'duration', 'given_name', 'surname'])
      .select('appointments.patient_id')
      .select(sql<boolean>`${seenIn(actor)}`.as('isSeen'))
      .where('appointments.is_deleted', '=', false)
      .where('appointments.provider_id', '=', provider_id)
      .where('status', 'in', ['pending', 'confirmed', 'checked_in'])
      .where('appointments.timestamp', '<', end)
      // none is longer than a week
      .where('appointments.timestamp', '>', new Date(timestamp.getTime() - 7 * 86_400_000))
      .where(
        sql<boolean>`appointments.timestamp
          + make_interval(secs => coalesce(duration, 60)::float8 * 60) > ${timestamp}`,
      )
      .$if(id !== undefined, (q) => q.where('appointments.id', '<>', id!))
      .orderBy('appointments.timestamp')
      .limit(10)
      .execute()
    const seen = rows.filter(({ isSeen }) => isSeen)
    return {
      overlaps: seen.map((row) => ({
        id: row.id,
        timestamp: row.timestamp,
        duration: row.duration,
        patient_id: row.patient_id,
        patient: nameOf(row),
      })),
      elsewhere: rows.length - seen.length,
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
      .set({
        status: 'cancelled',
        updated_at: new Date(),
        departments: sql`(select coalesce(jsonb_agg(step || '{"status": "cancelled"}' order by at), '[]')
          from jsonb_array_elements(departments) with ordinality steps (step, at))`,
      })
      .where(sql<boolean>`metadata ? 'series_id' and metadata ->> 'series_id' =
        (select this.metadata ->> 'series_id' from appointments this where this.id = ${id})`)
      .where('timestamp', '>=', timestamp)
      .where('status', 'in', ['pending', 'confirmed'])
      .where('is_deleted', '=', false)
      .where(seenIn(ctx.actor))
      .returning('id')
      .execute()
    return { cancelled: rows.length }
  },
})

/** Moves the appointment to the trash. Its visit, if any, stays. */
export const deleteAppointment = mutation('appointments.delete', {
  input: AppointmentId,
  on: lockedAppointment(['can_delete_records']),
  async run(ctx, { id }, { before }) {
    const label = `${nameOf(before)}, ${dayIn(before.timestamp, clinicTimeZone())}`
    return deleteRecord(ctx, 'appointments', id, label)
  },
})

const findAppointment = (ctx: Context, id: string) =>
  appointmentsSeen(ctx)
    .select(['patient_id', 'clinic_id', 'provider_id', 'status', 'departments'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/**
 * The chosen departments: active ones of this clinic, or those that the appointment already has. An
 * appointment that moves to another clinic loses its departments. Entries of phones for unknown
 * departments stay, at the end. The rows are locked against deletion until the appointment names
 * them.
 */
async function stepsOf(
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
