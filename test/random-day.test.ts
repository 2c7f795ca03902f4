import { sql } from 'kysely'
import { expect, test as base } from 'vitest'
import { closeVisit, getVisit, saveVisit } from '~/features/record/visits/visits.server'
import { deleteAppointment } from '~/features/day/appointments/booking.server'
import { setAppointmentStatus } from '~/features/day/appointments/status.server'
import { finishStep, leaveQueue } from '~/features/day/queue/turns.server'
import type { AppointmentStatus, Transition } from '~/features/rules/transitions/transitions'
import { TRANSITIONS } from '~/features/rules/transitions/transitions'
import { appointment as fhirAppointment } from '~/fhir/resources/appointment'
import type { Context } from '~/server/operation'
import { asEdit, rowFrom } from '~/sync/http/online-row'
import { deleteDecided, saveDecided } from '~/sync/push/settle.server'
import { aRequest, database } from './harness'
import { makeFactories } from './factories'
import { type Model, play, possible, randomOf } from './random-day'

/** The days of the tests; `npm run prove -- days` plays more, and other seeds. */
const DAYS = Number(process.env['SANAD_DAYS'] ?? 6)
const FIRST_SEED = Number(process.env['SANAD_DAY_SEED'] ?? 1)
const STEPS = 14

type Door = 'screen' | 'phone' | 'fhir'
const becomes: Partial<Record<Transition, AppointmentStatus>> = {
  confirm: 'confirmed',
  unconfirm: 'pending',
  arrive: 'checked_in',
  takeBack: 'pending',
  finish: 'completed',
  resume: 'checked_in',
  cancel: 'cancelled',
  rebook: 'pending',
}

const test = base.extend('days', { scope: 'file' }, async ({}, { onCleanup }) => {
  const db = await (await database()).startTransaction().execute()
  onCleanup(async () => {
    await db.rollback().execute()
  })
  const make = makeFactories(db)
  const user = await make.user({ role: 'admin' })
  const me: Context = {
    db,
    request: aRequest(),
    actor: {
      userId: user.id,
      name: user.name,
      role: 'admin',
      language: 'en',
      clinicId: null,
      grants: {},
    },
  }
  return { make, me }
})

const seeds = Array.from({ length: DAYS }, (_, at) => FIRST_SEED + at)

test.for(seeds)(
  'day %i ends as the table says, whichever doors it went by',
  async (seed, { days }) => {
    const { make, me } = days
    const random = randomOf(seed)
    const clinic = await make.clinic()
    const patient = await make.patient({ primary_clinic_id: clinic.id })
    const at = { patient_id: patient.id, clinic_id: clinic.id }
    const ids: string[] = []
    const model: Model = { visits: [], appointments: [] }
    for (let count = 2 + random(2); count > 0; count -= 1) {
      ids.push((await make.appointment(at)).id)
      model.appointments.push({ status: 'pending', isDeleted: false, visit: null, fulfilled: null })
    }
    const said: string[] = []
    for (let step = 0; step < STEPS; step += 1) {
      const index = random(ids.length)
      const choices = possible(model.appointments[index]!)
      if (choices.length === 0) continue
      const transition = choices[random(choices.length)]!
      const doors: Door[] = doorsOf(transition)
      const door = doors[random(doors.length)]!
      const visits = await idsOfVisits(me, at.patient_id)
      if (random(4) === 0 && (await addRecord(model, visits))) said.push('a record')
      said.push(`${index} ${transition} by ${door}`)
      await go(me, transition, door, ids[index]!)
      play(model, index, transition)
      expect(await stateOf(me, ids, at.patient_id), `seed ${seed}: ${said.join(', ')}`).toEqual(
        shown(model),
      )
    }

    /** Something is recorded in an open visit. */
    async function addRecord({ visits: known }: Model, stored: string[]) {
      const open = known.findLastIndex(({ state }) => state === 'open')
      if (open < 0) return false
      await make.vital({ patient_id: at.patient_id, visit_id: stored[open]! })
      known[open]!.hasRecords = true
      return true
    }
  },
)

const doorsOf = (transition: Transition): Door[] => {
  if (transition === 'leave' || transition === 'remove') return ['screen', 'phone']
  if (transition === 'closeVisit') return ['screen', 'fhir']
  return ['screen', 'phone', 'fhir']
}

