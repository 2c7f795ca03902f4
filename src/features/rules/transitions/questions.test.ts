import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import { test as base } from '../../../../test/harness'
import { setDeath } from '~/features/care/programs/programs.server'
import {
  appointmentCalendar,
  getAppointment,
  listAppointments,
} from '~/features/day/appointments/appointments.server'
import {
  appointmentsToCome,
  moveAppointment,
  overlappingAppointments,
  saveAppointment,
} from '~/features/day/appointments/booking.server'
import { summaryDay } from '~/features/reports/dashboard/summary.server'
import { listQueue, listPatientQueue } from '~/features/day/queue/queue.server'
import { checkIn } from '~/features/day/queue/turns.server'
import {
  getPrescription,
  savePrescription,
} from '~/features/medicines/prescriptions/prescriptions.server'
import { setPrescriptionStatus } from '~/features/medicines/prescriptions/status.server'
import { restoreDeletion } from '~/features/office/trash/trash.server'
import { appointmentsOfUser, deleteUser } from '~/features/office/users/users.server'
import { getPatient, savePatient } from '~/features/people/patients/patients.server'

const DAY = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY)
const dayOf = (at: Date) => at.toISOString().slice(0, 10)

const test = base.extend('day', async ({ make, asUser }) => {
  const clinic = await make.clinic()
  const me = asUser(await make.user({ role: 'admin' }))
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await make.noAllergies(patient.id)
  const at = { patient_id: patient.id, clinic_id: clinic.id }
  return { me, at, book: (values: object = {}) => make.appointment({ ...at, ...values }) }
})

describe('a death', () => {
  test.for(['patients.save', 'patients.setDeath'] as const)(
    'cancels the appointments to come if the user says so: %s',
    async (door, { day, as }) => {
      const { me, at, book } = day
      const [past, next, later] = [
        await book({ timestamp: inDays(-3) }),
        await book({ timestamp: inDays(1), status: 'confirmed' }),
        await book({ timestamp: inDays(8) }),
      ]
      expect(await appointmentsToCome(me, { patientId: at.patient_id })).toEqual({ count: 2 })
      const elsewhere = as('registrar', { [uuidv7()]: ['can_register_patients'] })
      await expect(
        appointmentsToCome(elsewhere, { patientId: at.patient_id }),
      ).rejects.toMatchObject({ code: 'not_found' })
      const record = async (died_on: string | null, cancel_appointments?: boolean) => {
        const { patient } = await getPatient(me, { id: at.patient_id })
        const death = { id: at.patient_id, died_on, cancel_appointments }
        if (door === 'patients.setDeath') await setDeath(me, death)
        else await savePatient(me, { ...death, last_modified: patient.last_modified })
      }
      const statuses = async () =>
        Promise.all(
          [past, next, later].map(async ({ id }) => (await getAppointment(me, { id })).status),
        )
      await record(dayOf(inDays(-1)))
      expect(await statuses()).toEqual(['pending', 'confirmed', 'pending'])
      await record(null)
      await record(dayOf(inDays(-1)), true)
      expect(await statuses()).toEqual(['pending', 'cancelled', 'cancelled'])
    },
  )

  test('is said in every list of the day', async ({ day, db }) => {
    const { me, at, book } = day
    const died_on = dayOf(inDays(0))
    await book({ timestamp: new Date() })
    await checkIn(me, { id: uuidv7(), patientId: at.patient_id, clinicId: at.clinic_id })
    await book({ timestamp: new Date() })
    await db.updateTable('patients').set({ died_on }).where('id', '=', at.patient_id).execute()
    const { people, expected } = await listQueue(me, { clinicId: at.clinic_id })
    expect(people.map(({ diedOn }) => diedOn)).toEqual([died_on])
    expect(expected.map((row) => row.died_on)).toEqual([died_on])
    const { rows } = await listAppointments(me, { clinicId: at.clinic_id, when: 'all' })
    expect(rows.map((row) => row.died_on)).toEqual([died_on, died_on])
    const days = { clinicId: at.clinic_id, from: died_on, to: died_on }
    const { appointments } = await appointmentCalendar(me, days)
    expect(appointments.map((row) => row.died_on)).toEqual([died_on, died_on])
    expect((await summaryDay(me, null)).waiting.map((row) => row.died_on)).toEqual([died_on])
  })
})

test('a patient who waits is known to the desk, which sees no history', async ({
  day,
  as,
  make,
}) => {
  const { me, at, book } = day
  const desk = as('registrar', { [at.clinic_id]: ['can_register_patients'] })
  expect(await listPatientQueue(desk, { patientId: at.patient_id })).toEqual([])
  const { token } = await checkIn(me, {
    id: uuidv7(),
    patientId: at.patient_id,
    clinicId: at.clinic_id,
  })
  expect(await listPatientQueue(desk, { patientId: at.patient_id })).toMatchObject([
    { number: token, clinic_id: at.clinic_id },
  ])
  // who was not finished on an earlier day is still shown
  const late = await book({ status: 'checked_in', updated_at: inDays(-2) })
  const { unfinished, unfinishedCount } = await listQueue(desk, { clinicId: at.clinic_id })
  expect([unfinished.map(({ id }) => id), unfinishedCount]).toEqual([[late.id], 1])
  await make.visit({ ...at, check_in_timestamp: inDays(-2) })
  expect((await summaryDay(me, null)).openVisits).toBe(1)
  expect((await summaryDay(desk, null)).openVisits).toBeNull()
})

