import { expect } from 'vitest'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { test } from '../../../../test/harness'
import { checkDrugs } from '~/features/medicines/prescriptions/check/safety-check.server'
import { getToDispense } from '~/features/medicines/dispensing/queue.server'
import { loadPatientFacts } from './facts.server'

const yearsAgo = (years: number) => `${new Date().getFullYear() - years}-01-01`

test('a check knows age, sex, the last weight, pregnancy, kidney function and active problems', async ({
  db,
  make,
  as,
}) => {
  const { patient_id, clinic_id } = await make.visit({
    patient_id: (await make.patient({ sex: 'female', date_of_birth: yearsAgo(30) })).id,
  })
  await make.vital({ patient_id, weight_kg: 61, timestamp: new Date('2026-01-02T09:00:00Z') })
  await make.vital({ patient_id, weight_kg: 64, timestamp: new Date('2026-05-02T09:00:00Z') })
  await make.vital({ patient_id, systolic_bp: 120, timestamp: new Date('2026-06-02T09:00:00Z') })
  await make.vital({
    patient_id,
    weight_kg: 99,
    timestamp: new Date('2026-06-03T09:00:00Z'),
    is_deleted: true,
  })
  await make.vital({
    patient_id,
    creatinine_umol_l: 150,
    timestamp: new Date('2026-04-02T09:00:00Z'),
  })
  await make.pregnancy({ patient_id })
  await make.problem({ patient_id, problem_code: 'J45.9' })
  await make.problem({ patient_id, problem_code: 'K27.9', clinical_status: 'resolved' })
  await make.problem({ patient_id, problem_code: 'M10.9', verification_status: 'refuted' })
  await make.problem({
    patient_id,
    problem_code: '5A11',
    problem_code_system: 'icd11',
    problem_label: 'Something else',
  })
  const facts = await loadPatientFacts(db, patient_id)
  expect(facts).toMatchObject({
    birth: { day: yearsAgo(30), precision: 'day' },
    sex: 'female',
    today: dayIn(new Date(), clinicTimeZone()),
    weight: { kg: 64, at: new Date('2026-05-02T09:00:00Z') },
    pregnancy: { state: 'pregnant', weeks: null },
    creatinine: { umol: 150 },
    problems: ['J45.9'],
  })
  expect(facts.kidneys!.egfr).toBeGreaterThan(30)
  expect(facts.kidneys!.egfr).toBeLessThan(50)
  const me = as('provider', { [clinic_id]: ['can_view_history', 'can_prescribe_medications'] })
  expect((await checkDrugs(me, { patientId: patient_id, drugIds: [] })).facts).toEqual(facts)
  const { id } = await make.prescription({ patient_id, pickup_clinic_id: clinic_id })
  const pharmacist = as('provider', { [clinic_id]: ['can_dispense_medications'] })
  expect((await getToDispense(pharmacist, { id })).facts).toEqual(facts)
})

test('a fact without a record is null; pregnancy is "not known" only where it is possible', async ({
  db,
  make,
}) => {
  const stranger = await make.patient({ sex: null, date_of_birth: null })
  expect(await loadPatientFacts(db, stranger.id)).toMatchObject({
    birth: null,
    sex: null,
    weight: null,
    kidneys: null,
    creatinine: null,
    diedOn: null,
    pregnancy: { state: 'not_known', weeks: null, at: null },
    problems: [],
  })
  const man = await make.patient({ sex: 'male' })
  expect((await loadPatientFacts(db, man.id)).pregnancy.state).toBe('not_pregnant')
  const girl = await make.patient({ sex: 'female', date_of_birth: yearsAgo(5) })
  expect((await loadPatientFacts(db, girl.id)).pregnancy.state).toBe('not_pregnant')
})

test('kidney function is not computed for a child, nor without age or sex; the creatinine is there', async ({
  db,
  make,
}) => {
  for (const values of [
    { date_of_birth: yearsAgo(10) },
    { sex: null, date_of_birth: yearsAgo(40) },
    { date_of_birth: null },
    // may be 17
    {
      date_of_birth: `${new Date().getFullYear() - 18}-07-01`,
      metadata: '{"date_of_birth_precision":"age"}',
    },
  ]) {
    const { id } = await make.patient({ sex: 'female', ...values })
    await make.vital({ patient_id: id, creatinine_umol_l: 90, timestamp: new Date() })
    expect(await loadPatientFacts(db, id)).toMatchObject({
      kidneys: null,
      creatinine: { umol: 90 },
    })
  }
})

test('a problem that is written clearly counts as its code, and "CKD stage 4" as an eGFR below 30', async ({
  db,
  make,
  as,
}) => {
  const { patient_id, clinic_id } = await make.visit({
    patient_id: (await make.patient({ sex: 'male', date_of_birth: yearsAgo(60) })).id,
  })
  const own = { patient_id, problem_code_system: 'snomed' }
  await make.problem({ ...own, problem_code: '431857002', problem_label: 'CKD stage 4' })
  await make.problem({ ...own, problem_code: '1', problem_label: 'No DVT' })
  await make.problem({ patient_id, problem_code: 'N18.9', problem_label: 'CKD stage 4' })
  expect(await loadPatientFacts(db, patient_id)).toMatchObject({
    problems: ['N18.4', 'N18.9'],
    kidneyStage: '4',
  })
  const metformin = await make.drug({ ingredients: ['metformin'] })
  const me = as('provider', { [clinic_id]: ['can_view_history', 'can_prescribe_medications'] })
  const { warnings } = await checkDrugs(me, { patientId: patient_id, drugIds: [metformin.id] })
  expect(warnings).toContainEqual(
    expect.objectContaining({ rule: 'metformin_30', level: 'must_not' }),
  )
})
