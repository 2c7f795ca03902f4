import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { fieldsSchema } from '~/fields/field'
import type { Context } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import type { Permission, Role } from '~/shared/permissions'
import { type makeFactories, stepsOf } from '../../../../test/factories'
import { startingDraft } from '~/ui/draft'
import { brokenRule, test } from '../../../../test/harness'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { appointmentFields, newAppointment } from './appointment'
import { getAppointment, listAppointments } from './appointments.server'
import {
  cancelSeries,
  deleteAppointment,
  moveAppointment,
  overlappingAppointments,
  saveAppointment,
} from './booking.server'
import { setAppointmentStatus } from './status.server'

const desk: Permission[] = ['can_register_patients']
const nine = '2030-03-01T09:00:00.000Z'

type Given = {
  make: ReturnType<typeof makeFactories>
  as: (role: Role, grants: Record<string, readonly Permission[]>, more: Partial<Actor>) => Context
}

/** A clinic with a patient, and what a right booking there says. */
const setting = async ({ as, make }: Given) => {
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const me = as(
    'registrar',
    { [clinic.id]: desk },
    { userId: (await make.user({ role: 'registrar' })).id },
  )
  const booking = {
    id: uuidv7(),
    patient_id: patient.id,
    clinic_id: clinic.id,
    timestamp: nine,
    reason: 'checkup' as const,
  }
  return { clinic, patient, me, booking }
}

test('the form of a new appointment can be sent without departments', () => {
  const begun = startingDraft(appointmentFields, { ...newAppointment, clinic_id: uuidv7() })
  expect(fieldsSchema(appointmentFields).safeParse(begun).success).toBe(true)
})

describe('booking', () => {
  test('takes an hour unless it says otherwise, keeps the order of the departments, and twice is once', async ({
    as,
    make,
    db,
  }) => {
    const { clinic, me, booking } = await setting({ as, make })
    const [first, second] = [
      await make.department({ clinic_id: clinic.id }),
      await make.department({ clinic_id: clinic.id }),
    ]
    const wanted = { ...booking, department_ids: [second.id, first.id] }
    const { last_modified, booked } = await saveAppointment(me, wanted)
    expect(booked).toBe(1)
    expect(await saveAppointment(me, wanted)).toMatchObject({ last_modified })
    const row = await db
      .selectFrom('appointments')
      .selectAll()
      .where('id', '=', booking.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      duration: 60,
      status: 'pending',
      user_id: me.actor.userId,
      notes: '',
      is_walk_in: false,
    })
    expect(row.departments).toEqual(
      [second, first].map(({ id, name }) => ({
        id,
        name,
        seen_at: null,
        seen_by: null,
        status: 'pending',
      })),
    )
    expect(row.timestamp.getTime()).toBe(Date.parse(nine))
  })

  test('is refused where one neither registers people nor views history, and for people one may not know', async ({
    as,
    make,
  }) => {
    const { me, booking } = await setting({ as, make })
    const elsewhere = await make.clinic()
    await expect(
      saveAppointment(me, { ...booking, clinic_id: elsewhere.id }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    const stranger = await make.patient({ primary_clinic_id: elsewhere.id })
    await expect(
      saveAppointment(me, { ...booking, patient_id: stranger.id }),
    ).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test.for([
    ['patient_id', { patient_id: '' }, 'appointments.patientRequired'],
    ['clinic_id', { clinic_id: undefined }, 'appointments.clinicRequired'],
    ['timestamp', { timestamp: 'tomorrow' }, 'validation.wrongType'],
    ['duration', { duration: 0 }, 'validation.tooSmall'],
    ['reason', { reason: 'boredom' }, 'validation.option'],
    ['notes', { notes: 'x'.repeat(2001) }, 'validation.tooLong'],
    ['provider_id', { provider_id: 'somebody' }, 'validation.id'],
    ['provider_id', { provider_id: '018f2f00-0000-7000-8000-00000000dead' }, 'users.notFound'],
    [
      'department_ids',
      { department_ids: ['018f2f00-0000-7000-8000-00000000dead'] },
      'appointments.departmentElsewhere',
    ],
    ['repeat.count', { repeat: { every: 1, unit: 'day', count: 61 } }, 'validation.tooLarge'],
    [
      'repeat',
      { repeat: { every: 1, unit: 'day', until: '2031-03-01' } },
      'appointments.tooManyRepeats',
    ],
  ] as const)('says what is wrong with %s', async ([field, wrong, key], { as, make }) => {
    const { me, booking } = await setting({ as, make })
    await expect(saveAppointment(me, { ...booking, ...wrong } as never)).rejects.toMatchObject({
      code: 'invalid',
      fields: { [field]: { key } },
    })
  })

  test('of a department of another clinic, or of one that is not in use, is refused', async ({
    as,
    make,
  }) => {
    const { clinic, me, booking } = await setting({ as, make })
    const closed = await make.department({ clinic_id: clinic.id, status: 'inactive' })
    for (const department of [await make.department(), closed]) {
      await expect(
        saveAppointment(me, { ...booking, department_ids: [department.id] }),
      ).rejects.toMatchObject({
        fields: { department_ids: { key: 'appointments.departmentElsewhere' } },
      })
    }
  })

  test('in an archived clinic is refused', async ({ as, asUser, make, db }) => {
    const { clinic, booking } = await setting({ as, make })
    const admin = asUser(await make.user({ role: 'admin' }))
    await db.updateTable('clinics').set({ is_archived: true }).where('id', '=', clinic.id).execute()
    await expect(saveAppointment(admin, booking)).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'clinics.archivedReadOnly' },
    })
  })

  test('a series books all of it at once; the rest of it is cancelled together', async ({
    as,
    make,
    db,
  }) => {
    const { me, booking } = await setting({ as, make })
    expect(
      await saveAppointment(me, { ...booking, repeat: { every: 1, unit: 'week', count: 4 } }),
    ).toMatchObject({
      booked: 4,
    })
    const { rows } = await listAppointments(me, {})
    expect(rows.map(({ timestamp }) => timestamp.toISOString().slice(0, 10))).toEqual([
      '2030-03-01',
      '2030-03-08',
      '2030-03-15',
      '2030-03-22',
    ])
    await setAppointmentStatus(me, { id: rows[3]!.id, status: 'completed', isMeant: true })
    expect(await cancelSeries(me, { id: rows[1]!.id })).toEqual({ cancelled: 2 })
    const statuses = await db
      .selectFrom('appointments')
      .select('status')
      .orderBy('timestamp')
      .execute()
    expect(statuses.map(({ status }) => status)).toEqual([
      'pending',
      'cancelled',
      'cancelled',
      'completed',
    ])
  })
})