describe('a planned day', () => {
  test.for(['1900-01-01T09:00:00Z', '2099-01-01T09:00:00Z'])(
    'of an appointment cannot be %s, booked or moved',
    async (timestamp, { day }) => {
      const { me, at, book } = day
      const wrong = { fields: { timestamp: { key: 'dates.appointmentImpossible' } } }
      const { id, last_modified } = await book()
      await expect(moveAppointment(me, { id, last_modified, timestamp })).rejects.toMatchObject(
        wrong,
      )
      await expect(
        saveAppointment(me, { id: uuidv7(), ...at, timestamp, reason: 'other' }),
      ).rejects.toMatchObject(wrong)
      // one that came from a phone is changed in other respects
      const sent = await book({ timestamp: new Date(timestamp) })
      await saveAppointment(me, {
        ...at,
        id: sent.id,
        timestamp,
        reason: 'other',
        notes: 'Late',
        last_modified: sent.last_modified,
      })
    },
  )

  test('of a prescription is not before the prescription', async ({ day, make, db }) => {
    const { me, at } = day
    const drug = await make.drug()
    const prescription = {
      id: uuidv7(),
      patient_id: at.patient_id,
      provider_id: me.actor.userId,
      pickup_clinic_id: at.clinic_id,
      notes: '',
      items: [{ id: uuidv7(), drug_id: drug.id, dosage_instructions: '1' }],
    }
    const wrong = { fields: { expiration_date: { key: 'dates.expiryImpossible' } } }
    for (const expiration_date of ['1990-01-01', dayOf(inDays(-1)), '2099-01-01'])
      await expect(
        savePrescription(me, { ...prescription, expiration_date }),
      ).rejects.toMatchObject(wrong)
    await savePrescription(me, { ...prescription, expiration_date: dayOf(inDays(30)) })
    // what a phone sent stays while it is not changed
    await db
      .updateTable('prescriptions')
      .set({ expiration_date: new Date('1990-01-01T00:00:00Z') })
      .where('id', '=', prescription.id)
      .execute()
    const { last_modified } = await getPrescription(me, { id: prescription.id })
    const kept = { ...prescription, last_modified, expiration_date: '1990-01-01' }
    expect(await savePrescription(me, kept)).toMatchObject({ ok: true })
  })
})

test('the same patient at the same time is noticed, with any provider or none', async ({
  day,
  make,
  as,
}) => {
  const { me, at, book } = day
  const timestamp = inDays(2)
  const provider = await make.user({ name: 'Dr. Rana' })
  const first = await book({ timestamp, provider_id: provider.id })
  const elsewhere = await book({ timestamp, clinic_id: (await make.clinic()).id })
  const question = { timestamp, duration: 30, patient_id: at.patient_id }
  const found = await overlappingAppointments(me, question)
  expect(found.ofPatient.map(({ id }) => id).toSorted()).toEqual(
    [first.id, elsewhere.id].toSorted(),
  )
  const desk = as('registrar', { [at.clinic_id]: ['can_register_patients'] })
  expect(await overlappingAppointments(desk, { ...question, provider_id: null })).toMatchObject({
    overlaps: [],
    ofPatient: [{ id: first.id, provider: 'Dr. Rana' }],
    ofPatientElsewhere: 1,
  })
  const stranger = as('registrar', { [uuidv7()]: ['can_register_patients'] })
  await expect(overlappingAppointments(stranger, question)).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('deleting a user names their appointments to come, which stay booked without a provider', async ({
  day,
  make,
}) => {
  const { me, book } = day
  const provider = await make.user({ name: 'Dr. Rana' })
  const [next, past] = [
    await book({ provider_id: provider.id, timestamp: inDays(1) }),
    await book({ provider_id: provider.id, timestamp: inDays(-1) }),
  ]
  const { count, rows } = await appointmentsOfUser(me, { id: provider.id })
  expect([count, rows.map(({ id }) => id)]).toEqual([1, [next.id]])
  const { deletionId } = await deleteUser(me, { id: provider.id })
  const providerOf = async (id: string) => (await getAppointment(me, { id })).provider_id
  expect([await providerOf(next.id), await providerOf(past.id)]).toEqual([null, provider.id])
  await restoreDeletion(me, { id: deletionId })
  expect(await providerOf(next.id)).toBe(provider.id)
})

test('partially picked up with nothing dispensed needs a reason, as picked up does', async ({
  day,
  make,
}) => {
  const { me } = day
  const prescription = await make.prescription({ status: 'prepared' })
  await make.prescriptionItem(prescription, {})
  const step = { id: prescription.id, status: 'partially-picked-up' as const }
  await expect(setPrescriptionStatus(me, step)).rejects.toMatchObject({
    fields: { reason: { key: 'prescriptions.pickedUpNeedsReason' } },
  })
  await setPrescriptionStatus(me, { ...step, reason: 'Dispensed at the hospital' })
  expect(await getPrescription(me, { id: step.id })).toMatchObject({
    status: 'partially-picked-up',
    status_reason: 'Dispensed at the hospital',
  })
})
