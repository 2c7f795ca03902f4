import { expect } from 'vitest'
import { runOf } from '../../../../test/report-examples'
import { test } from '../../../../test/harness'
import { ZONE } from '../../../../test/report-history'
import { momentAt } from '~/shared/zone'
import { runCells } from '../cells/cells.server'

test('a month of a clinic is reported as by hand: visits, appointments and prescriptions', async ({
  db,
  make,
}) => {
  const clinic_id = (await make.clinic()).id
  const [amal, bilal] = [(await make.user()).id, (await make.user()).id]
  const at = (time: string) => momentAt(time, ZONE)!
  const woman = { sex: 'female', date_of_birth: '1980-01-01', primary_clinic_id: clinic_id }
  const people = [
    await make.patient({ ...woman, camp: 'North', created_at: at('2026-10-01T00:00') }),
    await make.patient({ ...woman, sex: 'male', created_at: at('2026-10-31T23:59') }),
    await make.patient({
      ...woman,
      date_of_birth: '2024-01-01',
      created_at: at('2026-09-30T23:59'),
    }),
    await make.patient({ ...woman, date_of_birth: null, created_at: at('2026-11-01T00:00') }),
  ].map(({ id }) => id)
  // Monday 5 and Tuesday 6 October: two providers; one of them works on both days
  const visits = []
  for (const [person, time, provider_id] of [
    [0, '2026-10-05T00:10', amal],
    [1, '2026-10-05T09:00', amal],
    [2, '2026-10-05T09:59', bilal],
    [3, '2026-10-06T10:00', amal],
    [0, '2026-10-06T10:30', null],
  ] as const)
    visits.push(
      await make.visit({
        clinic_id,
        patient_id: people[person]!,
        check_in_timestamp: at(time),
        provider_id,
      }),
    )
  await make.problem({ patient_id: people[0]!, visit_id: visits[0]!.id })

  const booked = { clinic_id, patient_id: people[0]! }
  await make.appointment({ ...booked, timestamp: at('2026-10-05T08:00'), status: 'completed' })
  await make.appointment({ ...booked, timestamp: at('2026-10-07T08:00'), status: 'confirmed' })
  await make.appointment({ ...booked, timestamp: at('2026-10-31T23:30'), status: 'pending' })
  await make.appointment({ ...booked, timestamp: at('2026-10-08T08:00'), status: 'cancelled' })
  await make.appointment({ ...booked, timestamp: at('2026-11-01T00:00'), status: 'confirmed' })

  const written = { pickup_clinic_id: clinic_id, prescribed_at: at('2026-10-05T09:00') }
  const first = await make.prescription({ ...written, patient_id: people[0]! })
  const second = await make.prescription({ ...written, patient_id: people[1]! })
  const amoxicillin = await make.drug({ ingredients: ['amoxicillin'] })
  const ibuprofen = await make.drug({ ingredients: ['ibuprofen'] })
  await make.prescriptionItem(first, { drug_id: amoxicillin.id })
  await make.prescriptionItem(first, { drug_id: ibuprofen.id })
  await make.prescriptionItem(second, { drug_id: ibuprofen.id })

  // arrived, and nobody saw the patient: one still waits, the visit of the other was closed when a later day came
  for (const [status, closed_as] of [
    ['checked_in', null],
    ['completed', 'last_entry'],
  ] as const) {
    const visit = await make.visit({
      clinic_id,
      patient_id: people[2]!,
      check_in_timestamp: at('2026-10-09T09:00'),
      ...(closed_as && { closed_at: at('2026-10-09T09:00'), closed_as }),
    })
    const timestamp = at('2026-12-01T08:00')
    const waits = {
      clinic_id,
      patient_id: people[2]!,
      timestamp,
      current_visit_id: visit.id,
      status,
    }
    await make.appointment(waits)
  }

  const { cells } = await runCells(db, runOf('facility-activity', [clinic_id]))
  const values = (section: string) =>
    Object.fromEntries(
      cells
        .filter((cell) => cell.section === section && cell.value !== 0 && cell.value !== null)
        .map(({ row, column, value }) => [column === 'value' ? row : `${row} ${column}`, value]),
    )
  expect(values('activity')).toEqual({
    'open-days': 2,
    // four visits with a provider on three days of providers
    'per-clinician-day': 4 / 3,
    'new-patients': 2,
    'without-diagnosis': 4,
    'without-diagnosis-rate': 80,
  })
  expect(values('consultations')).toEqual({
    'new o5/female': 1,
    'new o5/male': 1,
    'new u5/female': 1,
    'new unknown/female': 1,
    'new total': 4,
    'revisits o5/female': 1,
    'revisits total': 1,
    'all o5/female': 2,
    'all o5/male': 1,
    'all u5/female': 1,
    'all unknown/female': 1,
    'all total': 5,
  })
  expect(values('camps')).toEqual({
    'new camp': 1,
    'new no-camp': 3,
    'new total': 4,
    'revisits camp': 1,
    'revisits total': 1,
  })
  expect(values('weekdays')).toEqual({ 'visits day-1': 3, 'visits day-2': 2, 'visits total': 5 })
  expect(values('hours')).toEqual({
    'visits hour-00': 1,
    'visits hour-09': 2,
    'visits hour-10': 2,
    'visits total': 5,
  })
  expect(values('appointments')).toEqual({
    all: 4,
    pending: 1,
    confirmed: 1,
    completed: 1,
    cancelled: 1,
    missed: 2,
    'missed-rate': (2 / 3) * 100,
  })
  expect(values('prescribing')).toEqual({
    prescriptions: 2,
    items: 3,
    'items-per-prescription': 1.5,
    'antibiotic-rate': 50,
  })
})

test('days with a visit are those of each clinic, added up, and the month of two clinics has no more', async ({
  db,
  make,
}) => {
  const clinics = [(await make.clinic()).id, (await make.clinic()).id]
  const days = [
    ['2026-10-05', '2026-10-06', '2026-10-06', '2026-11-02'],
    ['2026-09-30', '2026-10-06', '2026-10-07'],
  ]
  for (const [at, own] of days.entries())
    for (const day of own)
      await make.visit({
        clinic_id: clinics[at]!,
        check_in_timestamp: momentAt(`${day}T09:00`, ZONE)!,
      })
  const october = (own: string[]) => new Set(own.filter((day) => day.startsWith('2026-10'))).size
  const { cells } = await runCells(db, runOf('facility-activity', clinics))
  expect(cells.find(({ row }) => row === 'open-days')?.value).toBe(
    days.reduce((sum, own) => sum + october(own), 0),
  )
})
