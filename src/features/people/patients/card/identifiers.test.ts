import { globSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { listReferrals } from '~/features/care/referrals/referrals.server'
import { listAppointments } from '~/features/day/appointments/appointments.server'
import { listQueue as listWaiting } from '~/features/day/queue/queue.server'
import { listDispensingQueue } from '~/features/medicines/dispensing/queue.server'
import { listPrescriptions } from '~/features/medicines/prescriptions/listing.server'
import { test } from '../../../../../test/harness'

test('two patients of one name differ in every list of patients who receive something', async ({
  asUser,
  make,
}) => {
  const clinic = await make.clinic()
  const namesake = { given_name: 'Hassan', surname: 'Khalil', primary_clinic_id: clinic.id }
  const first = await make.patient({
    ...namesake,
    date_of_birth: '1968-03-02',
    external_patient_id: 'EX-1',
  })
  const second = await make.patient({
    ...namesake,
    date_of_birth: '1968-01-01',
    metadata: JSON.stringify({ date_of_birth_precision: 'year' }),
    government_id: 'LB-2',
  })
  for (const { id: patient_id } of [first, second]) {
    await make.prescription({ patient_id, pickup_clinic_id: clinic.id })
    await make.appointment({ patient_id, clinic_id: clinic.id, timestamp: new Date() })
    await make.referral({ patient_id, recorded_clinic_id: clinic.id })
  }
  const me = asUser(await make.user({ role: 'admin' }))
  const lists = {
    prescriptions: (await listPrescriptions(me, { page: 1 })).rows,
    dispensing: (await listDispensingQueue(me, { page: 1 })).rows,
    appointments: (await listAppointments(me, { page: 1 })).rows,
    expected: (await listWaiting(me, { clinicId: clinic.id })).expected,
    referrals: (await listReferrals(me, { page: 1 })).rows,
  }
  for (const [list, rows] of Object.entries(lists)) {
    const of = (patientId: string) =>
      rows.find(({ patient_id }) => patient_id === patientId)?.identifiers
    expect([list, of(first.id)]).toEqual([
      list,
      {
        date_of_birth: '1968-03-02',
        precision: null,
        number: 'EX-1',
      },
    ])
    expect([list, of(second.id)]).toEqual([
      list,
      {
        date_of_birth: '1968-01-01',
        precision: 'year',
        number: 'LB-2',
      },
    ])
  }
})

/** Lists with a column of patients in which nothing is given to anybody. */
const WITHOUT: Record<string, string> = {
  'record/sharing/EmergenciesTable.tsx': 'who read a record',
  'record/sharing/OpeningsTable.tsx': 'who opened a record',
  'record/visits/OpenVisits.tsx': 'visits to close',
  'day/followups/CalledTable.tsx': 'calls that were made',
  'forms/events/explore/AnswersTable.tsx': 'answers to a form',
  'medicines/safety/OverridesTable.tsx': 'decisions to review',
}

test('a list of patients who receive something names them by two identifiers', () => {
  const lists = globSync('src/features/**/*.tsx').filter((file) =>
    /key: 'patient'/.test(readFileSync(file, 'utf8')),
  )
  expect(
    lists.filter(
      (file) =>
        !/<SecondIdentifier\b/.test(readFileSync(file, 'utf8')) && !(file.slice(13) in WITHOUT),
    ),
  ).toEqual([])
  expect(Object.keys(WITHOUT).filter((file) => !lists.includes(`src/features/${file}`))).toEqual([])
  // the queue and the sheet of the day draw their rows themselves
  for (const file of [
    'day/queue/QueueRow',
    'day/appointments/calendar/DayList',
  ])
    expect(readFileSync(`src/features/${file}.tsx`, 'utf8')).toMatch(/<SecondIdentifier\b/)
})
