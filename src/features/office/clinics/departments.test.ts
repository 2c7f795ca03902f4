import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Context } from '~/server/operation'
import { makeFactories, stepsOf } from '../../../../test/factories'
import { aRequest, auditOf, brokenRule, cloneTemplate, test } from '../../../../test/harness'
import { getAppointment } from '~/features/day/appointments/appointments.server'
import { deleteAppointment, saveAppointment } from '~/features/day/appointments/booking.server'
import { listQueue } from '~/features/day/queue/queue.server'
import { addDays, clinicTimeZone, dayIn } from '~/shared/zone'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { archiveClinic, getClinic } from './clinics.server'
import {
  checkCapability,
  deleteDepartment,
  saveDepartment,
  setDepartmentStatus,
  toggleCapability,
} from './departments.server'

const switches = {
  can_dispense_medications: false,
  can_perform_labs: false,
  can_perform_imaging: false,
}
const pharmacy = {
  name: 'Pharmacy',
  code: null,
  description: null,
  ...switches,
  additional_capabilities: [],
}
const administering = (clinicId: string) => ({ [clinicId]: ['is_clinic_admin' as const] })

test("a clinic's administrator adds a department, switches what it does, and takes it out of use", async ({
  as,
  make,
}) => {
  const clinic = await make.clinic()
  const me = as('provider', administering(clinic.id))
  const { id } = await saveDepartment(me, {
    id: uuidv7(),
    clinic_id: clinic.id,
    ...pharmacy,
    additional_capabilities: ['dialysis', 'dialysis'],
  })

  await toggleCapability(me, { id, capability: 'dispense_medications' })
  await toggleCapability(me, { id, capability: 'can_perform_labs' })
  await toggleCapability(me, { id, capability: 'perform_labs' })
  await setDepartmentStatus(me, { id, status: 'maintenance' })

  expect((await getClinic(me, { id: clinic.id })).departments).toMatchObject([
    {
      id,
      name: 'Pharmacy',
      display_code: 'P',
      status: 'maintenance',
      can_dispense_medications: true,
      additional_capabilities: ['dialysis'],
    },
  ])
  expect(await checkCapability(me, { id, capability: 'dispense_medications' })).toEqual({
    hasCapability: true,
  })
  expect(await checkCapability(me, { id, capability: 'perform_imaging' })).toEqual({
    hasCapability: false,
  })
})

test('a code that is cut like that of another department is refused beside its box; a stored one stays', async ({
  as,
  make,
}) => {
  const [clinic, other] = [await make.clinic(), await make.clinic()]
  const me = as('admin')
  const one = { ...pharmacy, id: uuidv7(), clinic_id: clinic.id, code: 'PHARM-1' }
  const { last_modified } = await saveDepartment(me, one)
  const second = { ...one, id: uuidv7(), name: 'Second pharmacy', code: 'pharm-2' }
  await expect(saveDepartment(me, second)).rejects.toMatchObject({
    fields: {
      code: { key: 'departments.sameCode', values: { code: 'PHAR', name: 'Pharmacy' } },
    },
  })
  await saveDepartment(me, { ...second, clinic_id: other.id })
  await saveDepartment(me, { ...second, id: uuidv7(), code: 'P2' })
  // two that were alike before this rule are edited otherwise
  await make.department({ clinic_id: clinic.id, name: 'Third', code: 'PHARM-3' })
  await saveDepartment(me, { ...one, last_modified, description: 'Ground floor' })
})

test('the administrator of another clinic changes nothing: the clinic that the department belongs to counts', async ({
  as,
  make,
  db,
}) => {
  const department = await make.department()
  const own = await make.clinic()
  const me = as('provider', administering(own.id))
  const refused = { code: 'forbidden' }
  const { id } = department

  await expect(toggleCapability(me, { id, capability: 'can_perform_labs' })).rejects.toMatchObject(
    refused,
  )
  await expect(setDepartmentStatus(me, { id, status: 'inactive' })).rejects.toMatchObject(refused)
  await expect(deleteDepartment(me, { id })).rejects.toMatchObject(refused)
  // nor by naming the own clinic
  await expect(
    saveDepartment(me, {
      ...pharmacy,
      id,
      clinic_id: own.id,
      last_modified: department.last_modified,
    }),
  ).rejects.toMatchObject(refused)
  expect(await auditOf(db, id)).toHaveLength(1)
})

