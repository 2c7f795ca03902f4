// One clinic with its appointments serves every test of the day: longer than most files.
import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Kysely } from 'kysely'
import type { DB } from '~/db/types'
import { stepsOf } from '../../../../test/factories'
import { test as base } from '../../../../test/harness'
import {
  closeVisit,
  closeVisitsBefore,
  deleteVisit,
  getVisit,
  listOpenVisits,
  openVisits,
  reopenVisit,
  saveVisit,
} from '~/features/record/visits/visits.server'
import { getAppointment } from '~/features/day/appointments/appointments.server'
import { deleteAppointment, saveAppointment } from '~/features/day/appointments/booking.server'
import { setAppointmentStatus } from '~/features/day/appointments/status.server'
import { listQueue } from '~/features/day/queue/queue.server'
import { checkIn, finishStep, leaveQueue, startStep } from '~/features/day/queue/turns.server'
import { followPhone } from '~/features/rules/transitions/day.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import type { Context } from '~/server/operation'
import { clinicTimeZone, dayIn, startOfDay } from '~/shared/zone'
import { toChangeSource } from '~/sync/push/change-source.server'
import { push } from '~/sync/push/push.server'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const ago = (ms: number) => new Date(Date.now() - ms)

/** A clinic, an administrator, and a patient with two appointments today. */
const test = base.extend('day', async ({ make, asUser }) => {
  const clinic = await make.clinic()
  const user = await make.user({ role: 'admin' })
  const me = asUser(user)
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const at = { patient_id: patient.id, clinic_id: clinic.id }
  const book = (values: object = {}) => make.appointment({ ...at, ...values })
  return { clinic, me, patient, at, book }
})

const arrive = (me: Context, id: string) => setAppointmentStatus(me, { id, status: 'checked_in' })
const complete = (me: Context, id: string) => setAppointmentStatus(me, { id, status: 'completed' })
const isOpen = async (me: Context, id: string) => (await getVisit(me, { id })).closed_at === null
const visitOf = async (me: Context, id: string) =>
  (await getAppointment(me, { id })).current_visit_id!

describe('a patient who is in the queue', () => {
  test('stays on the day and in the clinic of the number: neither visit nor appointment is moved', async ({
    day,
    make,
  }) => {
    const { me, at, book } = day
    const { id } = await book()
    await arrive(me, id)
    const visit = { id: await visitOf(me, id), ...at }
    const move = async (more: object) => {
      const { last_modified, check_in_timestamp } = await getVisit(me, { id: visit.id })
      return saveVisit(me, { ...visit, last_modified, check_in_timestamp, ...more })
    }
    const refused = { code: 'conflict', text: { key: 'visits.inQueue', values: { number: 1 } } }
    await expect(move({ check_in_timestamp: ago(7 * DAY) })).rejects.toMatchObject(refused)
    await expect(move({ clinic_id: (await make.clinic()).id })).rejects.toMatchObject(refused)
    await move({ check_in_timestamp: startOfDay(dayIn(new Date(), clinicTimeZone())) })

    const moveAppointment = async (timestamp: Date, more: object = {}) => {
      const { last_modified } = await getAppointment(me, { id })
      return saveAppointment(me, {
        id,
        ...at,
        last_modified,
        timestamp: timestamp.toISOString(),
        reason: 'checkup',
        department_ids: [],
        ...more,
      })
    }
    const fixed = { fields: { timestamp: { key: 'appointments.dayFixed' } } }
    await expect(moveAppointment(ago(7 * DAY))).rejects.toMatchObject(fixed)
    await complete(me, id)
    await expect(moveAppointment(ago(7 * DAY), { confirmed: [] })).rejects.toMatchObject(fixed)
    // a program that says when it was
    await moveAppointment(ago(7 * DAY))
    // nobody waits any more: a day that was wrong is corrected
    await move({ check_in_timestamp: ago(7 * DAY), closed_at: ago(7 * DAY - HOUR) })
  })
})

