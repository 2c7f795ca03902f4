import { v7 as uuidv7 } from 'uuid'
import { describe, expect } from 'vitest'
import type { Permission } from '~/shared/permissions'
import { auditOf, test } from '../../../../test/harness'
import { moveAppointment, saveAppointment } from '~/features/day/appointments/booking.server'
import { setAppointmentStatus } from '~/features/day/appointments/status.server'
import { dispense } from '~/features/medicines/dispensing/dispensing.server'
import { savePrescription } from '~/features/medicines/prescriptions/prescriptions.server'
import { checkIn } from '~/features/day/queue/turns.server'
import { summaryDay } from '~/features/reports/dashboard/summary.server'
import { saveVisit } from '~/features/record/visits/visits.server'
import { mergePatients, unmergePatients } from './duplicates/merge.server'
import { getPatient, savePatient } from './patients.server'
import { listPatients } from './search/search.server'

const permissions: Permission[] = [
  'can_register_patients',
  'can_view_history',
  'can_edit_records',
  'can_prescribe_medications',
  'can_dispense_medications',
]

describe('the date of death', () => {
  test('is recorded, shown in the list, audited and taken back', async ({ db, make, asUser }) => {
    const { patient_id, clinic_id } = await make.visit()
    const me = asUser(await make.user({ role: 'admin' }), { [clinic_id]: permissions })
    const read = async () => (await getPatient(me, { id: patient_id })).patient
    const { last_modified, died_on } = await read()
    expect(died_on).toBeNull()
    await savePatient(me, { id: patient_id, last_modified, died_on: '2026-05-03' })
    expect(await read()).toMatchObject({ died_on: '2026-05-03' })
    const { patients } = await listPatients(me, { page: 1 })
    expect(patients.find(({ id }) => id === patient_id)).toMatchObject({ died_on: '2026-05-03' })
    expect((await auditOf(db, patient_id)).at(-1)).toMatchObject({
      changes: { died_on: [null, '2026-05-03'] },
    })
    // another change leaves it as it is, null clears it
    await savePatient(me, {
      id: patient_id,
      last_modified: (await read()).last_modified,
      phone: '0944123456',
    })
    expect(await read()).toMatchObject({ died_on: '2026-05-03' })
    await savePatient(me, {
      id: patient_id,
      last_modified: (await read()).last_modified,
      died_on: null,
    })
    expect(await read()).toMatchObject({ died_on: null })
  })

  test.for([
    // the factory's patient is born in 1990
    ['1980-01-01', 'patients.diedBeforeBirth'],
    ['2999-01-01', 'validation.inFuture'],
  ] as const)('%s is refused at its field: %s', async ([died_on, key], { make, asUser }) => {
    const { patient_id, clinic_id } = await make.visit()
    const me = asUser(await make.user({ role: 'admin' }), { [clinic_id]: permissions })
    const { patient } = await getPatient(me, { id: patient_id })
    const given = { id: patient_id, last_modified: patient.last_modified, died_on }
    await expect(savePatient(me, given)).rejects.toMatchObject({
      code: 'invalid',
      fields: { died_on: { key } },
    })
  })

  test.for([
    [{ date_of_birth: '1990-05-17', died_on: '1990-05-16' }, 'patients_died_on_check'],
    [{ died_on: '2999-01-01' }, 'patients_died_on_future'],
  ] as const)('the database keeps it: %j breaks %s', async ([values, constraint], { make }) => {
    await expect(make.patient(values)).rejects.toMatchObject({ constraint })
  })

  test('an approximate birth may be later than the death', async ({ make }) => {
    const metadata = '{"date_of_birth_precision":"age"}'
    await make.patient({ date_of_birth: '2026-07-01', died_on: '2026-03-01', metadata })
  })

  test('a merge keeps it, and gives it back', async ({ make, as }) => {
    const root = as('super_admin')
    const [winner, loser] = [await make.patient(), await make.patient({ died_on: '2026-05-03' })]
    const { mergeId } = await mergePatients(root, {
      id: uuidv7(),
      winnerId: winner.id,
      loserId: loser.id,
    })
    expect((await getPatient(root, { id: winner.id })).patient).toMatchObject({
      died_on: '2026-05-03',
    })
    await unmergePatients(root, { mergeId })
    expect((await getPatient(root, { id: winner.id })).patient).toMatchObject({ died_on: null })
  })
})