test('from inactive to maintenance a department goes by way of active', async ({
  as,
  make,
  db,
}) => {
  const { id } = await make.department()
  await setDepartmentStatus(as('admin'), { id, status: 'inactive' })

  await expect(
    setDepartmentStatus(as('admin'), { id, status: 'maintenance' }),
  ).rejects.toMatchObject({
    fields: { status: { key: 'departments.statusMove' } },
  })
  expect(
    await brokenRule(
      db,
      db.updateTable('clinic_departments').set({ status: 'maintenance' }).where('id', '=', id),
    ),
  ).toBe('clinic_departments_status_move')
  await setDepartmentStatus(as('admin'), { id, status: 'active' })
  await setDepartmentStatus(as('admin'), { id, status: 'maintenance' })
})

test('two departments of one clinic cannot have the same name; of two clinics they can', async ({
  as,
  make,
}) => {
  const { clinic_id } = await make.department({ name: 'Pharmacy' })
  const other = await make.clinic()

  await expect(
    saveDepartment(as('admin'), { ...pharmacy, id: uuidv7(), clinic_id }),
  ).rejects.toMatchObject({
    fields: { name: { key: 'departments.nameTaken' } },
  })
  await saveDepartment(as('admin'), { ...pharmacy, id: uuidv7(), clinic_id: other.id })
})

test('every problem with the input is reported beside its field', async ({ as, make }) => {
  const clinic = await make.clinic()
  const wrong = {
    name: '',
    code: 'x'.repeat(21),
    can_perform_labs: 'yes',
    additional_capabilities: [''],
    description: 5,
  }

  await expect(
    saveDepartment(as('admin'), {
      ...pharmacy,
      id: uuidv7(),
      clinic_id: clinic.id,
      ...(wrong as object),
    }),
  ).rejects.toMatchObject({
    code: 'invalid',
    fields: {
      name: { key: 'departments.nameRequired' },
      code: { key: 'validation.tooLong', values: { max: 20 } },
      description: { key: 'validation.wrongType' },
      can_perform_labs: { key: 'validation.wrongType' },
      'additional_capabilities.0': { key: 'validation.required' },
    },
  })
})

test('a deleted department is restored, unless its clinic is deleted', async ({ as, make, db }) => {
  const { id, clinic_id } = await make.department()
  const { deletionId } = await deleteDepartment(as('admin'), { id })
  await db.updateTable('clinics').set({ is_deleted: true }).where('id', '=', clinic_id).execute()
  await expect(restoreDeletion(as('admin'), { id: deletionId! })).rejects.toMatchObject({
    text: { key: 'trash.parentDeleted' },
  })

  await db.updateTable('clinics').set({ is_deleted: false }).where('id', '=', clinic_id).execute()
  await restoreDeletion(as('admin'), { id: deletionId! })
  expect((await getClinic(as('admin'), { id: clinic_id })).departments).toMatchObject([{ id }])
})

describe('a department that appointments use', () => {
  test('is made inactive, whatever its status, and never deleted; the appointment keeps it', async ({
    as,
    make,
  }) => {
    for (const status of ['active', 'maintenance', 'inactive'] as const) {
      const department = await make.department({ status })
      const { id, clinic_id } = department
      const appointment = await make.appointment({ clinic_id, departments: stepsOf(department) })
      const me = as('provider', administering(clinic_id))
      expect(await deleteDepartment(me, { id })).toEqual({ id, deletionId: null })
      expect((await getClinic(me, { id: clinic_id })).departments).toMatchObject([
        { id, status: 'inactive', is_in_use: true },
      ])
      expect((await getAppointment(as('admin'), { id: appointment.id })).departments).toMatchObject(
        [{ id }],
      )
    }
  })

  test('is kept by the database itself, also for an appointment in the trash', async ({
    as,
    make,
    db,
  }) => {
    const department = await make.department()
    const { id, clinic_id } = department
    const appointment = await make.appointment({ clinic_id, departments: stepsOf(department) })
    await deleteAppointment(as('admin'), { id: appointment.id })
    const deleting = db
      .updateTable('clinic_departments')
      .set({ is_deleted: true })
      .where('id', '=', id)
    expect(await brokenRule(db, deleting)).toBe('clinic_departments_in_use')
    expect(await deleteDepartment(as('admin'), { id })).toEqual({ id, deletionId: null })
  })

  test('is not deleted while it is being booked', async () => {
    const db = await cloneTemplate(`department_race_${process.pid}`)
    try {
      const make = makeFactories(db)
      const user = await make.user({ role: 'admin' })
      const actor = {
        userId: user.id,
        name: user.name,
        role: 'admin',
        language: 'en',
        clinicId: null,
        grants: {},
      } as const
      const me: Context = { db, request: aRequest(), actor }
      const { id, clinic_id } = await make.department()
      const patient = await make.patient({ primary_clinic_id: clinic_id })
      const booking = {
        patient_id: patient.id,
        clinic_id,
        reason: 'checkup' as const,
        department_ids: [id],
      }
      const [booked] = await Promise.allSettled([
        saveAppointment(me, { ...booking, id: uuidv7(), timestamp: '2030-03-01T09:00:00.000Z' }),
        deleteDepartment(me, { id }),
      ])
      const { is_deleted } = await db
        .selectFrom('clinic_departments')
        .select('is_deleted')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      expect(is_deleted).toBe(booked.status === 'rejected')
    } finally {
      await db.destroy()
    }
  })
})