const idsOfVisits = async ({ db }: Context, patientId: string) => {
  const rows = await db
    .selectFrom('visits')
    .select('id')
    .where('patient_id', '=', patientId)
    .orderBy('server_created_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The stored day in the words of the model. */
async function stateOf({ db }: Context, ids: string[], patientId: string) {
  const visits = await db
    .selectFrom('visits')
    .select(['id', 'closed_at', 'is_deleted'])
    .where('patient_id', '=', patientId)
    .orderBy('server_created_at')
    .orderBy('id')
    .execute()
  const rows = await db
    .selectFrom('appointments')
    .leftJoin('appointment_departments as step', 'step.appointment_id', 'appointments.id')
    .select(['appointments.id', 'appointments.status', 'is_deleted', 'step.status as step'])
    .select(['current_visit_id', 'fulfilled_visit_id'])
    .where(sql<boolean>`appointments.id = any(${ids}::uuid[])`)
    .execute()
  const numberOf = (id: string | null) => {
    const at = visits.findIndex((visit) => visit.id === id)
    return at < 0 ? null : at
  }
  return {
    visits: visits.map(({ closed_at, is_deleted }) =>
      is_deleted ? 'trash' : closed_at ? 'closed' : 'open',
    ),
    appointments: ids.map((id) => {
      const row = rows.find((each) => each.id === id)!
      if (row.is_deleted) return 'deleted'
      return {
        status: row.status === 'confirmed' ? 'pending' : row.status,
        isInQueue: row.step === 'checked_in' || row.step === 'in_progress',
        visit: row.status === 'checked_in' ? numberOf(row.current_visit_id) : null,
        fulfilled: numberOf(row.fulfilled_visit_id),
      }
    }),
  }
}

const shown = ({ visits, appointments }: Model) => ({
  visits: visits.map(({ state }) => state),
  appointments: appointments.map(({ status, isDeleted, visit, fulfilled }) =>
    isDeleted
      ? 'deleted'
      : {
          status: status === 'confirmed' ? 'pending' : status,
          isInQueue: status === 'checked_in',
          visit: status === 'checked_in' ? visit : null,
          fulfilled,
        },
  ),
})

async function go(me: Context, transition: Transition, door: Door, id: string) {
  const row = await me.db
    .selectFrom('appointments')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (transition === 'closeVisit') return close(me, door, row.current_visit_id!)
  if (door === 'screen') {
    if (transition === 'remove') return deleteAppointment(me, { id })
    if (transition === 'leave') return leaveQueue(me, { appointmentId: id })
    if (transition === 'finish') return finishStep(me, { appointmentId: id, position: 0 })
    return setAppointmentStatus(me, { id, status: becomes[transition]!, isMeant: true })
  }
  const status = transition === 'leave' ? 'cancelled' : becomes[transition]!
  if (door === 'fhir') {
    const { patient_id, clinic_id, provider_id, timestamp } = row
    const input = {
      patient_id,
      clinic_id,
      provider_id,
      timestamp,
      duration: 60,
      reason: 'checkup' as const,
      notes: null,
      is_walk_in: false,
      department_ids: [],
      status,
    }
    return fhirAppointment.writes!.update!(
      me,
      input as never,
      {
        ...row,
        fhir_id: id,
        fhir_modified: row.last_modified,
      } as never,
    )
  }
  const wire = {
    id,
    patient_id: row.patient_id,
    clinic_id: row.clinic_id,
    provider_id: row.provider_id,
    user_id: row.user_id ?? me.actor.userId,
    current_visit_id: row.current_visit_id ?? '',
    fulfilled_visit_id: row.fulfilled_visit_id,
    timestamp: row.timestamp.getTime(),
    duration: 60,
    reason: row.reason,
    notes: row.notes,
    is_walk_in: row.is_walk_in,
    departments: JSON.stringify(row.departments),
    metadata: '{}',
    status: status ?? row.status,
    is_deleted: false,
    created_at: row.created_at.getTime(),
    updated_at: Date.now(),
    deleted_at: null,
  }
  // as a push applies it, with nothing changed since the phone's last pull
  if (transition === 'remove') return deleteDecided(me, 'appointments', id)
  return saveDecided(me, asEdit(rowFrom('appointments', wire)))
}

async function close(me: Context, door: Door, id: string) {
  if (door === 'screen') return closeVisit(me, { id })
  const { last_modified, patient_id, clinic_id, check_in_timestamp } = await getVisit(me, { id })
  return saveVisit(me, {
    id,
    patient_id,
    clinic_id,
    check_in_timestamp,
    last_modified,
    closed_at: new Date(Math.max(Date.now(), check_in_timestamp.getTime())),
  })
}

test('the days play every transition of an appointment', () => {
  const played = new Set(
    (['pending', 'confirmed', 'checked_in', 'completed', 'cancelled'] as const).flatMap((status) =>
      possible({ status, isDeleted: false, visit: null, fulfilled: null }),
    ),
  )
  const ofAppointments = Object.keys(TRANSITIONS).filter(
    (name) => name in becomes || ['leave', 'remove', 'closeVisit'].includes(name),
  )
  expect([...played].toSorted()).toEqual(ofAppointments.toSorted())
})