describe('changing an appointment', () => {
  test('keeps what phones wrote into its departments, and what is known of those that stay', async ({
    as,
    make,
    db,
  }) => {
    const { clinic, me, booking, patient } = await setting({ as, make })
    const [lab, doctor] = [
      await make.department({ clinic_id: clinic.id }),
      await make.department({ clinic_id: clinic.id }),
    ]
    const strange = { id: 'from-a-phone', name: 'Tent', status: 'pending', colour: 'red' }
    const seen = {
      id: lab.id,
      name: 'Lab',
      seen_at: 1_700_000_000_000,
      seen_by: 'x',
      status: 'completed',
      room: 7,
    }
    const { last_modified } = await make.appointment({
      id: booking.id,
      clinic_id: clinic.id,
      patient_id: patient.id,
      departments: JSON.stringify([seen, strange]),
    })
    const same = await saveAppointment(me, {
      ...booking,
      last_modified,
      department_ids: [lab.id],
      notes: 'Fasting',
    })
    const read = () =>
      db
        .selectFrom('appointments')
        .select(['departments', 'notes'])
        .where('id', '=', booking.id)
        .executeTakeFirstOrThrow()
    expect(await read()).toEqual({ departments: [seen, strange], notes: 'Fasting' })
    await saveAppointment(me, {
      ...booking,
      last_modified: same.last_modified,
      department_ids: [lab.id, doctor.id],
    })
    expect((await read()).departments).toMatchObject([
      seen,
      { id: doctor.id, status: 'pending' },
      strange,
    ])
  })

  test('is refused when another user changed it first, with that user’s name and the changes', async ({
    asUser,
    as,
    make,
  }) => {
    const { clinic, booking } = await setting({ as, make })
    const me = as('admin')
    const { last_modified } = await saveAppointment(
      as('admin', {}, { userId: (await make.user()).id }),
      booking,
    )
    const colleague = asUser(await make.user({ name: 'Sara Khatib' }), { [clinic.id]: desk })
    await saveAppointment(colleague, { ...booking, last_modified, notes: 'Brings papers' })
    await expect(
      saveAppointment(me, { ...booking, last_modified, notes: 'x' }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { values: { who: 'Sara Khatib' } },
      fields: { notes: { values: { value: 'Brings papers' } } },
    })
  })

  test("another clinic's is not found, whatever version is claimed", async ({ as, make }) => {
    const { me, booking } = await setting({ as, make })
    const { id, last_modified } = await make.appointment()
    await expect(saveAppointment(me, { ...booking, id, last_modified })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(saveAppointment(me, { ...booking, id })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(moveAppointment(me, { id, last_modified, timestamp: nine })).rejects.toMatchObject(
      {
        code: 'not_found',
      },
    )
    await expect(cancelSeries(me, { id })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('by dragging gives it another time and provider; what has taken place stays where it was', async ({
    as,
    make,
    db,
  }) => {
    const { me, booking } = await setting({ as, make })
    const provider = await make.user({ role: 'admin' })
    const { last_modified } = await saveAppointment(me, booking)
    await moveAppointment(me, {
      id: booking.id,
      last_modified,
      timestamp: '2030-03-02T10:15:00Z',
      provider_id: provider.id,
    })
    const row = await db
      .selectFrom('appointments')
      .selectAll()
      .where('id', '=', booking.id)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({
      provider_id: provider.id,
      timestamp: new Date('2030-03-02T10:15:00Z'),
    })
    await expect(
      moveAppointment(me, { id: booking.id, last_modified, timestamp: nine }),
    ).rejects.toMatchObject({
      code: 'conflict',
    })
    const { last_modified: now } = await setAppointmentStatus(me, {
      id: booking.id,
      status: 'cancelled',
    })
    await expect(
      moveAppointment(me, { id: booking.id, last_modified: now, timestamp: nine }),
    ).rejects.toMatchObject({
      text: { key: 'appointments.moveClosed' },
    })
  })
})

describe('the provider of an appointment', () => {
  const refused = {
    code: 'invalid',
    fields: { provider_id: { key: 'appointments.providerCannot' } },
  }

  test('is someone who may edit records at the clinic, whether booked, changed or moved', async ({
    as,
    make,
  }) => {
    const { clinic, me, booking } = await setting({ as, make })
    const elsewhere = await make.clinic()
    const doctor = await make.user({ name: 'Doctor' })
    const registrar = await make.user({ role: 'registrar', clinic_id: clinic.id })
    const visiting = await make.user({ name: 'Visiting' })
    await make.permission(doctor, clinic.id, ['can_edit_records'])
    await make.permission(registrar, clinic.id, ['can_register_patients'])
    await make.permission(visiting, elsewhere.id, ['can_edit_records'])
    for (const provider of [registrar, visiting]) {
      await expect(
        saveAppointment(me, { ...booking, provider_id: provider.id }),
      ).rejects.toMatchObject(refused)
    }
    const { last_modified } = await saveAppointment(me, { ...booking, provider_id: doctor.id })
    const change = { ...booking, last_modified, provider_id: registrar.id }
    await expect(saveAppointment(me, change)).rejects.toMatchObject(refused)
    const move = { id: booking.id, last_modified, timestamp: nine, provider_id: visiting.id }
    await expect(moveAppointment(me, move)).rejects.toMatchObject(refused)
  })

  test('a provider without the right any more stays until another provider or clinic is chosen', async ({
    as,
    make,
  }) => {
    const { clinic, patient, me, booking } = await setting({ as, make })
    const provider_id = (await make.user({ role: 'registrar' })).id
    const { last_modified } = await make.appointment({
      id: booking.id,
      clinic_id: clinic.id,
      patient_id: patient.id,
      provider_id,
    })
    const kept = { ...booking, provider_id, notes: 'Brings papers' }
    const saved = await saveAppointment(me, { ...kept, last_modified })
    const move = {
      id: booking.id,
      last_modified: saved.last_modified,
      timestamp: nine,
      provider_id,
    }
    const moved = await moveAppointment(me, move)
    const other = await make.clinic()
    const admin = as('admin')
    await expect(
      saveAppointment(admin, { ...kept, last_modified: moved.last_modified, clinic_id: other.id }),
    ).rejects.toMatchObject(refused)
  })

  test('moves to another clinic only without the departments of the old one', async ({
    as,
    make,
  }) => {
    const { clinic, patient, booking } = await setting({ as, make })
    const department = await make.department({ clinic_id: clinic.id })
    const there = await make.department()
    const admin = as('admin')
    const { last_modified } = await make.appointment({
      id: booking.id,
      clinic_id: clinic.id,
      patient_id: patient.id,
      departments: stepsOf(department),
    })
    const move = { ...booking, last_modified, clinic_id: there.clinic_id }
    await expect(
      saveAppointment(admin, { ...move, department_ids: [department.id] }),
    ).rejects.toMatchObject({
      fields: { department_ids: { key: 'appointments.departmentElsewhere' } },
    })
    await saveAppointment(admin, { ...move, department_ids: [there.id] })
    expect(await getAppointment(admin, { id: booking.id })).toMatchObject({
      clinic: expect.any(String),
      clinic_id: there.clinic_id,
      departments: [{ id: there.id, status: 'pending' }],
    })
  })
})

describe('an overlap', () => {
  test('of the same provider’s time is reported; in clinics of others without details', async ({
    as,
    make,
  }) => {
    const { me, booking, clinic } = await setting({ as, make })
    const provider_id = (await make.user({ role: 'admin' })).id
    const at = (timestamp: string, more = {}) =>
      make.appointment({
        clinic_id: clinic.id,
        provider_id,
        timestamp: new Date(timestamp),
        ...more,
      })
    const before = await at('2030-03-01T08:30:00Z', { duration: 45 })
    await at('2030-03-01T08:00:00Z', { duration: 60 })
    await at('2030-03-01T10:00:00Z')
    await at('2030-03-01T09:30:00Z', { status: 'cancelled' })
    await make.appointment({ provider_id, timestamp: new Date('2030-03-01T09:45:00Z') })
    const asked = { provider_id, timestamp: nine, duration: 60 }
    const found = await overlappingAppointments(me, asked)
    expect(found.overlaps.map(({ id }) => id)).toEqual([before.id])
    expect(found.elsewhere).toBe(1)
    expect((await overlappingAppointments(me, { ...asked, id: before.id })).overlaps).toEqual([])
    // it warns, it does not forbid
    expect(await saveAppointment(me, { ...booking, provider_id })).toMatchObject({ booked: 1 })
  })

  test('that was made after the user had looked is asked about', async ({ as, make }) => {
    const { me, booking } = await setting({ as, make })
    const save = (more: object) => saveAppointment(me, { ...booking, id: uuidv7(), ...more })
    const first = await save({ overlaps_shown: 0, confirmed: [], duration: 30 })
    const asks = {
      text: { key: 'asked.against_record' },
      fields: { timestamp: { key: 'appointments.takenMeanwhile' } },
    }
    await expect(save({ overlaps_shown: 0, confirmed: [] })).rejects.toMatchObject(asks)
    await save({ overlaps_shown: 1, confirmed: [] })
    await save({ overlaps_shown: 1, confirmed: ['against_record'] })
    // another reason or note at the same time is no new place; a program is not asked
    const { id, last_modified } = first
    const same = { id, last_modified, duration: 30, overlaps_shown: 0, confirmed: [] }
    const change = { ...same, notes: 'Fasting' }
    await expect(save({ ...change, duration: 90 })).rejects.toMatchObject(asks)
    await save(change)
    await save({})
  })

  test('is asked about at each other door: a series, the calendar, and a cancellation taken back', async ({
    as,
    make,
  }) => {
    const { me, booking: of } = await setting({ as, make })
    const booking = { ...of, provider_id: (await make.user({ role: 'admin' })).id }
    const asks = (key: string) => ({
      text: { key: 'asked.against_record' },
      fields: { timestamp: { key: `appointments.${key}`, values: { count: 1 } } },
    })
    const [id, other] = [uuidv7(), uuidv7()]
    const inWeek = new Date(new Date(nine).getTime() + 7 * 86_400_000).toISOString()
    await saveAppointment(me, { ...booking, id, timestamp: inWeek })

    const repeat = { every: 1, unit: 'week', count: 3 } as const
    const series = { ...booking, repeat, overlaps_shown: 0, confirmed: [] }
    await expect(saveAppointment(me, series)).rejects.toMatchObject(asks('seriesTaken'))
    // both in one question, because its answer answers both
    await make.appointment({ patient_id: booking.patient_id, timestamp: new Date(nine) })
    await expect(saveAppointment(me, series)).rejects.toMatchObject({
      fields: {
        timestamp: { key: 'appointments.takenMeanwhile' },
        repeat: { key: 'appointments.seriesTaken', values: { count: 1 } },
      },
    })

    // one of the same provider and patient is one
    const last_modified = (await saveAppointment(me, { ...booking, id: other })).last_modified
    const move = { id: other, last_modified, timestamp: inWeek }
    await expect(moveAppointment(me, { ...move, confirmed: [] })).rejects.toMatchObject(
      asks('takenAt'),
    )
    await setAppointmentStatus(me, { id, status: 'cancelled', isMeant: true })
    await moveAppointment(me, { ...move, confirmed: [] })
    const back = { id, status: 'pending', isMeant: true } as const
    await expect(setAppointmentStatus(me, { ...back, confirmed: [] })).rejects.toMatchObject(
      asks('takenAt'),
    )
    await setAppointmentStatus(me, { ...back, confirmed: ['against_record'] })
  })
})

describe('deleting', () => {
  test('needs the right to delete records in its clinic, and can be undone', async ({
    as,
    make,
    db,
  }) => {
    const clinic = await make.clinic()
    const { id } = await make.appointment({ clinic_id: clinic.id })
    const both: Permission[] = ['can_register_patients', 'can_delete_records']
    const other = await make.clinic()
    await expect(
      deleteAppointment(as('registrar', { [clinic.id]: desk }), { id }),
    ).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      deleteAppointment(as('provider', { [clinic.id]: desk, [other.id]: both }), { id }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    const user = await make.user()
    const { deletionId } = await deleteAppointment(
      as('provider', { [clinic.id]: both }, { userId: user.id }),
      { id },
    )
    const isDeleted = async () =>
      (
        await db
          .selectFrom('appointments')
          .select('is_deleted')
          .where('id', '=', id)
          .executeTakeFirstOrThrow()
      ).is_deleted
    expect(await isDeleted()).toBe(true)
    await restoreDeletion(as('admin'), { id: deletionId })
    expect(await isDeleted()).toBe(false)
  })

  test('undone says that the time has another appointment by now', async ({ as, make, db }) => {
    const me = as('admin')
    const tomorrow = new Date(Date.now() + 86_400_000)
    const { id, patient_id } = await make.appointment({ timestamp: tomorrow })
    const remove = async () => (await deleteAppointment(me, { id })).deletionId
    const again = async (deletionId: string) =>
      (await restoreDeletion(me, { id: deletionId })).taken
    expect(await again(await remove())).toBe(0)
    const deletionId = await remove()
    const other = await make.appointment({ patient_id, timestamp: tomorrow })
    expect(await again(deletionId)).toBe(1)
    const over = new Date(Date.now() - 86_400_000)
    await db
      .updateTable('appointments')
      .set({ timestamp: over })
      .where('id', 'in', [id, other.id])
      .execute()
    expect(await again(await remove())).toBe(0)
  })
})

describe('the database', () => {
  test('keeps the rules whatever writes', async ({ make, db }) => {
    const { id } = await make.appointment({ departments: stepsOf() })
    const set = (values: object) => db.updateTable('appointments').set(values).where('id', '=', id)
    expect(await brokenRule(db, set({ status: 'late' }))).toBe('appointments_status_check')
    expect(await brokenRule(db, set({ duration: -1 }))).toBe('appointments_duration_check')
    expect(await brokenRule(db, set({ departments: '{}' }))).toBe('appointments_departments_check')
    expect(await brokenRule(db, set({ departments: '[{"id":"x","status":"asleep"}]' }))).toBe(
      'appointments_departments_check',
    )
    const visitOfAnother = await make.visit()
    expect(await brokenRule(db, set({ current_visit_id: visitOfAnother.id }))).toBe(
      'appointments_current_visit_id_fkey',
    )
  })

  test('takes appointments along with their patient, and only unlinks a visit', async ({
    make,
    db,
  }) => {
    const visit = await make.visit()
    const { id, patient_id } = await make.appointment({
      patient_id: visit.patient_id,
      clinic_id: visit.clinic_id,
      current_visit_id: visit.id,
      fulfilled_visit_id: visit.id,
    })
    const read = () =>
      db.selectFrom('appointments').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const remove = (table: string, of: string) =>
      db
        .selectNoFrom((eb) =>
          eb
            .fn('soft_delete', [
              eb.val(table),
              eb.cast(eb.val(of), 'uuid'),
              eb.val('x'),
              eb.cast(eb.val(null), 'uuid'),
            ])
            .as('id'),
        )
        .execute()
    await remove('visits', visit.id)
    expect(await read()).toMatchObject({
      is_deleted: false,
      current_visit_id: null,
      fulfilled_visit_id: null,
    })
    await remove('patients', patient_id)
    expect(await read()).toMatchObject({ is_deleted: true })
  })
})