describe('two numbers of one visit', () => {
  test('completing the first leaves the visit open while the second waits', async ({ day }) => {
    const { me, book } = day
    const [first, second] = [await book(), await book()]
    await arrive(me, first.id)
    await arrive(me, second.id)
    const visit = await visitOf(me, first.id)
    expect(await visitOf(me, second.id)).toBe(visit)
    await complete(me, first.id)
    expect(await isOpen(me, visit)).toBe(true)
    await complete(me, second.id)
    expect(await isOpen(me, visit)).toBe(false)
    // taken back, the patient is here again
    await setAppointmentStatus(me, { id: second.id, status: 'checked_in', isMeant: true })
    expect(await isOpen(me, visit)).toBe(true)
  })

  test('taking the second check-in back closes the visit of the first, which was completed', async ({
    day,
  }) => {
    const { me, book } = day
    const [first, second] = [await book(), await book()]
    await arrive(me, first.id)
    await arrive(me, second.id)
    const visit = await visitOf(me, first.id)
    await complete(me, first.id)
    await setAppointmentStatus(me, { id: second.id, status: 'pending', isMeant: true })
    expect(await isOpen(me, visit)).toBe(false)
    expect(await getAppointment(me, { id: first.id })).toMatchObject({ fulfilled_visit_id: visit })
  })

  test('cancelling one of them neither closes nor deletes the visit', async ({ day }) => {
    const { me, book } = day
    const [first, second] = [await book(), await book()]
    await arrive(me, first.id)
    await arrive(me, second.id)
    const visit = await visitOf(me, first.id)
    await setAppointmentStatus(me, { id: second.id, status: 'cancelled' })
    expect(await isOpen(me, visit)).toBe(true)
  })

  test('a patient who waits is not added as a walk-in, whichever door it comes by', async ({
    day,
  }) => {
    const { me, at, book } = day
    await arrive(me, (await book()).id)
    const already = { text: { key: 'queue.alreadyHere', values: { token: 1 } } }
    await expect(
      checkIn(me, { id: uuidv7(), patientId: at.patient_id, clinicId: at.clinic_id }),
    ).rejects.toMatchObject(already)
    await expect(
      saveAppointment(me, {
        id: uuidv7(),
        ...at,
        timestamp: new Date(),
        reason: 'other',
        is_walk_in: true,
      }),
    ).rejects.toMatchObject(already)
  })
})

describe('a patient who leaves', () => {
  test('without being seen takes the number and an empty visit along', async ({ day, db }) => {
    const { me, at, book } = day
    const { id } = await book()
    await arrive(me, id)
    await leaveQueue(me, { appointmentId: id })
    expect(await getAppointment(me, { id })).toMatchObject({ status: 'cancelled' })
    expect((await listQueue(me, { clinicId: at.clinic_id })).people).toEqual([])
    expect(await openVisits(me, { patientId: at.patient_id })).toEqual([])
    const visits = await db.selectFrom('visits').select('is_deleted').execute()
    expect(visits).toEqual([{ is_deleted: true }])
    // the patient is back: a new number or the old one, and a visit
    await setAppointmentStatus(me, { id, status: 'checked_in', isMeant: true })
    expect(await openVisits(me, { patientId: at.patient_id })).toHaveLength(1)
  })

  test('after something was recorded closes the visit, however it is cancelled', async ({
    day,
    make,
  }) => {
    const { me, at, book } = day
    const [first, second] = [await book(), await book()]
    for (const { id } of [first, second]) {
      await arrive(me, id)
      const visit = await visitOf(me, id)
      await make.vital({ patient_id: at.patient_id, visit_id: visit })
      if (id === first.id) await setAppointmentStatus(me, { id, status: 'cancelled' })
      else await deleteAppointment(me, { id })
      expect(await isOpen(me, visit)).toBe(false)
    }
  })

  test('by a deleted appointment is back with the visit when the deletion is undone', async ({
    day,
  }) => {
    const { me, at, book } = day
    const { id } = await book()
    await arrive(me, id)
    const visit = await visitOf(me, id)
    const { deletionId } = await deleteAppointment(me, { id })
    expect(await openVisits(me, { patientId: at.patient_id })).toEqual([])
    await restoreDeletion(me, { id: deletionId })
    expect((await openVisits(me, { patientId: at.patient_id })).map((each) => each.id)).toEqual([
      visit,
    ])
    expect(await getAppointment(me, { id })).toMatchObject({ status: 'checked_in' })
  })
})

