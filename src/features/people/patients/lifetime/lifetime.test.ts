import { v7 as uuidv7 } from 'uuid'
import { expect } from 'vitest'
import { saveImmunization } from '~/features/care/immunizations/immunizations.server'
import { recordPregnancy } from '~/features/care/pregnancies/pregnancies.server'
import { saveProblem } from '~/features/care/problems/problems.server'
import { enrollInProgram, setDeath } from '~/features/care/programs/programs.server'
import { saveReferral } from '~/features/care/referrals/referrals.server'
import { saveVisit } from '~/features/record/visits/visits.server'
import { saveVital } from '~/features/care/vitals/vitals.server'
import { saveMedicine } from '~/features/medicines/taken/medicines.server'
import { saveRelatedPerson } from '~/features/people/related/related-persons.server'
import type { Context } from '~/server/operation'
import { PERMISSIONS } from '~/shared/permissions'
import { addDays, clinicTimeZone, dayIn, momentAt } from '~/shared/zone'
import { test } from '../../../../../test/harness'
import { mergePatients } from '../duplicates/merge.server'
import { getPatient, savePatient } from '../patients.server'

const today = dayIn(new Date(), clinicTimeZone())
const DIED = addDays(today, -10)
const noon = (day: string) => momentAt(`${day}T12:00`, clinicTimeZone())!

type At = { me: Context; patient_id: string; clinic_id: string }
/** What a user records for a day, by each of its doors. */
const doors: Record<string, (at: At, day: string) => Promise<unknown>> = {
  visit: ({ me, ...of }, day) =>
    saveVisit(me, {
      id: uuidv7(),
      ...of,
      provider_id: null,
      reason: null,
      check_in_timestamp: noon(day),
      closed_at: noon(day),
    }),
  'vital signs': ({ me, patient_id }, day) =>
    saveVital(me, {
      id: uuidv7(),
      patient_id,
      visit_id: null,
      timestamp: noon(day),
      heart_rate: 80,
    } as Parameters<typeof saveVital>[1]),
  immunization: ({ me, patient_id }, given_on) =>
    saveImmunization(me, {
      id: uuidv7(),
      patient_id,
      visit_id: null,
      vaccine: 'mmr',
      given_on,
      dose_number: null,
      lot: null,
      clinic_id: null,
      notes: null,
    }),
  pregnancy: ({ me, patient_id }, asked_on) =>
    recordPregnancy(me, { id: uuidv7(), patientId: patient_id, state: 'pregnant', asked_on }),
  problem: ({ me, patient_id }, onset_date) =>
    saveProblem(me, {
      id: uuidv7(),
      patient_id,
      problem_code_system: 'icd10',
      problem_code: 'I10',
      problem_label: 'Hypertension',
      clinical_status: 'active',
      verification_status: 'confirmed',
      onset_date,
    }),
  'the end of a problem': ({ me, patient_id }, end_date) =>
    saveProblem(me, {
      id: uuidv7(),
      patient_id,
      problem_code_system: 'icd10',
      problem_code: 'J18.9',
      problem_label: 'Pneumonia',
      clinical_status: 'resolved',
      verification_status: 'confirmed',
      onset_date: null,
      end_date,
    }),
  'a medicine from elsewhere': ({ me, patient_id }, since) =>
    saveMedicine(me, {
      id: uuidv7(),
      patient_id,
      name: 'ibuprofen',
      ingredients: ['ibuprofen'],
      source: 'other_clinic',
      since,
    }),
  program: ({ me, patient_id, clinic_id }, enrolled_on) =>
    enrollInProgram(me, { id: uuidv7(), patient_id, clinic_id, program: 'diabetes', enrolled_on }),
}
/** Those of today alone. */
const doorsOfToday: Record<string, (at: At) => Promise<unknown>> = {
  referral: ({ me, patient_id }) =>
    saveReferral(me, {
      id: uuidv7(),
      patient_id,
      visit_id: null,
      to_name: 'Hospital',
      urgency: 'routine',
      reason: 'Chest pain',
      status: 'sent',
      due_on: null,
      reply: null,
    }),
}

test('nothing is recorded for a day after the death, and what was before can be written late', async ({
  make,
  asUser,
}) => {
  const { clinic_id } = await make.visit()
  const me = asUser(await make.user({ role: 'admin' }), { [clinic_id]: [...PERMISSIONS] })
  const { id: patient_id } = await make.patient({
    sex: 'female',
    date_of_birth: '1990-05-17',
    died_on: DIED,
  })
  const at = { me, patient_id, clinic_id }
  for (const [door, enter] of Object.entries(doors)) {
    const fields: unknown = await enter(at, addDays(DIED, 1)).catch(
      (error: unknown) => Object(error).fields,
    )
    expect([door, Object.values(Object(fields))]).toEqual([door, [{ key: 'patients.hasDied' }]])
    await enter(at, DIED)
  }
  for (const enter of Object.values(doorsOfToday))
    await expect(enter(at)).rejects.toMatchObject({
      fields: { patient_id: { key: 'patients.hasDied' } },
    })
})

