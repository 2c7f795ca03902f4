import { sql } from 'kysely'
import { afterEach, describe, expect, vi } from 'vitest'
import { log } from '~/server/log'
import { streamListFile } from '~/server/list-file.server'
import type { Context } from '~/server/operation'
import type { Permission } from '~/shared/permissions'
import { clinicTimeZone, momentAt, tellTimeZone, wallTime } from '~/shared/zone'
import { stepsOf } from '../../../../test/factories'
import { auditOf, test } from '../../../../test/harness'
import {
  appointmentCalendar,
  appointmentMonth,
  appointmentsByPatient,
  getAppointment,
  listAppointments,
  selectMatchingAppointments,
  nextAppointment,
  searchAppointments,
} from './appointments.server'
import { appointmentSheet, type ExportAppointments, exportAppointments } from './export.server'

const appointmentFile = async (ctx: Context, asked: ExportAppointments) =>
  streamListFile(await appointmentSheet(ctx, asked), asked.format)

const desk: Permission[] = ['can_register_patients']
const hour = 3_600_000
const day = 24 * hour
const ago = (ms: number) => new Date(Date.now() - ms)

afterEach(() => {
  tellTimeZone(undefined)
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('a month counts what each day of the clinic has, names the first, and leaves out what was cancelled', async ({
  as,
  make,
}) => {
  tellTimeZone('Asia/Kathmandu')
  const clinic = await make.clinic()
  const patient = await make.patient({
    given_name: 'Nour',
    surname: 'Aziz',
    primary_clinic_id: clinic.id,
  })
  const booked = (timestamp: string, status = 'confirmed') =>
    make.appointment({
      clinic_id: clinic.id,
      patient_id: patient.id,
      timestamp: new Date(timestamp),
      status,
    })
  // already the 2nd in Kathmandu
  for (const minute of [50, 40, 30, 20]) await booked(`2026-03-01T18:${minute}:00Z`)
  const first = await booked('2026-03-01T18:15:00Z')
  await booked('2026-03-02T09:00:00Z', 'cancelled')
  await booked('2026-03-05T09:00:00Z')
  const asked = { clinicId: clinic.id, from: '2026-03-01', to: '2026-03-31' }
  const days = await appointmentMonth(as('registrar', { [clinic.id]: desk }), asked)
  expect(days.map((one) => [one.day, one.count, one.first.length])).toEqual([
    ['2026-03-02', 5, 4],
    ['2026-03-05', 1, 1],
  ])
  expect(days[0]!.first[0]).toEqual({
    id: first.id,
    timestamp: first.timestamp,
    died_on: null,
    patient: 'Nour Aziz',
    patient_id: patient.id,
  })
  const elsewhere = await make.clinic()
  expect(await appointmentMonth(as('registrar', { [elsewhere.id]: desk }), asked)).toEqual([])
})

describe('the list of appointments', () => {
  test('shows patient, time, clinic, provider and departments by name', async ({ as, make }) => {
    const clinic = await make.clinic()
    const department = await make.department({ clinic_id: clinic.id })
    const provider = await make.user({ name: 'Dr. Rana' })
    const patient = await make.patient({
      given_name: 'Nour',
      surname: 'Aziz',
      primary_clinic_id: clinic.id,
    })
    const { id } = await make.appointment({
      clinic_id: clinic.id,
      patient_id: patient.id,
      provider_id: provider.id,
      departments: stepsOf(department),
    })
    const { rows, pagination } = await listAppointments(as('registrar', { [clinic.id]: desk }), {})
    expect(pagination.total).toBe(1)
    expect(rows[0]).toMatchObject({
      id,
      patient: 'Nour Aziz',
      clinic: clinic.name,
      provider: 'Dr. Rana',
      departments: [{ id: department.id, name: department.name, status: 'pending' }],
      status: 'pending',
      token: null,
    })
  })

  test('leaves out a department that is not there, and says so in the log', async ({
    as,
    make,
  }) => {
    const warn = vi.spyOn(log, 'warn')
    const unknownId = '018f2f00-0000-7000-8000-00000000dead'
    const { id } = await make.appointment({
      departments: stepsOf({ id: unknownId, name: 'Gone' }, { id: 'x', name: 'X' }),
    })
    expect((await getAppointment(as('admin'), { id })).departments).toEqual([])
    expect(warn.mock.calls.map(([line]) => line as unknown)).toEqual([
      `Failed to fetch department ${unknownId}`,
      'Failed to fetch department x',
    ])
  })

  test('begins with today, in the order of the day; the past and everything are asked for', async ({
    as,
    make,
  }) => {
    const clinic = await make.clinic()
    const at = (timestamp: Date, more = {}) =>
      make.appointment({ clinic_id: clinic.id, timestamp, ...more })
    const later = await at(new Date(Date.now() + 3 * day))
    const past = await at(ago(2 * day))
    const missed = await at(ago(3 * day), { status: 'confirmed' })
    const done = await at(ago(4 * day), { status: 'completed' })
    const soon = await at(new Date(Date.now() + 2 * day))
    const me = as('registrar', { [clinic.id]: desk })
    const ids = async (filter: object) =>
      (await listAppointments(me, filter)).rows.map(({ id }) => id)
    expect(await ids({})).toEqual([soon.id, later.id])
    expect(await ids({ when: 'past' })).toEqual([past.id, missed.id, done.id])
    expect(await ids({ when: 'all' })).toEqual([later.id, soon.id, past.id, missed.id, done.id])
    expect(await ids({ status: 'missed' })).toEqual([past.id, missed.id])
    expect(await ids({ status: 'completed', when: 'all' })).toEqual([done.id])
  })

  test('holds the whole of today under "Today"; what is over is past, what is not is to come', async ({
    as,
    make,
  }) => {
    tellTimeZone('UTC')
    vi.useFakeTimers({ now: new Date('2030-05-05T12:00:00Z'), toFake: ['Date'] })
    const clinic = await make.clinic()
    const at = async (time: string, more = {}) =>
      (
        await make.appointment({
          clinic_id: clinic.id,
          timestamp: new Date(`2030-05-${time}:00Z`),
          ...more,
        })
      ).id
    const morning = await at('05T08:00')
    const late = await at('05T11:30')
    const long = await at('05T08:30', { duration: 240 })
    const evening = await at('05T18:00')
    const tomorrow = await at('06T00:00')
    const yesterday = await at('04T23:59')
    const me = as('registrar', { [clinic.id]: desk })
    const ids = async (filter: object) =>
      (await listAppointments(me, filter)).rows.map(({ id }) => id)
    expect(await ids({ when: 'today' })).toEqual([morning, long, late, evening])
    expect(await ids({})).toEqual([long, late, evening, tomorrow])
    expect(await ids({ when: 'past' })).toEqual([morning, yesterday])
  })

  test('is narrowed by patient, clinic, department, provider and days', async ({ as, make }) => {
    const [here, there] = [await make.clinic(), await make.clinic()]
    const department = await make.department({ clinic_id: here.id })
    const provider = await make.user()
    const named = await make.patient({ given_name: 'Zeinab', surname: 'Qasim' })
    const one = await make.appointment({
      clinic_id: here.id,
      patient_id: named.id,
      provider_id: provider.id,
      departments: stepsOf(department),
    })
    const other = await make.appointment({ clinic_id: there.id })
    const me = as('admin')
    const ids = async (filter: object) =>
      (await listAppointments(me, filter)).rows.map(({ id }) => id)
    expect(await ids({ search: 'زينب' })).toEqual([one.id])
    expect(await ids({ search: 'nobody at all' })).toEqual([])
    expect(await ids({ clinicId: there.id })).toEqual([other.id])
    expect(await ids({ departmentId: department.id })).toEqual([one.id])
    expect(await ids({ providerId: provider.id })).toEqual([one.id])
    expect(await ids({ from: '2031-01-01' })).toEqual([])
    expect(await ids({ to: '2031-01-01', clinicId: here.id })).toEqual([one.id])
  })

  test("holds only the clinics where one registers people or views history; elsewhere it is 'not found'", async ({
    as,
    make,
  }) => {
    const [own, other] = [await make.clinic(), await make.clinic()]
    const patient = await make.patient({ primary_clinic_id: own.id })
    const mine = await make.appointment({ clinic_id: own.id, patient_id: patient.id })
    const theirs = await make.appointment({ clinic_id: other.id, patient_id: patient.id })
    for (const permission of ['can_register_patients', 'can_view_history'] as const) {
      const me = as('provider', { [own.id]: [permission] })
      expect((await listAppointments(me, {})).rows.map(({ id }) => id)).toEqual([mine.id])
      expect(
        (await appointmentsByPatient(me, { patientId: patient.id })).rows.map(({ id }) => id),
      ).toEqual([mine.id])
      expect(
        (await searchAppointments(me, { searchQuery: patient.surname! })).appointments,
      ).toHaveLength(1)
      await expect(getAppointment(me, { id: theirs.id })).rejects.toMatchObject({
        code: 'not_found',
      })
    }
    await expect(
      listAppointments(as('provider', { [own.id]: ['can_edit_records'] }), {}),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

test('an appointment is upcoming until its time is up and past from then on, at each edge', async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const ctx = as('provider', { [clinic.id]: desk })
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const now = new Date('2026-11-18T09:00:00Z')
  const ends = [-60_000, -1, 0, 1, 60_000]
  const endingAround = (...minutes: (number | null)[]) =>
    minutes.flatMap((each) =>
      ends.map((end) => ({ duration: each, start: end - (each ?? 60) * 60_000 })),
    )
  const of = { patient_id: patient.id, clinic_id: clinic.id }
  const expected: Record<'upcoming' | 'past', string[]> = { upcoming: [], past: [] }
  const check = async (all: { duration: number | null; start: number }[]) => {
    for (const { duration, start } of all) {
      const timestamp = new Date(now.getTime() + start)
      const { id } = await make.appointment({ ...of, timestamp, duration })
      if (start + (duration ?? 60) * 60_000 > 0) expected.upcoming.push(id)
      else if (start < 0) expected.past.push(id)
    }
    for (const when of ['upcoming', 'past'] as const) {
      const found = await selectMatchingAppointments(ctx, { when }, now)
      const ids = (await found!.select('appointments.id').execute()).map(({ id }) => id)
      expect(ids.toSorted()).toEqual(expected[when].toSorted())
    }
  }
  const starts = [-8 * day, -7 * day, -3 * hour, -1, 0, 1, day]
  await check([
    ...endingAround(null, 0, 1, 60, 180),
    ...starts.map((start) => ({ duration: null, start })),
  ])
  // a longer one that is current: the list begins with it
  await check(endingAround(180.5, 181, 600))
  await check(endingAround(3 * 24 * 60, 7 * 24 * 60))
})

test("a patient's next appointment is the first that is not over", async ({ as, make }) => {
  const patient = await make.patient()
  const me = as('admin')
  expect(await nextAppointment(me, { patientId: patient.id })).toEqual({ appointment: null })
  const of = (timestamp: Date, status = 'pending') =>
    make.appointment({ patient_id: patient.id, timestamp, status })
  await of(ago(3 * day), 'confirmed')
  await of(new Date(Date.now() + day), 'cancelled')
  const { id } = await of(new Date(Date.now() + 2 * day))
  await of(new Date(Date.now() + 3 * day))
  // the patient sits in this one
  await of(new Date(), 'checked_in')
  expect((await nextAppointment(me, { patientId: patient.id })).appointment).toMatchObject({ id })
})

describe("the clinic's clock", () => {
  test.for([
    ['Asia/Beirut', '2026-03-28T23:30', '2026-03-28'],
    // Lebanon's clocks go from 00:00 to 01:00 on this day
    ['Asia/Beirut', '2026-03-29T01:00', '2026-03-29'],
    ['Asia/Beirut', '2026-10-25T00:00', '2026-10-25'],
    // 00:00 comes twice in the night to this day, an hour apart
    ['Asia/Beirut', '2026-10-24T23:30', '2026-10-24'],
    ['Asia/Kathmandu', '2026-01-31T23:45', '2026-01-31'],
    ['Asia/Kathmandu', '2026-02-01T00:00', '2026-02-01'],
    ['America/Lima', '2026-12-31T23:59', '2026-12-31'],
    ['America/Lima', '2028-02-29T00:00', '2028-02-29'],
  ] as const)(
    '%s: what is booked for %s is on the page of %s, and nowhere else',
    async ([zone, wall, onDay], { as, make, db }) => {
      tellTimeZone(zone)
      const clinic = await make.clinic()
      const timestamp = momentAt(wall, zone)!
      const { id } = await make.appointment({ clinic_id: clinic.id, timestamp })
      const me = as('admin')
      const filter = { clinicId: clinic.id }
      expect(
        (await listAppointments(me, { ...filter, from: onDay, to: onDay })).rows.map(
          (row) => row.id,
        ),
      ).toEqual([id])
      const shift = (by: number) =>
        new Date(Date.parse(onDay) + by * day).toISOString().slice(0, 10)
      for (const other of [shift(-1), shift(1)]) {
        expect((await listAppointments(me, { ...filter, from: other, to: other })).rows).toEqual([])
      }
      const { appointments } = await appointmentCalendar(me, { ...filter, from: onDay, to: onDay })
      expect(appointments.map((row) => wallTime(row.timestamp, clinicTimeZone()))).toEqual([wall])
      const file = await new Response(
        await appointmentFile(me, { ...filter, from: onDay, format: 'csv', language: 'en' }),
      ).text()
      expect(file).toContain(wall.replace('T', ' '))
      // as phones receive it: milliseconds
      const { rows } = await sql<{
        ms: number
      }>`select extract(epoch from timestamp) * 1000 as ms from appointments where id = ${id}`.execute(
        db,
      )
      expect(rows[0]!.ms).toBe(timestamp.getTime())
    },
  )
})

test('the calendar of a day has what began before midnight and goes on', async ({ as, make }) => {
  const clinic = await make.clinic()
  const timestamp = new Date('2026-03-01T23:30:00Z')
  const night = await make.appointment({ clinic_id: clinic.id, timestamp, duration: 120 })
  await make.appointment({ clinic_id: clinic.id, timestamp, duration: 30 })
  const next = { clinicId: clinic.id, from: '2026-03-02', to: '2026-03-02' }
  const { appointments } = await appointmentCalendar(as('admin'), next)
  expect(appointments.map(({ id }) => id)).toEqual([night.id])
})

describe('the file of appointments', () => {
  test('holds what the filter shows, in words of the language asked for, and is written into the trail', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic({ name: 'Hillside' })
    const patient = await make.patient({ given_name: '=cmd()', surname: '' })
    await make.appointment({
      clinic_id: clinic.id,
      patient_id: patient.id,
      reason: 'follow-up',
      status: 'confirmed',
    })
    const other = await make.appointment({})
    const me = as('provider', { [clinic.id]: ['can_view_history', 'can_download_patient_reports'] })
    expect(await exportAppointments(me, { format: 'csv', language: 'es' })).toEqual({ total: 1 })
    const text = await new Response(
      await appointmentFile(me, { format: 'csv', language: 'es' }),
    ).text()
    expect(text).toContain('Seguimiento')
    expect(text).toContain('Confirmada')
    expect(text).toContain("'=cmd()")
    expect(text).not.toContain(other.id)
    const xlsx = await new Response(
      await appointmentFile(me, { format: 'xlsx', language: 'ar' }),
    ).arrayBuffer()
    expect(xlsx.byteLength).toBeGreaterThan(1000)
    expect(
      await db
        .selectFrom('audit_log')
        .select('action')
        .where('action', '=', 'appointments.export')
        .execute(),
    ).toHaveLength(1)
  })

  test('is refused without the right to download', async ({ as, make }) => {
    const clinic = await make.clinic()
    const me = as('registrar', { [clinic.id]: desk })
    await expect(exportAppointments(me, { format: 'csv', language: 'en' })).rejects.toMatchObject({
      code: 'forbidden',
    })
  })
})

test('every change of an appointment is in the trail', async ({ make, db }) => {
  const { id } = await make.appointment()
  expect(await auditOf(db, id)).toHaveLength(1)
})