test('a second open visit of the day comes neither from the trash nor from a completion taken back', async ({
  day,
  make,
}) => {
  const { me, at, book } = day
  const open = async () => (await openVisits(me, { patientId: at.patient_id })).map(({ id }) => id)
  const again = async () => {
    const { id } = await book()
    await arrive(me, id)
    return { id, visit: await visitOf(me, id) }
  }
  const first = await again()
  await make.vital({ patient_id: at.patient_id, visit_id: first.visit })
  const { deletionId } = await deleteVisit(me, { id: first.visit })
  const second = await again()
  expect(await open()).toEqual([second.visit])
  expect(await restoreDeletion(me, { id: deletionId })).toMatchObject({ closed: 1 })
  expect(await isOpen(me, first.visit)).toBe(false)
  // who waited in the first one waits in the second
  expect([await visitOf(me, first.id), await open()]).toEqual([second.visit, [second.visit]])

  await complete(me, first.id)
  await complete(me, second.id)
  const third = await again()
  await setAppointmentStatus(me, { id: first.id, status: 'checked_in', isMeant: true })
  expect([await visitOf(me, first.id), await open()]).toEqual([third.visit, [third.visit]])
})

test('an appointment out of the trash leaves no visit open beside a later one; a wrong clock closes none', async ({
  day,
  make,
}) => {
  const { me, at, book } = day
  const old = await make.visit({ ...at, check_in_timestamp: ago(2 * DAY) })
  await make.vital({ patient_id: at.patient_id, visit_id: old.id, timestamp: ago(2 * DAY) })
  const { id } = await book({ status: 'checked_in', current_visit_id: old.id })
  const again = async () => {
    const { deletionId } = await deleteAppointment(me, { id })
    return restoreDeletion(me, { id: deletionId! })
  }
  await make.visit({ ...at, check_in_timestamp: ago(-400 * DAY) })
  expect(await again()).toMatchObject({ closed: 0 })
  expect(await isOpen(me, old.id)).toBe(true)
  await make.visit(at)
  expect(await again()).toMatchObject({ closed: 1 })
  expect(await isOpen(me, old.id)).toBe(false)
  expect(await getAppointment(me, { id })).toMatchObject({ status: 'completed' })
})

describe('a completion that is taken back', () => {
  /** Where the patient is in the queue: the place of each department and its status. */
  const placesOf = async (db: Kysely<DB>, id: string) => {
    const places = await db
      .selectFrom('appointment_departments')
      .select(['position', 'status'])
      .where('appointment_id', '=', id)
      .orderBy('position')
      .execute()
    return places.map(({ position, status }) => `${position} ${status}`)
  }
  /** What a push of a phone stores. */
  const fromPhone = (db: Kysely<DB>, id: string, row: { status?: string; departments?: string }) =>
    db.updateTable('appointments').set(row).where('id', '=', id).execute()
  const resume = (me: Context, id: string) =>
    setAppointmentStatus(me, { id, status: 'checked_in', isMeant: true })

  test('has the patient wait again: without departments, in the first not visited, else in the last', async ({
    day,
    make,
    db,
  }) => {
    const { me, at, book } = day
    const { id: alone } = await book()
    await arrive(me, alone)
    await complete(me, alone)
    expect(await placesOf(db, alone)).toEqual(['0 completed'])
    await resume(me, alone)
    expect(await placesOf(db, alone)).toEqual(['0 checked_in'])
    // seen and finished in the queue, and taken back
    await startStep(me, { appointmentId: alone, position: 0 })
    await finishStep(me, { appointmentId: alone, position: 0 })
    await resume(me, alone)
    expect(await placesOf(db, alone)).toEqual(['0 checked_in'])

    const { clinic_id } = at
    const both = [await make.department({ clinic_id }), await make.department({ clinic_id })]
    const { id } = await book({ departments: stepsOf(...both) })
    await arrive(me, id)
    await startStep(me, { appointmentId: id, position: 1 })
    await finishStep(me, { appointmentId: id, position: 1 })
    await complete(me, id)
    expect(await placesOf(db, id)).toEqual(['1 completed', '2 cancelled'])
    await resume(me, id)
    expect(await placesOf(db, id)).toEqual(['1 completed', '2 checked_in'])
    await startStep(me, { appointmentId: id, position: 2 })
    await finishStep(me, { appointmentId: id, position: 2 })
    await resume(me, id)
    expect(await placesOf(db, id)).toEqual(['1 completed', '2 checked_in'])
  })

  test('by a phone that sends the departments as they were at the end, too', async ({
    day,
    make,
    db,
  }) => {
    const { me, at, book } = day
    const department = await make.department({ clinic_id: at.clinic_id })
    for (const departments of [stepsOf(department), '[]']) {
      const { id } = await book({ departments })
      await arrive(me, id)
      await complete(me, id)
      const stored = () => getAppointment(me, { id })
      const { departments: atEnd } = await stored()
      await db
        .updateTable('appointments')
        .set({ status: 'checked_in' })
        .where('id', '=', id)
        .execute()
      expect((await placesOf(db, id)).map((place) => place.slice(2))).toEqual(['checked_in'])
      expect((await stored()).departments).toEqual(atEnd)
    }
  })

  test('by a phone has each department that was not visited wait in its turn, as at the desk', async ({
    day,
    make,
    db,
  }) => {
    const { me, at, book } = day
    const { clinic_id } = at
    const three = [
      await make.department({ clinic_id }),
      await make.department({ clinic_id }),
      await make.department({ clinic_id }),
    ]
    const { id } = await book({ departments: stepsOf(...three) })
    await arrive(me, id)
    await startStep(me, { appointmentId: id, position: 1 })
    await finishStep(me, { appointmentId: id, position: 1 })
    await complete(me, id)
    await fromPhone(db, id, { status: 'checked_in' })
    expect(await placesOf(db, id)).toEqual(['1 completed', '2 checked_in', '3 pending'])
    await finishStep(me, { appointmentId: id, position: 2 })
    expect(await placesOf(db, id)).toEqual(['1 completed', '2 completed', '3 checked_in'])
  })

  test('is not what a phone means that has finished the only department', async ({
    day,
    make,
    db,
  }) => {
    const { me, at, book } = day
    const department = await make.department({ clinic_id: at.clinic_id })
    const { id } = await book({ departments: stepsOf(department) })
    await arrive(me, id)
    const { departments } = await getAppointment(me, { id })
    const done = departments.map((each) => ({ ...each, status: 'completed' }))
    await fromPhone(db, id, { departments: JSON.stringify(done) })
    expect(await placesOf(db, id)).toEqual(['1 completed'])
  })
})

