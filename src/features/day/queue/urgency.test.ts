import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import { getAppointment } from '~/features/day/appointments/appointments.server'
import { saveAppointment } from '~/features/day/appointments/booking.server'
import { setAppointmentStatus } from '~/features/day/appointments/status.server'
import { summaryDay } from '~/features/reports/dashboard/summary.server'
import { installStarter } from '~/features/forms/event-forms/starters.server'
import { listAudit } from '~/features/office/audit/audit.server'
import { mergePatients, unmergePatients } from '~/features/people/patients/duplicates/merge.server'
import type { Context } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { makeFactories, stepsOf } from '../../../../test/factories'
import { aRequest, test } from '../../../../test/harness'
import { queueBoard } from './board.server'
import { listQueue } from './queue.server'
import { callNext, checkIn, setUrgency } from './turns.server'

const desk: Permission[] = ['can_register_patients']

/** A clinic of two departments, with some people checked in who go through both. */
async function waitingRoom(db: Kysely<DB>, people: number) {
  const make = makeFactories(db)
  const clinic = await make.clinic()
  const triage = await make.department({ clinic_id: clinic.id, name: 'Triage' })
  const doctor = await make.department({ clinic_id: clinic.id, name: 'Doctor' })
  const user = await make.user({ name: 'Dr. Rana' })
  const actor = {
    userId: user.id,
    name: user.name,
    role: 'registrar',
    language: 'en',
    clinicId: null,
  } as const
  const me: Context = {
    db,
    request: aRequest(),
    actor: { ...actor, grants: { [clinic.id]: desk } },
  }
  const ids: string[] = []
  for (let number = 1; number <= people; number += 1) {
    const { id } = await make.appointment({
      clinic_id: clinic.id,
      departments: stepsOf(triage, doctor),
    })
    await setAppointmentStatus(me, { id, status: 'checked_in' })
    ids.push(id)
  }
  return { make, clinic, triage, doctor, me, ids, clinicId: clinic.id }
}

