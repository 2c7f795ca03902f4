import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { stepsOf } from '../../../../test/factories'
import { test } from '../../../../test/harness'
import { getVisit } from '~/features/record/visits/visits.server'
import { APPOINTMENT_STATUSES } from '~/features/rules/transitions/transitions'
import { movesOffered } from './appointment'
import { getAppointment } from './appointments.server'
import { saveAppointment } from './booking.server'
import { setAppointmentStatus } from './status.server'

const desk: Permission[] = ['can_register_patients']

describe('the status of an appointment', () => {
  test('of a patient who has died is completed or cancelled by screens, nothing else', () => {
    const ends = ['completed', 'cancelled']
    for (const status of APPOINTMENT_STATUSES)
      for (const to of movesOffered({ status, died_on: '2026-05-03' })) expect(ends).toContain(to)
    expect(movesOffered({ status: 'pending', died_on: '2026-05-03' })).toContain('cancelled')
    expect(movesOffered({ status: 'pending', died_on: null })).toContain('confirmed')
  })

  test('goes from pending to confirmed, checked in and completed: its visit is opened, linked and ended', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const [first, second] = [
      await make.department({ clinic_id: clinic.id }),
      await make.department({ clinic_id: clinic.id }),
    ]
    const provider = await make.user({ name: 'Dr. Rana' })
    const { id } = await make.appointment({
      clinic_id: clinic.id,
      provider_id: provider.id,
      departments: stepsOf(first, second),
    })
    const registrar = as('registrar', { [clinic.id]: desk })
    const admin = as('admin')
    await setAppointmentStatus(registrar, { id, status: 'confirmed' })
    await setAppointmentStatus(registrar, { id, status: 'checked_in' })
    const here = await getAppointment(admin, { id })
    expect(here).toMatchObject({
      token: 1,
      departments: [{ status: 'checked_in' }, { status: 'pending' }],
      fulfilled_visit_id: null,
    })
    const visit = await getVisit(admin, { id: here.current_visit_id! })
    expect(visit).toMatchObject({
      patient_id: here.patient_id,
      provider_name: 'Dr. Rana',
      closed_at: null,
    })
    await setAppointmentStatus(registrar, { id, status: 'completed' })
    expect(await getAppointment(admin, { id })).toMatchObject({
      fulfilled_visit_id: visit.id,
      status: 'completed',
    })
    expect((await getVisit(admin, { id: visit.id })).closed_at).not.toBeNull()
  })

  test('does not change twice, and another than the usual move has to be meant', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const { id } = await make.appointment({ clinic_id: clinic.id, status: 'cancelled' })
    const me = as('registrar', { [clinic.id]: desk })
    const first = await setAppointmentStatus(me, { id, status: 'cancelled' })
    expect(await setAppointmentStatus(me, { id, status: 'cancelled' })).toEqual(first)
    await expect(setAppointmentStatus(me, { id, status: 'confirmed' })).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'appointments.unusualMove' },
    })
    expect(
      await setAppointmentStatus(me, { id, status: 'confirmed', isMeant: true }),
    ).toMatchObject({
      status: 'confirmed',
    })
    await expect(setAppointmentStatus(me, { id, status: 'late' as never })).rejects.toMatchObject({
      fields: { status: { key: 'validation.option' } },
    })
  })

  test('can be set only by users who register patients or view the history there', async ({
    as,
    make,
  }) => {
    const [clinic, other] = [await make.clinic(), await make.clinic()]
    const { id } = await make.appointment({ clinic_id: clinic.id })
    await expect(
      setAppointmentStatus(as('provider', { [clinic.id]: ['can_edit_records'] }), {
        id,
        status: 'confirmed',
      }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      setAppointmentStatus(as('registrar', { [other.id]: desk }), { id, status: 'confirmed' }),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  test('of a completed one only goes back to checked in, however it is meant', async ({
    as,
    make,
  }) => {
    const admin = as('admin', {}, { userId: (await make.user()).id })
    const { id } = await make.appointment({ status: 'completed' })
    for (const status of ['pending', 'confirmed', 'cancelled'] as const) {
      await expect(
        setAppointmentStatus(admin, { id, status, isMeant: true }),
      ).rejects.toMatchObject({
        code: 'conflict',
        text: { key: 'appointments.completedStays' },
      })
    }
    expect(
      await setAppointmentStatus(admin, { id, status: 'checked_in', isMeant: true }),
    ).toMatchObject({
      status: 'checked_in',
    })
  })

  test('whatever way it goes, the links to visits agree with it', async ({ as, make, db }) => {
    const admin = as('admin', {}, { userId: (await make.user()).id })
    const { id } = await make.appointment({ departments: stepsOf(await make.department()) })
    const all = APPOINTMENT_STATUSES.flatMap((from) =>
      APPOINTMENT_STATUSES.map((to) => [from, to] as const),
    )
    for (const status of all.flat()) {
      const before = await getAppointment(admin, { id })
      if (before.status === 'completed')
        await setAppointmentStatus(admin, { id, status: 'checked_in', isMeant: true })
      await setAppointmentStatus(admin, { id, status, isMeant: true })
      const now = await getAppointment(admin, { id })
      if (status === 'checked_in') {
        expect(now.current_visit_id).not.toBeNull()
        expect((await getVisit(admin, { id: now.current_visit_id! })).closed_at).toBeNull()
      }
      if (status !== 'completed') expect(now.fulfilled_visit_id).toBeNull()
      if (status === 'pending' || status === 'confirmed')
        expect(now.departments.map((d) => d.status)).toEqual(['pending'])
    }
    // a mistaken check-in leaves no visit behind
    await setAppointmentStatus(admin, { id, status: 'pending', isMeant: true })
    const open = await db
      .selectFrom('visits')
      .select('id')
      .where('is_deleted', '=', false)
      .where('closed_at', 'is', null)
      .execute()
    expect(open).toEqual([])
  })

  test('taken back leaves a visit in which something was recorded', async ({ as, make, db }) => {
    const admin = as('admin', {}, { userId: (await make.user()).id })
    const { id, patient_id } = await make.appointment()
    await setAppointmentStatus(admin, { id, status: 'checked_in' })
    const { current_visit_id } = await getAppointment(admin, { id })
    await make.vital({ patient_id, visit_id: current_visit_id })
    await setAppointmentStatus(admin, { id, status: 'pending', isMeant: true })
    const visit = await db
      .selectFrom('visits')
      .select('is_deleted')
      .where('id', '=', current_visit_id)
      .executeTakeFirst()
    expect(visit).toEqual({ is_deleted: false })
    // a patient who comes after all is in the same visit
    await setAppointmentStatus(admin, { id, status: 'checked_in' })
    expect(await getAppointment(admin, { id })).toMatchObject({ current_visit_id, token: 1 })
  })
})

test('a check-in of another day’s appointment is asked about on the screen', async ({
  as,
  make,
}) => {
  const me = as('admin')
  const nextWeek = new Date(Date.now() + 7 * 86_400_000)
  const { id } = await make.appointment({ timestamp: nextWeek })
  const arrives = { id, status: 'checked_in', isMeant: true } as const
  await expect(setAppointmentStatus(me, { ...arrives, confirmed: [] })).rejects.toMatchObject({
    text: { key: 'asked.unlikely_date' },
    fields: { timestamp: { key: 'appointments.isOfOtherDay' } },
  })
  await setAppointmentStatus(me, { ...arrives, confirmed: ['unlikely_date'] })
  const today = await make.appointment({ timestamp: new Date() })
  await setAppointmentStatus(me, { ...arrives, id: today.id, confirmed: [] })
  // a completion that is taken back opens the visit of its day again, none of today
  const lastWeek = new Date(Date.now() - 7 * 86_400_000)
  const visit = await make.visit({ check_in_timestamp: lastWeek, closed_at: lastWeek })
  const ofVisit = { patient_id: visit.patient_id, clinic_id: visit.clinic_id }
  const done = { ...ofVisit, timestamp: lastWeek, status: 'completed' }
  const { id: seen } = await make.appointment({ ...done, fulfilled_visit_id: visit.id })
  await setAppointmentStatus(me, { ...arrives, id: seen, confirmed: [] })
  expect(await getAppointment(me, { id: seen })).toMatchObject({ current_visit_id: visit.id })
  // of no visit, as another system sends it, it would open one of today
  const { id: sent } = await make.appointment({ timestamp: lastWeek, status: 'completed' })
  await expect(
    setAppointmentStatus(me, { ...arrives, id: sent, confirmed: [] }),
  ).rejects.toMatchObject({ text: { key: 'asked.unlikely_date' } })
})

test('a walk-in has arrived: a number, a visit, and a place in the queue of the first department', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const department = await make.department({ clinic_id: clinic.id })
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const { id: userId } = await make.user({ role: 'registrar' })
  const me = as('registrar', { [clinic.id]: desk }, { userId })
  const walkIn = {
    id: '018f2f00-0000-7000-8000-0000000000aa',
    patient_id: patient.id,
    clinic_id: clinic.id,
    timestamp: new Date(),
    reason: 'other' as const,
    is_walk_in: true,
    department_ids: [department.id],
  }
  // last week's would be in today's queue, with a visit of today
  const lastWeek = new Date(Date.now() - 7 * 86_400_000)
  await expect(saveAppointment(me, { ...walkIn, timestamp: lastWeek })).rejects.toMatchObject({
    fields: { timestamp: { key: 'appointments.walkInNow' } },
  })
  // that a patient does not arrive is said of an earlier day alone
  for (const timestamp of [walkIn.timestamp, new Date(Date.now() + 7 * 86_400_000)])
    await expect(
      saveAppointment(me, { ...walkIn, timestamp, arrives: false }),
    ).rejects.toMatchObject({ fields: { arrives: { key: 'appointments.walkInArrives' } } })
  await saveAppointment(me, walkIn)
  const here = await getAppointment(me, { id: walkIn.id })
  expect(here).toMatchObject({
    status: 'checked_in',
    token: 1,
    departments: [{ status: 'checked_in' }],
    is_walk_in: true,
  })
  expect(here.current_visit_id).not.toBeNull()
})
