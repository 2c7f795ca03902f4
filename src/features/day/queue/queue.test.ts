import { type Kysely, sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { DB } from '~/db/types'
import type { Context } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { makeFactories, stepsOf } from '../../../../test/factories'
import { aRequest, cloneTemplate, test } from '../../../../test/harness'
import { listAudit } from '~/features/office/audit/audit.server'
import { getAppointment } from '~/features/day/appointments/appointments.server'
import { setAppointmentStatus } from '~/features/day/appointments/status.server'
import { getBoardLink, makeBoardLink, queueBoard, revokeBoardLink, showBoard } from './board.server'
import { EXPECTED_SHOWN, listQueue, median, STEPS_SHOWN } from './queue.server'
import {
  callPatient,
  callNext,
  checkIn,
  finishStep,
  passOverPatient,
  sendToDepartment,
  startStep,
} from './turns.server'

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

describe('the queue', () => {
  test('gives numbers in the order of coming, and shows where each person stands', async ({
    db,
  }) => {
    const { me, clinicId, ids, triage, doctor, make } = await waitingRoom(db, 2)
    await make.appointment({ clinic_id: clinicId, timestamp: new Date() })
    const { people, expected, medianWaitMinutes } = await listQueue(me, { clinicId })
    expect(people.map(({ id, token }) => [id, token])).toEqual([
      [ids[0], 1],
      [ids[1], 2],
    ])
    expect(people[0]!.steps).toMatchObject([
      { department: 'Triage', status: 'checked_in', waitingSince: expect.any(Date) },
      { department: 'Doctor', status: 'pending', waitingSince: null },
    ])
    expect(expected).toHaveLength(1)
    expect(medianWaitMinutes).toBeNull()
    expect((await listQueue(me, { clinicId, departmentId: triage.id })).people).toHaveLength(2)
    expect((await listQueue(me, { clinicId, departmentId: null })).people).toEqual([])
    expect((await listQueue(me, { clinicId, departmentId: doctor.id })).people).toHaveLength(2)
  })

  test('of a crowd that is expected it shows the first, and says how many there are', async ({
    db,
  }) => {
    const { me, make, clinicId } = await waitingRoom(db, 0)
    const first = await make.appointment({ clinic_id: clinicId, timestamp: new Date() })
    await sql`insert into appointments (id, patient_id, clinic_id, user_id, timestamp, duration, reason, status)
      select gen_random_uuid(), patient_id, clinic_id, user_id, timestamp, duration, reason, 'confirmed'
      from appointments, generate_series(1, ${EXPECTED_SHOWN}::integer) where id = ${first.id}`.execute(
      db,
    )
    const { expected, expectedCount } = await listQueue(me, { clinicId })
    expect(expected).toHaveLength(EXPECTED_SHOWN)
    expect(expectedCount).toBe(EXPECTED_SHOWN + 1)
    expect(await listQueue(me, { clinicId, departmentId: null })).toMatchObject({
      expectedCount: EXPECTED_SHOWN + 1,
    })
  })

  test('of a day of more places than it shows it leaves out who is done, and says so', async ({
    db,
  }) => {
    const { me, make, clinicId, ids } = await waitingRoom(db, 2)
    const row = `id, patient_id, clinic_id, user_id, timestamp, duration, reason`
    await sql`with done as (insert into appointments (${sql.raw(row)}, status, departments)
        select gen_random_uuid(), patient_id, clinic_id, user_id, timestamp, duration, reason, 'completed',
          departments
        from appointments, generate_series(1, ${STEPS_SHOWN / 2}::integer) where id = ${ids[0]} returning id),
      counted as (update queue_days set last = last + ${STEPS_SHOWN / 2}::integer),
      numbered as (select id, row_number() over () + 2 as number from done)
      insert into queue_tokens (appointment_id, clinic_id, day, number)
        select id, clinic_id, day, numbered.number from queue_tokens, numbered
        where appointment_id = ${ids[0]}`.execute(db)
    const { id: last } = await make.appointment({ clinic_id: clinicId })
    await setAppointmentStatus(me, { id: last, status: 'checked_in' })
    const { people, isCut } = await listQueue(me, { clinicId })
    expect(isCut).toBe(true)
    expect(people.length).toBeLessThan(STEPS_SHOWN / 2 + 3)
    const waiting = people.filter(({ status }) => status === 'checked_in').map(({ id }) => id)
    expect(waiting).toEqual([...ids, last])
    for (const { steps } of people.slice(0, -1)) expect(steps).toHaveLength(2)
  })

  test('takes a person from call to completion by way of every department; the phones read the same', async ({
    db,
  }) => {
    const { me, clinicId, ids, triage, doctor } = await waitingRoom(db, 1)
    const id = ids[0]!
    const steps = async () =>
      (await getAppointment(me, { id })).departments.map(({ status }) => status)
    expect(await callNext(me, { clinicId, departmentId: doctor.id })).toEqual({
      ok: false,
      reason: 'nobody_waits',
    })
    expect(await callNext(me, { clinicId, departmentId: triage.id })).toMatchObject({
      ok: true,
      token: 1,
      position: 1,
    })
    await startStep(me, { appointmentId: id, position: 1 })
    expect(await steps()).toEqual(['in_progress', 'pending'])
    const [seen] = (await getAppointment(me, { id })).departments
    expect(seen).toMatchObject({ seen_by: me.actor.userId, seen_at: expect.any(Number) })
    expect(await finishStep(me, { appointmentId: id, position: 1 })).toEqual({
      appointmentId: id,
      isCompleted: false,
    })
    expect(await steps()).toEqual(['completed', 'checked_in'])
    await callNext(me, { clinicId })
    await startStep(me, { appointmentId: id, position: 2 })
    expect(await finishStep(me, { appointmentId: id, position: 2 })).toEqual({
      appointmentId: id,
      isCompleted: true,
    })
    expect(await getAppointment(me, { id })).toMatchObject({ status: 'completed' })
    expect((await listQueue(me, { clinicId })).medianWaitMinutes).toEqual(expect.any(Number))
  })

  test('passes over a patient who does not come: their turn comes after those who wait', async ({
    db,
  }) => {
    const { me, clinicId, ids } = await waitingRoom(db, 2)
    const next = async () => {
      const outcome = await callNext(me, { clinicId })
      return outcome.ok ? outcome.appointmentId : null
    }
    expect(await next()).toBe(ids[0])
    await passOverPatient(me, { appointmentId: ids[0]!, position: 1 })
    expect(await next()).toBe(ids[1])
    expect(await next()).toBe(ids[0])
    expect(await next()).toBeNull()
  })

  test('records in the audit trail who called which patient, where to and when, and who did not come', async ({
    db,
    as,
  }) => {
    const { me, clinicId, ids, triage } = await waitingRoom(db, 1)
    const step = { appointmentId: ids[0]!, position: 1 }
    await callNext(me, { clinicId })
    await passOverPatient(me, step)
    await callPatient(me, step)
    const { rows, names } = await listAudit(as('admin'), { recordId: ids[0] })
    const calls = rows.filter(({ action }) => action.startsWith('queue.'))
    expect(calls.map(({ action, user }) => [action, user])).toEqual([
      ['queue.call', 'Dr. Rana'],
      ['queue.passOver', 'Dr. Rana'],
      ['queue.callNext', 'Dr. Rana'],
    ])
    const at = expect.any(String)
    expect(calls[1]!.changes).toMatchObject({
      called_by: [me.actor.userId, null],
      passed_over_at: [null, at],
    })
    expect(calls[2]!.changes).toMatchObject({
      called_by: [null, me.actor.userId],
      called_at: [null, at],
    })
    expect(calls[2]!.changes['department_id']?.[1]).toBe(triage.id)
    expect(names).toMatchObject({ [triage.id]: 'Triage', [me.actor.userId]: 'Dr. Rana' })
    const { patient_id } = await getAppointment(me, { id: ids[0]! })
    expect(
      (await listAudit(as('admin'), { patientId: patient_id, clinicId })).rows[0],
    ).toMatchObject({
      action: 'queue.call',
    })
  })

  test('records in the audit trail who received a patient whose appointment names no department', async ({
    db,
    as,
  }) => {
    const { me, make, clinicId } = await waitingRoom(db, 0)
    const { id } = await make.appointment({ clinic_id: clinicId })
    await setAppointmentStatus(me, { id, status: 'checked_in' })
    await startStep(me, { appointmentId: id, position: 0 })
    const { rows } = await listAudit(as('admin'), { recordId: id })
    expect(rows[0]).toMatchObject({ action: 'queue.start', user: 'Dr. Rana' })
    expect(rows[0]!.changes).toMatchObject({
      status: ['checked_in', 'in_progress'],
      seen_by: [null, me.actor.userId],
    })
  })

  test('sends a patient to another department at once; the department they waited for comes after it', async ({
    db,
  }) => {
    const { me, clinicId, ids, doctor, make } = await waitingRoom(db, 1)
    const id = ids[0]!
    const lab = await make.department({ clinic_id: clinicId, name: 'Laboratory' })
    const steps = async () =>
      (await getAppointment(me, { id })).departments.map(({ name, status }) => `${name} ${status}`)
    await startStep(me, { appointmentId: id, position: 1 })
    await sendToDepartment(me, { appointmentId: id, departmentId: lab.id })
    expect(await steps()).toEqual(['Triage completed', 'Laboratory checked_in', 'Doctor pending'])
    await sendToDepartment(me, { appointmentId: id, departmentId: doctor.id })
    expect(await steps()).toEqual(['Triage completed', 'Laboratory pending', 'Doctor checked_in'])
    await expect(
      sendToDepartment(me, { appointmentId: id, departmentId: (await make.department()).id }),
    ).rejects.toMatchObject({
      code: 'invalid',
    })
  })

  test('serves an appointment without departments as well', async ({ db }) => {
    const { me, make, clinicId } = await waitingRoom(db, 0)
    const { id } = await make.appointment({ clinic_id: clinicId })
    await setAppointmentStatus(me, { id, status: 'checked_in' })
    expect(await callNext(me, { clinicId, departmentId: null })).toMatchObject({
      ok: true,
      appointmentId: id,
      position: 0,
    })
    await startStep(me, { appointmentId: id, position: 0 })
    expect((await listQueue(me, { clinicId })).people[0]!.steps).toMatchObject([
      { department: null, status: 'in_progress', seenBy: 'Dr. Rana' },
    ])
    expect(await finishStep(me, { appointmentId: id, position: 0 })).toMatchObject({
      isCompleted: true,
    })
  })

  test('names on the visit the provider who pressed Start; a registrar or a laboratory replaces no provider', async ({
    db,
  }) => {
    const { me, make, clinicId, triage, doctor } = await waitingRoom(db, 0)
    const lab = await make.department({
      clinic_id: clinicId,
      name: 'Laboratory',
      can_perform_labs: true,
    })
    const booked = await make.user({ name: 'Dr. Booked' })
    const { id } = await make.appointment({
      clinic_id: clinicId,
      provider_id: booked.id,
      departments: stepsOf(triage, doctor, lab),
    })
    await setAppointmentStatus(me, { id, status: 'checked_in' })
    const visit = async () => {
      const { current_visit_id } = await getAppointment(me, { id })
      const columns = ['provider_id', 'provider_name'] as const
      return db
        .selectFrom('visits')
        .select(columns)
        .where('id', '=', current_visit_id)
        .executeTakeFirstOrThrow()
    }
    const turn = async (who: Context, position: number) => {
      await startStep(who, { appointmentId: id, position })
      await finishStep(me, { appointmentId: id, position })
    }
    const provider = async (name: string): Promise<Context> => {
      const grants = { [clinicId]: [...desk, 'can_edit_records'] as Permission[] }
      const { id: userId } = await make.user({ name })
      return { ...me, actor: { ...me.actor, userId, name, role: 'provider', grants } }
    }
    expect(await visit()).toEqual({ provider_id: booked.id, provider_name: 'Dr. Booked' })
    await turn(me, 1)
    expect(await visit()).toEqual({ provider_id: booked.id, provider_name: 'Dr. Booked' })
    const lucia = await provider('Lucía Reyes')
    await turn(lucia, 2)
    const named = { provider_id: lucia.actor.userId, provider_name: 'Lucía Reyes' }
    expect(await visit()).toEqual(named)
    await startStep(await provider('Technician'), { appointmentId: id, position: 3 })
    expect(await visit()).toEqual(named)

    const walkIn = await make.appointment({
      clinic_id: clinicId,
      is_walk_in: true,
      departments: stepsOf(lab),
    })
    await setAppointmentStatus(me, { id: walkIn.id, status: 'checked_in' })
    await startStep(lucia, { appointmentId: walkIn.id, position: 1 })
    const { current_visit_id } = await getAppointment(me, { id: walkIn.id })
    expect(
      await db
        .selectFrom('visits')
        .select('provider_name')
        .where('id', '=', current_visit_id)
        .executeTakeFirst(),
    ).toEqual({ provider_name: 'Lucía Reyes' })
  })

  test('refuses a step that another user has done in the meantime, and says who', async ({
    db,
  }) => {
    const { me, ids } = await waitingRoom(db, 1)
    const first = { appointmentId: ids[0]!, position: 1 }
    await startStep(me, first)
    await expect(startStep(me, first)).rejects.toMatchObject({
      text: { key: 'queue.alreadySeen', values: { who: 'Dr. Rana' } },
    })
    await expect(callPatient(me, first)).rejects.toMatchObject({ code: 'conflict' })
    await finishStep(me, first)
    await expect(finishStep(me, first)).rejects.toMatchObject({ text: { key: 'queue.movedOn' } })
    await setAppointmentStatus(me, { id: ids[0]!, status: 'completed' })
    await expect(startStep(me, { ...first, position: 2 })).rejects.toMatchObject({
      text: { key: 'queue.notHere' },
    })
    await expect(startStep(me, { ...first, position: 9 })).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('is of those who work in the clinic: elsewhere nothing is called, and nothing is there', async ({
    db,
    as,
    make,
  }) => {
    const { clinicId, ids } = await waitingRoom(db, 1)
    const stranger = as('registrar', { [(await make.clinic()).id]: desk })
    for (const refused of [listQueue, callNext, queueBoard]) {
      await expect(refused(stranger, { clinicId })).rejects.toMatchObject({ code: 'forbidden' })
    }
    const step = { appointmentId: ids[0]!, position: 1 }
    for (const turn of [callPatient, passOverPatient, startStep, finishStep]) {
      await expect(turn(stranger, step)).rejects.toMatchObject({ code: 'not_found' })
    }
  })

  test('begins each day with number 1; what a phone tells a day later belongs to that day', async ({
    db,
  }) => {
    const { make, clinicId, me } = await waitingRoom(db, 1)
    const yesterday = new Date(Date.now() - 24 * 3_600_000)
    const late = await make.appointment({
      clinic_id: clinicId,
      status: 'checked_in',
      updated_at: yesterday,
    })
    const { number } = await db
      .selectFrom('queue_tokens')
      .select('number')
      .where('appointment_id', '=', late.id)
      .executeTakeFirstOrThrow()
    expect(number).toBe(1)
    expect((await listQueue(me, { clinicId })).people).toHaveLength(1)
  })

  test('a phone that only reports an arrival places the patient in the first department', async ({
    db,
  }) => {
    const { make, clinicId, me, triage } = await waitingRoom(db, 0)
    await make.appointment({
      clinic_id: clinicId,
      status: 'checked_in',
      departments: stepsOf(triage),
    })
    expect(await callNext(me, { clinicId, departmentId: triage.id })).toMatchObject({
      ok: true,
      token: 1,
    })
  })
})

describe('checking in at the desk', () => {
  test('puts a patient into the department as a walk-in; twice is once, and a second time is refused', async ({
    db,
  }) => {
    const { me, make, clinicId, doctor } = await waitingRoom(db, 1)
    const patient = await make.patient({ primary_clinic_id: clinicId })
    const asked = { id: uuidv7(), patientId: patient.id, clinicId, departmentId: doctor.id }
    expect(await checkIn(me, asked)).toEqual({ appointmentId: asked.id, token: 2 })
    expect(await checkIn(me, asked)).toEqual({ appointmentId: asked.id, token: 2 })
    expect(await getAppointment(me, { id: asked.id })).toMatchObject({
      is_walk_in: true,
      status: 'checked_in',
    })
    expect(
      (await listQueue(me, { clinicId, departmentId: doctor.id })).people.map(({ token }) => token),
    ).toContain(2)
    await expect(checkIn(me, { ...asked, id: uuidv7() })).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'queue.alreadyHere', values: { token: 2 } },
    })
  })

  test('takes the appointment that is booked for today, and no other', async ({ db }) => {
    const { me, make, clinicId, triage, doctor } = await waitingRoom(db, 0)
    const patient = await make.patient({ primary_clinic_id: clinicId })
    const of = (timestamp: Date) =>
      make.appointment({
        clinic_id: clinicId,
        patient_id: patient.id,
        timestamp,
        departments: stepsOf(triage),
      })
    await of(new Date(Date.now() - 24 * 3_600_000))
    const today = await of(new Date())
    const asked = { id: uuidv7(), patientId: patient.id, clinicId, departmentId: doctor.id }
    expect(await checkIn(me, asked)).toEqual({ appointmentId: today.id, token: 1 })
    expect((await getAppointment(me, { id: today.id })).departments).toMatchObject([
      { name: 'Doctor', status: 'checked_in' },
      { name: 'Triage', status: 'pending' },
    ])
  })

  test('is of those who run the desk of the clinic, for people they know', async ({
    db,
    as,
    make,
  }) => {
    const { me, clinicId } = await waitingRoom(db, 0)
    const patient = await make.patient({ primary_clinic_id: (await make.clinic()).id })
    const asked = { id: uuidv7(), patientId: patient.id, clinicId }
    await expect(checkIn(me, asked)).rejects.toMatchObject({ code: 'not_found' })
    await expect(checkIn(as('registrar'), asked)).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test('the screen of the waiting room shows numbers and departments, and nothing of who they are', async ({
  db,
}) => {
  const { me, clinicId, ids } = await waitingRoom(db, 3)
  await callNext(me, { clinicId })
  await startStep(me, { appointmentId: ids[1]!, position: 1 })
  const board = await queueBoard(me, { clinicId })
  expect(board.called.map(({ token, department, status }) => [token, department, status])).toEqual(
    expect.arrayContaining([
      [1, 'Triage', 'checked_in'],
      [2, 'Triage', 'in_progress'],
    ]),
  )
  expect(board.waiting).toBe(1)
  expect(JSON.stringify(board)).not.toMatch(/Layla|Mansour/)
})

describe('the link of a waiting-room screen', () => {
  test('shows numbers without a session, until it is replaced or revoked', async ({
    db,
    as,
    asUser,
    make,
  }) => {
    const { me, clinicId } = await waitingRoom(db, 2)
    await callNext(me, { clinicId })
    const admin = asUser(await make.user(), { [clinicId]: ['is_clinic_admin'] })
    const stranger = { db, request: aRequest(), actor: null }
    const shown = (token: string) => showBoard(stranger, { token })
    expect(await getBoardLink(admin, { clinicId })).toBeNull()
    const { token } = await makeBoardLink(admin, { clinicId })
    const board = await shown(token)
    expect(board).toEqual(await queueBoard(me, { clinicId }))
    expect(JSON.stringify(board)).not.toMatch(/Layla|Mansour/)
    expect(await getBoardLink(admin, { clinicId })).toMatchObject({ madeBy: expect.any(String) })
    const stored = await db.selectFrom('board_links').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(token)

    const { token: next } = await makeBoardLink(admin, { clinicId })
    const unknown = { text: { key: 'queue.linkUnknown' } }
    await expect(shown(token)).rejects.toMatchObject(unknown)
    expect((await shown(next)).waiting).toBe(1)
    await revokeBoardLink(admin, { clinicId })
    for (const old of [next, '', 'made-up']) await expect(shown(old)).rejects.toMatchObject(unknown)
    const trail = await listAudit(as('admin'), { clinicId, table: 'board_links' })
    expect(trail.rows.map(({ action }) => action)).toEqual([
      'queue.revokeBoardLink',
      'queue.makeBoardLink',
      'queue.makeBoardLink',
    ])
    expect(JSON.stringify(trail)).not.toContain(token)
  })

  test('is made and revoked by administrators of the clinic alone', async ({ make, as }) => {
    const clinicId = (await make.clinic()).id
    const elsewhere = (await make.clinic()).id
    const others = [
      as('registrar', { [clinicId]: desk }),
      as('provider', { [elsewhere]: ['is_clinic_admin'] }),
    ]
    for (const other of others)
      for (const step of [getBoardLink, makeBoardLink, revokeBoardLink])
        await expect(step(other, { clinicId })).rejects.toMatchObject({ code: 'forbidden' })
    const archived = (await make.clinic({ is_archived: true })).id
    await expect(makeBoardLink(as('admin'), { clinicId: archived })).rejects.toMatchObject({
      code: 'invalid',
    })
  })
})

test('many who call at the same moment get as many people, and each person is called once', async () => {
  const db = await cloneTemplate(`queue_race_${process.pid}`)
  try {
    const { me, clinicId, ids } = await waitingRoom(db, 12)
    const outcomes = await Promise.all(Array.from({ length: 16 }, () => callNext(me, { clinicId })))
    const called = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.appointmentId] : []))
    expect(called.toSorted()).toEqual(ids.toSorted())
    expect(outcomes.filter(({ ok }) => !ok)).toHaveLength(4)
  } finally {
    await db.destroy()
  }
})

test('many who check in at the same moment get different numbers, without a gap', async () => {
  const db = await cloneTemplate(`queue_numbers_${process.pid}`)
  try {
    const { make, me, clinicId } = await waitingRoom(db, 0)
    const ids = []
    for (let person = 0; person < 10; person += 1)
      ids.push((await make.appointment({ clinic_id: clinicId })).id)
    await Promise.all(ids.map((id) => setAppointmentStatus(me, { id, status: 'checked_in' })))
    const tokens = (await listQueue(me, { clinicId })).people.map(({ token }) => token)
    expect(tokens).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  } finally {
    await db.destroy()
  }
})

test('the median is the one in the middle, or between the two', () => {
  expect(median([])).toBeNull()
  expect(median([9, 1, 4])).toBe(4)
  expect(median([1, 4, 2, 9])).toBe(3)
})