describe('urgency', () => {
  const order = async (ctx: Context, clinicId: string) => {
    const called: string[] = []
    for (;;) {
      const next = await callNext(ctx, { clinicId })
      if (!next.ok) return called
      called.push(next.appointmentId)
    }
  }
  const urgencies = async (ctx: Context, clinicId: string) =>
    Object.fromEntries(
      (await listQueue(ctx, { clinicId })).people.map(({ token, urgency }) => [token, urgency]),
    )

  test('the most urgent patient is called first, then who has waited longest; users see age and urgency', async ({
    db,
    as,
  }) => {
    const { me, make, clinicId, ids } = await waitingRoom(db, 3)
    const patient = await make.patient({
      primary_clinic_id: clinicId,
      date_of_birth: '2020-01-01',
      metadata: JSON.stringify({ date_of_birth_precision: 'year', note: 'private' }),
    })
    const urgent = { id: uuidv7(), patientId: patient.id, clinicId, urgency: 'priority' } as const
    expect(await checkIn(me, urgent)).toEqual({ appointmentId: urgent.id, token: 4 })
    await setUrgency(me, { appointmentId: ids[2]!, urgency: 'emergency' })

    const { people } = await listQueue(me, { clinicId })
    expect(people.map(({ token, urgency }) => [token, urgency])).toEqual([
      [1, 'routine'],
      [2, 'routine'],
      [3, 'emergency'],
      [4, 'priority'],
    ])
    expect(people[3]!.born).toEqual({
      date_of_birth: '2020-01-01',
      metadata: { date_of_birth_precision: 'year' },
    })
    const { waiting } = await summaryDay(me, {})
    expect(waiting.map(({ token, urgency }) => [token, urgency])).toEqual([
      [3, 'emergency'],
      [4, 'priority'],
      [1, 'routine'],
      [2, 'routine'],
    ])
    expect(await order(me, clinicId)).toEqual([ids[2], urgent.id, ids[0], ids[1]])
    expect((await queueBoard(me, { clinicId })).called.map(({ urgency }) => urgency)).toEqual([
      'routine',
      'routine',
      'priority',
      'emergency',
    ])
    const { rows } = await listAudit(as('admin'), { recordId: ids[2] })
    expect(rows.find(({ action }) => action === 'queue.setUrgency')).toMatchObject({
      changes: { urgency: ['routine', 'emergency'] },
    })
  })

  test('each door of a check-in takes it and never lowers it; only the row of the queue does', async ({
    db,
  }) => {
    const { me, make, clinicId } = await waitingRoom(db, 0)
    const booked = await make.appointment({ clinic_id: clinicId, timestamp: new Date() })
    await setAppointmentStatus(me, { id: booked.id, status: 'checked_in', urgency: 'priority' })
    const walkIn = await make.patient({ primary_clinic_id: clinicId })
    await saveAppointment(me, {
      id: uuidv7(),
      patient_id: walkIn.id,
      clinic_id: clinicId,
      timestamp: new Date(),
      reason: 'doctor-visit',
      is_walk_in: true,
      urgency: 'emergency',
    })
    const later = await make.appointment({ clinic_id: clinicId, timestamp: new Date() })
    await checkIn(me, { id: uuidv7(), patientId: later.patient_id, clinicId, urgency: 'emergency' })
    const desk = await make.patient({ primary_clinic_id: clinicId })
    const arrival = { id: uuidv7(), patientId: desk.id, clinicId }
    await checkIn(me, arrival)
    expect(await urgencies(me, clinicId)).toEqual({
      1: 'priority',
      2: 'emergency',
      3: 'emergency',
      4: 'routine',
    })
    // the same request again, higher and lower
    await checkIn(me, { ...arrival, urgency: 'priority' })
    await checkIn(me, { ...arrival, urgency: 'routine' })
    // taken back and made again on the same day
    await setAppointmentStatus(me, { id: booked.id, status: 'pending', isMeant: true })
    await setAppointmentStatus(me, { id: booked.id, status: 'checked_in', urgency: 'routine' })
    expect(await urgencies(me, clinicId)).toMatchObject({ 1: 'priority', 4: 'priority' })
    await setUrgency(me, { appointmentId: booked.id, urgency: 'routine' })
    expect(await urgencies(me, clinicId)).toMatchObject({ 1: 'routine' })
    // what a check-in of an earlier day said is not said of this one
    await setUrgency(me, { appointmentId: booked.id, urgency: 'emergency' })
    await setAppointmentStatus(me, { id: booked.id, status: 'pending', isMeant: true })
    await sql`update queue_tokens set day = day - 1, number = 900 where appointment_id = ${booked.id}`.execute(
      db,
    )
    await setAppointmentStatus(me, { id: booked.id, status: 'checked_in' })
    expect(
      (await listQueue(me, { clinicId })).people.find(({ id }) => id === booked.id),
    ).toMatchObject({ urgency: 'routine' })
  })

  test('is refused of a patient who is not here, to other clinics, and for words that it does not know', async ({
    db,
    as,
  }) => {
    const { me, make, clinicId, ids } = await waitingRoom(db, 1)
    const pending = await make.appointment({ clinic_id: clinicId })
    await expect(
      setUrgency(me, { appointmentId: pending.id, urgency: 'emergency' }),
    ).rejects.toMatchObject({ code: 'conflict' })
    await expect(
      setUrgency(me, { appointmentId: ids[0]!, urgency: 'orange' as never }),
    ).rejects.toMatchObject({ code: 'invalid' })
    const other = await make.clinic()
    await expect(
      setUrgency(as('registrar', { [other.id]: desk }), {
        appointmentId: ids[0]!,
        urgency: 'emergency',
      }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a triage form raises it, before or after the arrival, also by a phone; unknown words do not', async ({
    db,
    as,
  }) => {
    const { me, make, clinicId } = await waitingRoom(db, 0)
    const formId = uuidv7()
    await installStarter(as('super_admin'), { key: 'triage', id: formId, clinic_ids: [clinicId] })
    const { field_id: field } = await db
      .selectFrom('report_bindings')
      .select('field_id')
      .where('form_id', '=', formId)
      .where('concept', '=', 'triage.emergency')
      .executeTakeFirstOrThrow()
    const arrive = async () => {
      const { id, patient_id } = await make.appointment({
        clinic_id: clinicId,
        timestamp: new Date(),
      })
      await setAppointmentStatus(me, { id, status: 'checked_in' })
      const { current_visit_id } = await getAppointment(me, { id })
      return { id, patient_id, visit_id: current_visit_id }
    }
    const urgencyOf = async (id: string) =>
      (await listQueue(me, { clinicId })).people.find((person) => person.id === id)?.urgency
    // rows as a phone and an import write them
    const answers = (category: string) => ({ [field!]: category })
    const after = await arrive()
    const visit = { patient_id: after.patient_id, visit_id: after.visit_id }
    const green = await make.event({ ...visit, form_id: formId, answers: answers('green') })
    await make.event({ ...visit, form_id: formId, answers: answers('scarlet') })
    expect(await urgencyOf(after.id)).toBe('routine')
    const change = (category: string) =>
      sql`update events set form_data = jsonb_set(form_data, '{0,value}', ${JSON.stringify(category)}::jsonb)
        where id = ${green.id}`.execute(db)
    await change('yellow')
    expect(await urgencyOf(after.id)).toBe('priority')
    await change('red')
    expect(await urgencyOf(after.id)).toBe('emergency')
    await change('green')
    expect(await urgencyOf(after.id)).toBe('emergency')
    // a user decides otherwise, and a save that changes no answer leaves it
    await setUrgency(me, { appointmentId: after.id, urgency: 'routine' })
    await change('green')
    expect(await urgencyOf(after.id)).toBe('routine')

    const before = await make.visit({ clinic_id: clinicId, check_in_timestamp: new Date() })
    await make.event({
      patient_id: before.patient_id,
      visit_id: before.id,
      form_id: formId,
      answers: answers('red'),
    })
    const booked = await make.appointment({
      clinic_id: clinicId,
      patient_id: before.patient_id,
      timestamp: new Date(),
    })
    await setAppointmentStatus(me, { id: booked.id, status: 'checked_in' })
    expect(await urgencyOf(booked.id)).toBe('emergency')
  })

  test('of two records that are merged the higher stays, and undoing the merge gives each its own', async ({
    db,
    as,
  }) => {
    const { me, make, clinicId } = await waitingRoom(db, 0)
    const [winner, loser] = [
      await make.patient({ primary_clinic_id: clinicId }),
      await make.patient({ primary_clinic_id: clinicId }),
    ]
    await checkIn(me, { id: uuidv7(), patientId: winner.id, clinicId })
    await checkIn(me, { id: uuidv7(), patientId: loser.id, clinicId, urgency: 'emergency' })
    const admin = as('super_admin')
    const id = uuidv7()
    await mergePatients(admin, { id, winnerId: winner.id, loserId: loser.id })
    expect(await urgencies(me, clinicId)).toEqual({ 1: 'emergency', 2: 'emergency' })
    await unmergePatients(admin, { mergeId: id })
    expect(await urgencies(me, clinicId)).toEqual({ 1: 'routine', 2: 'emergency' })
  })
})