test('a death or birth that the record contradicts is asked about once, at each door', async ({
  make,
  asUser,
}) => {
  const { clinic_id } = await make.visit()
  const me = asUser(await make.user({ role: 'admin' }), { [clinic_id]: [...PERMISSIONS] })
  for (const [door, enter] of Object.entries(doors)) {
    // neither an onset, an end nor an enrollment is a contact with the patient
    if (['problem', 'the end of a problem', 'program', 'a medicine from elsewhere'].includes(door))
      continue
    const { id } = await make.patient({ sex: 'female', date_of_birth: '1990-05-17' })
    await enter({ me, patient_id: id, clinic_id }, addDays(today, -5))
    const { last_modified } = (await getPatient(me, { id })).patient
    const asksDeath = {
      text: { key: 'asked.against_record' },
      fields: {
        died_on: { key: 'patients.recordsAfterDeath', values: { day: addDays(today, -5) } },
      },
    }
    const dead = { id, died_on: DIED }
    await expect(savePatient(me, { ...dead, last_modified, confirmed: [] })).rejects.toMatchObject(
      asksDeath,
    )
    await expect(setDeath(me, { ...dead, confirmed: [] })).rejects.toMatchObject(asksDeath)
    const born = { id, last_modified, date_of_birth: addDays(today, -4) }
    await expect(savePatient(me, { ...born, confirmed: [] })).rejects.toMatchObject({
      fields: {
        date_of_birth: { key: 'patients.recordsBeforeBirth', values: { day: addDays(today, -5) } },
      },
    })
    // the day itself contradicts nothing; a user who means it, and a program, are not refused
    await setDeath(me, { id, died_on: addDays(today, -5), confirmed: [] })
    await setDeath(me, { ...dead, confirmed: ['against_record'] })
    await setDeath(me, { id, died_on: null })
    await setDeath(me, dead)
  }
})

test('a clinic learns no day that another one recorded', async ({ make, asUser }) => {
  const there = await make.visit()
  const here = await make.clinic()
  const patient = await make.patient({ date_of_birth: '1990-05-17', primary_clinic_id: here.id })
  await make.vital({
    patient_id: patient.id,
    timestamp: noon(today),
    recorded_clinic_id: there.clinic_id,
  })
  const me = asUser(await make.user(), { [here.id]: ['can_register_patients'] })
  const { last_modified } = (await getPatient(me, { id: patient.id })).patient
  await savePatient(me, { id: patient.id, last_modified, died_on: DIED, confirmed: [] })
  expect((await getPatient(me, { id: patient.id })).patient.died_on).toBe(DIED)
})

test('a woman with a pregnancy is made male only by who means it; the question is for those who may read it', async ({
  make,
  asUser,
}) => {
  const { clinic_id } = await make.visit()
  const { id } = await make.patient({ sex: 'female', primary_clinic_id: clinic_id })
  const nurse = asUser(await make.user(), { [clinic_id]: [...PERMISSIONS] })
  const desk = asUser(await make.user(), { [clinic_id]: ['can_register_patients'] })
  await doors['pregnancy']!({ me: nurse, patient_id: id, clinic_id }, today)
  const male = async (me: Context, confirmed: 'against_record'[]) => {
    const { last_modified } = (await getPatient(me, { id })).patient
    return savePatient(me, { id, last_modified, sex: 'male', confirmed })
  }
  await expect(male(nurse, [])).rejects.toMatchObject({
    fields: { sex: { key: 'patients.recordsPregnancy' } },
  })
  await male(nurse, ['against_record'])
  const { last_modified } = (await getPatient(nurse, { id })).patient
  await savePatient(nurse, { id, last_modified, sex: 'female' })
  await male(desk, [])
})

test('a merge asks once about what the kept values contradict in either record', async ({
  make,
  asUser,
}) => {
  const { clinic_id } = await make.visit()
  const me = asUser(await make.user({ role: 'admin' }), { [clinic_id]: [...PERMISSIONS] })
  const one = await make.patient({ sex: 'male', date_of_birth: '1990-05-17', died_on: DIED })
  const other = await make.patient({ sex: 'female', date_of_birth: '1980-05-17' })
  await doors['pregnancy']!({ me, patient_id: other.id, clinic_id }, today)
  await doors['vital signs']!({ me, patient_id: other.id, clinic_id }, '1985-03-01')
  await doors['vital signs']!({ me, patient_id: one.id, clinic_id }, DIED)
  const doubts = {
    sex: { key: 'patients.recordsPregnancy' },
    date_of_birth: { key: 'patients.recordsBeforeBirth', values: { day: '1985-03-01' } },
    died_on: { key: 'patients.recordsAfterDeath', values: { day: today } },
  }
  const merge = (
    [winner, loser] = [one, other],
    choices: Record<string, 'loser'> = {},
    confirmed: 'against_record'[] = [],
  ) =>
    mergePatients(me, {
      id: uuidv7(),
      winnerId: winner!.id,
      loserId: loser!.id,
      choices,
      confirmed,
    })
  const asked = async (...of: Parameters<typeof merge>) =>
    merge(...of).catch((error: unknown) => ({ ...Object(error).fields }) as object)
  expect(await asked()).toEqual(doubts)
  // whichever record is kept
  const taken = { sex: 'loser', date_of_birth: 'loser' } as const
  expect(await asked([other, one], taken)).toEqual(doubts)
  expect(await asked([one, other], taken)).toEqual({ died_on: doubts.died_on })
  await merge([one, other], {}, ['against_record'])

  // and the family of either
  const child = await make.patient({ date_of_birth: '1992-03-01' })
  const [twin, mother] = [
    await make.patient({ sex: 'female', date_of_birth: '2001-05-17' }),
    await make.patient({ sex: 'female', date_of_birth: '1970-05-17' }),
  ]
  await saveRelatedPerson(me, {
    id: uuidv7(),
    patient_id: child.id,
    relationship: 'mother',
    related_patient_id: mother.id,
  })
  expect(await asked([twin, mother])).toMatchObject({
    date_of_birth: { key: 'relatedPersons.contradictsOf' },
  })
  await merge([twin, mother], { date_of_birth: 'loser' })
})
