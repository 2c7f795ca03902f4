import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { getVisit, saveVisit } from '~/features/record/visits/visits.server'
import { saveVital } from '~/features/care/vitals/vitals.server'
import {
  getPrescription,
  savePrescription,
} from '~/features/medicines/prescriptions/prescriptions.server'
import { happened } from '~/shared/earlier-day'
import { addDays, clinicTimeZone, dayIn, momentAt } from '~/shared/zone'
import { test } from '../../../../test/harness'

const today = () => dayIn(new Date(), clinicTimeZone())
const ago = (days: number) => addDays(today(), -days)
const noonOf = (day: string) => momentAt(`${day}T12:00`, clinicTimeZone())!

test('a visit of an earlier day says who entered it and when; one of today does not', async ({
  asUser,
  make,
}) => {
  const user = await make.user({ role: 'admin' })
  const me = asUser(user)
  const clinic = await make.clinic()
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  const save = async (check_in_timestamp: Date, more = {}) => {
    const id = uuidv7()
    const visit = { id, patient_id: patient.id, clinic_id: clinic.id, check_in_timestamp }
    await saveVisit(me, { ...visit, provider_id: null, reason: null, ...more })
    return getVisit(me, { id })
  }
  expect(await save(noonOf(ago(3)))).toMatchObject({ entered_on: today(), entered_by: user.name })
  expect(await save(new Date())).toMatchObject({ entered_on: null, entered_by: null })
  await expect(save(noonOf(ago(91)), { confirmed: [] })).rejects.toMatchObject({
    text: { key: 'asked.old_day' },
    fields: { check_in_timestamp: { key: 'earlierDay.longAgo' } },
  })
  const old = await save(noonOf(ago(91)), { confirmed: ['old_day'] })
  expect(old).toMatchObject({ entered_on: today() })
  // a program has no user to ask
  expect(await save(noonOf(ago(120)))).toMatchObject({ entered_on: today() })
})

test('a prescription is written for an earlier day, not for one that has not come', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const doctor = await make.user()
  await make.permission(doctor, clinic.id)
  const me = asUser(doctor, { [clinic.id]: ['can_prescribe_medications', 'can_view_history'] })
  const patient = await make.patient({ primary_clinic_id: clinic.id })
  await make.noAllergies(patient.id)
  const drug = await make.drug()
  const save = async (more: object) => {
    const id = uuidv7()
    const items = [{ id: uuidv7(), drug_id: drug.id, dosage_instructions: 'Daily' }]
    const prescription = {
      id,
      patient_id: patient.id,
      provider_id: doctor.id,
      pickup_clinic_id: clinic.id,
      notes: '',
      items,
    }
    expect(await savePrescription(me, { ...prescription, ...more })).toMatchObject({ ok: true })
    return getPrescription(me, { id })
  }
  expect(await save({ day: ago(5) })).toMatchObject({
    prescribed_at: noonOf(ago(5)),
    entered_on: today(),
    entered_by: doctor.name,
  })
  expect(await save({})).toMatchObject({ entered_on: null })
  await expect(save({ day: ago(-1) })).rejects.toMatchObject({
    fields: { day: { key: 'validation.inFuture' } },
  })
  await expect(save({ prescribed_at: noonOf(ago(-2)) })).rejects.toMatchObject({
    fields: { prescribed_at: { key: 'validation.inFuture' } },
  })
  await expect(save({ day: ago(100), confirmed: [] })).rejects.toMatchObject({
    text: { key: 'asked.old_day' },
  })
})

test('vital signs of long ago are asked about once', async ({ asUser, make }) => {
  const me = asUser(await make.user({ role: 'admin' }))
  const patient = await make.patient()
  const vital = {
    id: uuidv7(),
    patient_id: patient.id,
    visit_id: null,
    timestamp: noonOf(ago(200)),
    heart_rate: 70,
  }
  await expect(saveVital(me, { ...vital, asked: [] } as never)).rejects.toMatchObject({
    text: { key: 'asked.old_day' },
    fields: { timestamp: { key: 'earlierDay.longAgo' } },
  })
  await saveVital(me, { ...vital, asked: ['old_day'] } as never)
})

test('an earlier day is its middle in the clinic’s zone; today is now', () => {
  expect(happened({ day: ago(4), confirmed: [] })).toEqual({
    day: ago(4),
    at: noonOf(ago(4)),
    enteredOn: today(),
  })
  expect(happened({ day: today(), confirmed: [] })).toMatchObject({ enteredOn: null })
  expect(happened({ confirmed: [] })).toMatchObject({ day: today(), enteredOn: null })
})