describe('closing a visit', () => {
  test('completes who is checked in to it; opening it again brings them back', async ({
    day,
    make,
  }) => {
    const { me, at, book } = day
    const department = await make.department({ clinic_id: at.clinic_id })
    const { id } = await book({ departments: stepsOf(department) })
    await arrive(me, id)
    const visit = await visitOf(me, id)
    const { completed } = await closeVisit(me, { id: visit })
    expect(completed).toEqual([id])
    expect(await getAppointment(me, { id })).toMatchObject({
      status: 'completed',
      fulfilled_visit_id: visit,
      departments: [{ status: 'cancelled' }],
    })
    await reopenVisit(me, { id: visit, appointmentIds: completed })
    expect(await getAppointment(me, { id })).toMatchObject({
      status: 'checked_in',
      fulfilled_visit_id: null,
      departments: [{ status: 'checked_in' }],
    })
    expect(await isOpen(me, visit)).toBe(true)
  })

  test('is never before the arrival, whichever of the two is changed', async ({ day, db }) => {
    const { me, at } = day
    const visit = { id: uuidv7(), ...at, check_in_timestamp: ago(3 * HOUR) }
    const { last_modified } = await saveVisit(me, { ...visit, closed_at: ago(2 * HOUR) })
    await expect(
      saveVisit(me, { ...visit, last_modified, check_in_timestamp: ago(HOUR) }),
    ).rejects.toMatchObject({
      fields: { check_in_timestamp: { key: 'visits.openedAfterClosed' } },
    })
    await expect(closeVisit(me, { id: visit.id, at: ago(4 * HOUR) })).rejects.toMatchObject({
      fields: { at: { key: 'visits.closedBeforeOpened' } },
    })
    await expect(
      saveVisit(me, { ...visit, id: uuidv7(), closed_at: ago(4 * HOUR) }),
    ).rejects.toMatchObject({ fields: { closed_at: { key: 'visits.closedBeforeOpened' } } })
    // a row that comes otherwise is stored as sent: the closing follows, with a mark
    await db
      .updateTable('visits')
      .set({ check_in_timestamp: ago(HOUR) })
      .where('id', '=', visit.id)
      .execute()
    const stored = await getVisit(me, { id: visit.id })
    expect(stored.closed_at).toEqual(stored.check_in_timestamp)
    expect(stored.closed_as).toBe('arrival')
  })

  test('a patient has one open visit in a clinic on a day', async ({ day }) => {
    const { me, at } = day
    const open = { id: uuidv7(), ...at, check_in_timestamp: new Date() }
    await saveVisit(me, open)
    const refused = { code: 'conflict', text: { key: 'visits.alreadyOpen' } }
    await expect(saveVisit(me, { ...open, id: uuidv7() })).rejects.toMatchObject(refused)
    const closed = { ...open, id: uuidv7(), closed_at: new Date() }
    await saveVisit(me, closed)
    await expect(reopenVisit(me, { id: closed.id })).rejects.toMatchObject(refused)
    expect(await openVisits(me, { patientId: at.patient_id })).toHaveLength(1)
  })
})