test('a department or a clinic where patients are expected is taken out of use only if the user says so', async ({
  as,
  make,
  db,
}) => {
  const clinic = await make.clinic()
  const [lab, pharmacy] = [
    await make.department({ clinic_id: clinic.id, name: 'Laboratory' }),
    await make.department({ clinic_id: clinic.id }),
  ]
  const me = as('super_admin')
  const coming = (more: object) => make.appointment({ clinic_id: clinic.id, ...more })
  const asks = (key: string, values: object) => ({
    text: { key: 'asked.still_expected' },
    fields: { [key.startsWith('clinics') ? 'id' : 'status']: { key, values } },
  })
  const later = new Date(Date.now() + 30 * 86_400_000)
  const toLab = { departments: stepsOf(lab) }
  await coming({ timestamp: later, ...toLab })
  const old = new Date('2026-01-05T09:00:00Z')
  await coming({ timestamp: old, ...toLab })
  // never finished; nobody is there any more
  await coming({ timestamp: old, updated_at: old, status: 'checked_in', ...toLab })
  const { patient_id } = await coming({ timestamp: new Date(), status: 'checked_in', ...toLab })
  await make.visit({ patient_id, clinic_id: clinic.id, check_in_timestamp: new Date() })
  // the one came yesterday evening, and it is past midnight; the other was forgotten yesterday
  for (const hours of [1, 20]) {
    const { id } = await coming({ status: 'checked_in', ...toLab })
    await db
      .updateTable('queue_tokens')
      .set({
        day: addDays(dayIn(new Date(), clinicTimeZone()), -1),
        checked_in_at: new Date(Date.now() - hours * 3_600_000),
      })
      .where('appointment_id', '=', id)
      .execute()
  }

  const close = (more: object) =>
    setDepartmentStatus(me, { id: lab.id, status: 'inactive', ...more })
  const ofLab = asks('departments.stillExpected', { name: 'Laboratory', here: 2, toCome: 1 })
  await expect(close({ confirmed: [] })).rejects.toMatchObject(ofLab)
  await expect(deleteDepartment(me, { id: lab.id, confirmed: [] })).rejects.toMatchObject(ofLab)
  const ofClinic = asks('clinics.stillExpected', { here: 1, toCome: 1, open: 1 })
  await expect(archiveClinic(me, { id: clinic.id, confirmed: [] })).rejects.toMatchObject(ofClinic)
  // nobody is expected there, and a program is not asked
  await setDepartmentStatus(me, { id: pharmacy.id, status: 'inactive', confirmed: [] })
  await close({})
  await setDepartmentStatus(me, { id: lab.id, status: 'active', confirmed: [] })

  // the patient who waits there stays in the queue
  await close({ confirmed: ['still_expected'] })
  const { people } = await listQueue(me, { clinicId: clinic.id })
  expect(people.flatMap(({ steps }) => steps)).toMatchObject([
    { departmentId: lab.id, department: 'Laboratory', status: 'checked_in' },
  ])
  await archiveClinic(me, { id: clinic.id, confirmed: ['still_expected'] })
})