describe('after the death', () => {
  test('a new prescription and a new appointment are refused at the patient, dispensing with a sentence', async ({
    db,
    make,
    asUser,
  }) => {
    const { patient_id, clinic_id } = await make.visit({
      patient_id: (await make.patient({ died_on: '2026-05-03' })).id,
    })
    await make.noAllergies(patient_id)
    const doctor = await make.user()
    const me = asUser(doctor, { [clinic_id]: permissions })
    const refused = { code: 'invalid', fields: { patient_id: { key: 'patients.hasDied' } } }
    const drug = await make.drug()
    const prescription = {
      patient_id,
      provider_id: doctor.id,
      pickup_clinic_id: clinic_id,
      notes: '',
      items: [{ id: uuidv7(), drug_id: drug.id, dosage_instructions: 'Twice a day' }],
    }
    await expect(savePrescription(me, { id: uuidv7(), ...prescription })).rejects.toMatchObject(
      refused,
    )
    // prescribed before the death, recorded after it
    const before = { id: uuidv7(), ...prescription, prescribed_at: '2026-05-02T09:00:00Z' }
    expect(await savePrescription(me, before)).toMatchObject({ ok: true })
    const beforeBirth = { key: 'vitals.beforeBirth' }
    await expect(
      savePrescription(me, { ...before, id: uuidv7(), prescribed_at: '1989-05-02T09:00:00Z' }),
    ).rejects.toMatchObject({ fields: { prescribed_at: beforeBirth } })
    const stored = async () =>
      db
        .selectFrom('prescriptions')
        .select(['last_modified', 'prescribed_at'])
        .where('id', '=', before.id)
        .executeTakeFirstOrThrow()
    const moved = async (given: { day: string } | { prescribed_at: string }) => {
      const { last_modified } = await stored()
      return savePrescription(me, { ...before, prescribed_at: null, last_modified, ...given })
    }
    for (const [day, problem] of [
      ['2026-05-04', { key: 'patients.hasDied' }],
      ['1989-05-02', beforeBirth],
    ] as const) {
      await expect(moved({ day })).rejects.toMatchObject({ fields: { day: problem } })
      const prescribed_at = `${day}T09:00:00Z`
      await expect(moved({ prescribed_at })).rejects.toMatchObject({
        fields: { prescribed_at: problem },
      })
    }
    // a stored day that the record contradicts, as an import brings it, stays until it is changed
    for (const at of ['1989-05-02T09:00:00Z', '2026-05-04T09:00:00Z']) {
      const prescribed_at = new Date(at)
      await db
        .updateTable('prescriptions')
        .set({ prescribed_at })
        .where('id', '=', before.id)
        .execute()
      expect(await moved({ prescribed_at: at })).toMatchObject({ ok: true })
      expect((await stored()).prescribed_at).toEqual(prescribed_at)
    }
    await moved({ prescribed_at: before.prescribed_at })
    const appointment = {
      id: uuidv7(),
      patient_id,
      clinic_id,
      timestamp: new Date(Date.now() + 86_400_000),
      duration: 30,
      reason: 'doctor-visit' as const,
    }
    await expect(saveAppointment(me, appointment)).rejects.toMatchObject(refused)
    const records = [{ id: uuidv7(), batchId: uuidv7(), quantity: 1 }]
    const items = [{ itemId: prescription.items[0]!.id, records }]
    await expect(
      dispense(me, { prescriptionId: before.id, items, overrides: [] }),
    ).rejects.toMatchObject({
      code: 'conflict',
      text: { key: 'patients.hasDied' },
    })
  })

  test('an appointment is neither moved to after it nor confirmed, and is cancelled', async ({
    db,
    make,
    asUser,
  }) => {
    const { id, patient_id, clinic_id, last_modified, timestamp } = await make.appointment({
      timestamp: new Date(Date.now() + 86_400_000),
    })
    const me = asUser(await make.user(), { [clinic_id]: ['can_register_patients'] })
    await db
      .updateTable('patients')
      .set({ died_on: '2026-05-03' })
      .where('id', '=', patient_id)
      .execute()
    const died = { code: 'conflict', text: { key: 'patients.hasDied' } }
    const later = new Date(timestamp.getTime() + 86_400_000)
    await expect(
      moveAppointment(me, { id, last_modified, timestamp: later }),
    ).rejects.toMatchObject(died)
    const whole = { id, last_modified, patient_id, clinic_id, reason: 'doctor-visit' as const }
    await expect(saveAppointment(me, { ...whole, timestamp: later })).rejects.toMatchObject({
      fields: { patient_id: { key: 'patients.hasDied' } },
    })
    await expect(setAppointmentStatus(me, { id, status: 'confirmed' })).rejects.toMatchObject(died)
    // what does not say that the patient comes is saved
    await saveAppointment(me, { ...whole, timestamp, notes: 'Family told' })
    await setAppointmentStatus(me, { id, status: 'cancelled' })
  })

  test('no visit is opened and no patient checked in, whether walking in, booked or from the queue', async ({
    make,
    asUser,
  }) => {
    const { patient_id, clinic_id } = await make.visit({
      patient_id: (await make.patient({ died_on: '2026-05-03' })).id,
    })
    const me = asUser(await make.user(), {
      [clinic_id]: ['can_view_history', 'can_edit_records', 'can_register_patients'],
    })
    const visit = {
      id: uuidv7(),
      patient_id,
      clinic_id,
      provider_id: null,
      reason: null,
      check_in_timestamp: new Date(),
    }
    await expect(saveVisit(me, visit)).rejects.toMatchObject({
      code: 'invalid',
      fields: { patient_id: { key: 'patients.hasDied' } },
    })
    // a visit before the death, recorded after it
    const late = { ...visit, check_in_timestamp: new Date('2026-05-02T09:00:00Z') }
    await saveVisit(me, late)
    const died = { code: 'conflict', text: { key: 'patients.hasDied' } }
    const booked = await make.appointment({
      patient_id,
      clinic_id,
      timestamp: new Date('2026-05-02T09:00:00Z'),
    })
    await expect(
      setAppointmentStatus(me, { id: booked.id, status: 'checked_in', isMeant: true }),
    ).rejects.toMatchObject(died)
    await expect(
      checkIn(me, { id: uuidv7(), patientId: patient_id, clinicId: clinic_id }),
    ).rejects.toMatchObject({ fields: { patient_id: { key: 'patients.hasDied' } } })
    const walkIn = {
      id: uuidv7(),
      patient_id,
      clinic_id,
      is_walk_in: true,
      timestamp: new Date(),
      reason: 'doctor-visit' as const,
    }
    await expect(saveAppointment(me, walkIn)).rejects.toMatchObject({
      fields: { patient_id: { key: 'patients.hasDied' } },
    })
  })

  test('the dashboard does not expect a patient who died', async ({ make, as, db }) => {
    const { patient_id, clinic_id } = await make.appointment({
      timestamp: new Date(),
      status: 'confirmed',
    })
    const expected = async () =>
      (await summaryDay(as('provider', { [clinic_id]: ['can_view_history'] }), {})).appointments
    expect(await expected()).toMatchObject({ confirmed: 1 })
    await db
      .updateTable('patients')
      .set({ died_on: '2026-05-03' })
      .where('id', '=', patient_id)
      .execute()
    expect(await expected()).not.toHaveProperty('confirmed')
  })

  test('the database refuses what was written later, in any zone, and takes what was written before', async ({
    make,
  }) => {
    const { id } = await make.patient({ died_on: '2026-05-03' })
    await make.prescription({ patient_id: id, prescribed_at: new Date('2026-05-03T09:00:00Z') })
    await expect(
      make.prescription({ patient_id: id, prescribed_at: new Date('2026-05-05T00:00:00Z') }),
    ).rejects.toMatchObject({ constraint: 'prescriptions_patient_died' })
  })
})