describe('a visit that nobody closed', () => {
  test('is closed as of its last entry when the patient comes again', async ({ day, make }) => {
    const { me, at, book } = day
    const old = await make.visit({ ...at, check_in_timestamp: ago(9 * DAY) })
    const last = ago(9 * DAY - HOUR)
    await make.vital({ patient_id: at.patient_id, visit_id: old.id, timestamp: last })
    const { id } = await book()
    await arrive(me, id)
    expect(await visitOf(me, id)).not.toBe(old.id)
    expect(await getVisit(me, { id: old.id })).toMatchObject({
      closed_at: last,
      closed_as: 'last_entry',
    })
  })

  test('is closed as of its last entry by whatever closes it on a later day', async ({
    day,
    make,
  }) => {
    const { me, at, book } = day
    const open = () => make.visit({ ...at, check_in_timestamp: ago(3 * DAY) })
    const [byHand, byNumber] = [await open(), await open()]
    const { id } = await book({
      timestamp: ago(3 * DAY),
      status: 'checked_in',
      current_visit_id: byNumber.id,
    })
    await closeVisit(me, { id: byHand.id })
    await complete(me, id)
    for (const visit of [byHand, byNumber])
      expect(await getVisit(me, { id: visit.id })).toMatchObject({
        closed_at: visit.check_in_timestamp,
        closed_as: 'last_entry',
      })
  })

  test('is listed with the others, and all before a day are closed at once', async ({
    day,
    make,
    as,
  }) => {
    const { me, at, book } = day
    const clinicId = at.clinic_id
    const old = await make.visit({ ...at, check_in_timestamp: ago(2 * DAY) })
    const other = await make.visit({ clinic_id: clinicId, check_in_timestamp: ago(5 * DAY) })
    await make.visit({ check_in_timestamp: ago(5 * DAY) })
    const unfinished = await book({ status: 'checked_in', current_visit_id: old.id })
    const today = await make.visit({ clinic_id: clinicId })
    const reader = as('provider', { [clinicId]: ['can_view_history'] })
    const { rows, pagination } = await listOpenVisits(reader, {})
    expect(rows.map(({ id }) => id)).toEqual([other.id, old.id, today.id])
    expect(pagination.total).toBe(3)
    const before = new Date().toISOString().slice(0, 10)
    await expect(closeVisitsBefore(reader, { clinicId, before })).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect(await closeVisitsBefore(me, { clinicId, before })).toEqual({ closed: 2 })
    expect((await listOpenVisits(reader, { clinicId })).rows.map(({ id }) => id)).toEqual([
      today.id,
    ])
    expect(await getAppointment(me, { id: unfinished.id })).toMatchObject({ status: 'completed' })
    const registrar = as('registrar', { [clinicId]: ['can_register_patients'] })
    await expect(listOpenVisits(registrar, {})).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('that was deleted while its patient waited is replaced when the patient is seen', async ({
    day,
  }) => {
    const { me, book } = day
    const { id } = await book()
    await arrive(me, id)
    await deleteVisit(me, { id: await visitOf(me, id) })
    await startStep(me, { appointmentId: id, position: 0 })
    const visit = await visitOf(me, id)
    expect(await isOpen(me, visit)).toBe(true)
    await finishStep(me, { appointmentId: id, position: 0 })
    expect(await isOpen(me, visit)).toBe(false)
  })
})

describe('a row from a phone', () => {
  const dates = { created_at: Date.now(), updated_at: Date.now(), deleted_at: null }
  const wire = (at: { patient_id: string; clinic_id: string }, userId: string) => ({
    id: uuidv7(),
    ...at,
    ...dates,
    provider_id: null,
    user_id: userId,
    current_visit_id: '',
    fulfilled_visit_id: null,
    timestamp: Date.now(),
    duration: 60,
    reason: 'checkup',
    notes: '',
    status: 'checked_in',
    departments: '[]',
    is_walk_in: false,
    metadata: '{}',
    is_deleted: false,
  })
  const send = (me: Context, created: object[]) =>
    push(me, 0, toChangeSource({ appointments: { created, updated: [], deleted: [] } }))

  test('is stored as sent, and its number and visit follow', async ({ day, db }) => {
    const { me, at } = day
    const row = wire(at, me.actor.userId)
    expect(await send(me, [row])).toEqual({ rows: 1, conflicts: 0, refused: 0 })
    const here = await getAppointment(me, { id: row.id })
    expect(here).toMatchObject({ status: 'checked_in', token: 1 })
    expect(await isOpen(me, here.current_visit_id!)).toBe(true)
    // as when the phone completes it before it has pulled the visit
    await db
      .updateTable('appointments')
      .set({ status: 'completed', current_visit_id: null })
      .where('id', '=', row.id)
      .execute()
    const was = { status: 'checked_in', isDeleted: false, visitId: here.current_visit_id }
    await followPhone(me, [{ id: row.id, was }])
    expect(await isOpen(me, here.current_visit_id!)).toBe(false)
    expect(await getAppointment(me, { id: row.id })).toMatchObject({
      status: 'completed',
      fulfilled_visit_id: here.current_visit_id,
    })
  })

  test('that checks in again with the link of a visit that is over gets the visit of today', async ({
    day,
    make,
    db,
  }) => {
    const { me, at, book } = day
    const { id } = await book()
    await arrive(me, id)
    const over = await visitOf(me, id)
    await make.vital({ patient_id: at.patient_id, visit_id: over })
    await setAppointmentStatus(me, { id, status: 'cancelled', isMeant: true })
    expect(await isOpen(me, over)).toBe(false)
    // what a push of the phone stores
    await db
      .updateTable('appointments')
      .set({ status: 'checked_in' })
      .where('id', '=', id)
      .execute()
    const was = { status: 'cancelled', isDeleted: false, visitId: over }
    await followPhone(me, [{ id, was }])
    const { current_visit_id } = await getAppointment(me, { id })
    expect(current_visit_id).not.toBe(over)
    expect(await isOpen(me, current_visit_id!)).toBe(true)
  })

  test('that takes a completion back keeps the visit that it names, also beside another open one', async ({
    day,
    make,
    db,
  }) => {
    const { me, at, book } = day
    const { id } = await book()
    await arrive(me, id)
    const first = await visitOf(me, id)
    await make.vital({ patient_id: at.patient_id, visit_id: first })
    await complete(me, id)
    const second = await make.visit(at)
    const resumed = { status: 'checked_in', fulfilled_visit_id: null }
    for (const [was, named] of [
      [first, first],
      [first, second.id],
    ] as const) {
      const row = { ...resumed, current_visit_id: named }
      await db.updateTable('appointments').set(row).where('id', '=', id).execute()
      await followPhone(me, [{ id, was: { status: 'completed', isDeleted: false, visitId: was } }])
      expect(await visitOf(me, id)).toBe(named)
    }
    expect(await isOpen(me, first)).toBe(true)
  })

  test('of a patient who died is kept without a visit', async ({ day, db }) => {
    const { me, at } = day
    await db
      .updateTable('patients')
      .set({
        died_on: ago(5 * DAY)
          .toISOString()
          .slice(0, 10),
      })
      .where('id', '=', at.patient_id)
      .execute()
    const row = { ...wire(at, me.actor.userId), timestamp: ago(6 * DAY).getTime() }
    expect(await send(me, [row])).toEqual({ rows: 1, conflicts: 0, refused: 0 })
    expect(await getAppointment(me, { id: row.id })).toMatchObject({ status: 'checked_in' })
    expect(await openVisits(me, { patientId: at.patient_id })).toEqual([])
  })

  test('that brings a visit closes those of earlier days in the clinic', async ({ day, make }) => {
    const { me, at } = day
    const old = await make.visit({ ...at, check_in_timestamp: ago(2 * DAY) })
    const visit = {
      id: uuidv7(),
      ...at,
      ...dates,
      provider_id: me.actor.userId,
      provider_name: 'Phone',
      check_in_timestamp: Date.now(),
      metadata: '{}',
      is_deleted: false,
    }
    expect(
      await push(me, 0, toChangeSource({ visits: { created: [visit], updated: [], deleted: [] } })),
    ).toEqual({ rows: 1, conflicts: 0, refused: 0 })
    expect(await isOpen(me, old.id)).toBe(false)
    expect(await isOpen(me, visit.id)).toBe(true)
  })
})
