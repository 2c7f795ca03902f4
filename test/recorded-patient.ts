import type { Selectable } from 'kysely'
import type { DB } from '~/db/types'
import { VACCINES } from '~/shared/vaccines'
import { addDays } from '~/shared/zone'
import type { makeFactories } from './factories'
import { randomOf } from './random-day'

type Make = ReturnType<typeof makeFactories>
type Around = {
  clinic: { id: string }
  user: { id: string }
  drugs: Selectable<DB['drug_catalogue']>[]
  form: { id: string }
  /** yyyy-MM-dd */
  today: string
}

const PROBLEMS = { I10: 'Hypertension', E11: 'Diabetes', J45: 'Asthma', G40: 'Epilepsy' }
const ALLERGIES = ['Penicillin', 'Latex', 'Peanuts', 'Ibuprofen']
const ELSEWHERE = ['Warfarin', 'Digoxin', 'Lithium', 'Metformin']
const SIGNS = {
  temperature_celsius: [365, 385],
  heart_rate: [600, 900],
  respiratory_rate: [140, 220],
  oxygen_saturation: [950, 990],
  weight_kg: [550, 800],
  height_cm: [1500, 1800],
  systolic_bp: [1100, 1500],
  diastolic_bp: [650, 850],
  creatinine_umol_l: [500, 900],
} as const

const LINES = [{ name: 'Folic acid', dosage: 5 }, 'Zinc 20 mg']
const LINE_NAMES = ['Folic acid · 5', 'Zinc 20 mg']

export type Facts = Record<
  'problems' | 'allergies' | 'medicines' | 'vaccines' | 'signs' | 'pregnancy' | 'person',
  string[]
>

/** A patient with a record of every kind, as a clinic and its phones write them, and what holds of it today. */
export async function recordedPatient(make: Make, around: Around, seed: number) {
  const { clinic, user, drugs, form, today } = around
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]) => from[random(from.length)]!
  const dayAt = (back: number) => addDays(today, -back)
  const patient = await make.patient({
    primary_clinic_id: clinic.id,
    given_name: pick(['Layla', 'ليلى', 'María José']),
    surname: `${pick(['Haddad', 'الحداد', 'Núñez'])} ${seed}`,
    sex: 'female',
    date_of_birth: `19${60 + random(40)}-0${1 + random(9)}-1${random(10)}`,
    phone: pick([`0501${100_000 + seed}`, '', null]),
    government_id: pick([`N-${seed}`, '', null]),
    hometown: pick(['Idlib', '', null]),
    metadata: JSON.stringify(pick([{}, { app: { theme: 'x' } }])),
  })
  const patient_id = patient.id
  const visits: { id: string }[] = []
  for (const back of [120, 40, 5])
    visits.push(
      await make.visit({
        patient_id,
        clinic_id: clinic.id,
        provider_id: user.id,
        reason: pick(['Cough', '', null]),
        check_in_timestamp: `${dayAt(back)}T08:00:00Z`,
        closed_at: `${dayAt(back)}T09:00:00Z`,
      }),
    )
  const of = (at = random(3)) => ({
    patient_id,
    visit_id: visits[at]!.id,
    recorded_clinic_id: clinic.id,
    recorded_by_user_id: user.id,
  })
  const facts: Facts = {
    person: [`${patient.given_name} ${patient.surname}`, patient.date_of_birth!],
    problems: [],
    allergies: [],
    medicines: [],
    vaccines: [],
    signs: [],
    pregnancy: [],
  }
  for (const [code, label] of Object.entries(PROBLEMS)) {
    const clinical_status = pick(['active', 'unknown', 'remission', 'inactive', 'resolved'])
    const verification_status = pick(['confirmed', 'provisional', 'unconfirmed', 'refuted'])
    const is_deleted = random(5) === 0
    await make.problem({
      ...of(),
      problem_code: code,
      problem_label: label,
      clinical_status,
      verification_status,
      is_deleted,
      onset_date: pick([`${dayAt(400)}T00:00:00Z`, `${dayAt(300)}T11:22:33Z`, null]),
      severity_score: pick([3, null]),
    })
    const isPresent = ['active', 'unknown', 'remission'].includes(clinical_status)
    if (isPresent && verification_status !== 'refuted' && !is_deleted) facts.problems.push(code)
  }
  for (const substance of ALLERGIES) {
    const status = pick(['active', 'inactive', 'refuted'])
    const { visit_id: _visit, ...own } = of()
    await make.allergy({
      ...own,
      substance,
      substance_kind: 'other',
      substance_code: null,
      status,
      severity: pick(['mild', 'severe', null]),
      reaction: pick(['Rash', '', null]),
    })
    if (status === 'active') facts.allergies.push(substance)
  }
  for (const name of ELSEWHERE) {
    const until = pick([null, dayAt(1), today, addDays(today, 5)])
    const { visit_id: _visit, ...own } = of()
    await make.medicine({ ...own, name, ingredients: [name], until, dose: pick(['1 a day', null]) })
    if (until === null || until >= today) facts.medicines.push(name)
  }
  const stop = { patient_id, decision: 'stop', decided_on: today, reason: 'Muscle pain for weeks' }
  {
    // ended by a review, though its last day is not over
    const { visit_id: _visit, ...own } = of()
    const medicine = await make.medicine({ ...own, name: 'Codeine', until: today })
    await make.medicineDecision({
      ...stop,
      kind: 'elsewhere',
      patient_medicine_id: medicine.id,
      name: 'Codeine',
    })
  }
  for (const drug of drugs) {
    const { recorded_by_user_id: _user, ...own } = of()
    const prescription = await make.prescription({
      ...own,
      pickup_clinic_id: clinic.id,
      provider_id: user.id,
      prescribed_at: `${dayAt(4)}T08:30:00Z`,
      expiration_date: pick([`${addDays(today, 30)}T08:00:00Z`, `${dayAt(2)}T08:00:00Z`]),
    })
    const item_status = pick(['active', 'active', 'cancelled'])
    await make.prescriptionItem(prescription, { drug_id: drug.id, item_status })
    const isOpen = prescription.expiration_date!.toISOString().slice(0, 10) >= today
    if (item_status === 'active' && isOpen) facts.medicines.push(drug.generic_name)
  }
  await make.prescription({
    patient_id,
    visit_id: visits[2]!.id,
    recorded_clinic_id: clinic.id,
    pickup_clinic_id: clinic.id,
    provider_id: user.id,
    prescribed_at: `${dayAt(4)}T08:30:00Z`,
    expiration_date: `${addDays(today, 30)}T08:00:00Z`,
    items: JSON.stringify(LINES),
  })
  const stopped = pick([...LINE_NAMES, null])
  if (stopped) await make.medicineDecision({ ...stop, kind: 'text', name: stopped })
  facts.medicines.push(...LINE_NAMES.filter((name) => name !== stopped))
  for (const [at, back] of [700, 300, 20].entries()) {
    const vaccine = pick(VACCINES)
    const given_on = dayAt(back)
    await make.immunization({ ...of(), vaccine, given_on, dose_number: pick([at + 1, null]) })
    facts.vaccines.push(`${vaccine} ${given_on}`)
  }
  const newest: Record<string, number> = {}
  for (const [at, back] of [40, 12, 3].entries()) {
    const values: Record<string, number | null> = {}
    for (const [sign, [low, high]] of Object.entries(SIGNS))
      values[sign] = at > 0 && random(3) === 0 ? null : (low + random(high - low)) / 10
    // a pressure has both parts
    if (values['systolic_bp'] === null || values['diastolic_bp'] === null)
      Object.assign(values, { systolic_bp: null, diastolic_bp: null })
    await make.vital({ ...of(), ...values, timestamp: `${dayAt(back)}T08:10:00Z` })
    for (const [sign, value] of Object.entries(values)) if (value !== null) newest[sign] = value
  }
  facts.signs = Object.entries(newest).map(([sign, value]) => `${sign} ${value}`)
  const state = pick(['pregnant', 'not_pregnant', 'nothing'])
  if (state !== 'nothing') {
    const due_on = state === 'pregnant' ? addDays(today, 60) : null
    const { visit_id: _visit, recorded_clinic_id: _clinic, ...own } = of()
    await make.pregnancy({
      ...own,
      state,
      asked_on: dayAt(3),
      ...(due_on && { due_on, dating: 'due_date' }),
    })
    facts.pregnancy = [`${state} ${due_on ?? ''}`]
  }
  const inForm = 'Cefixime'
  facts.medicines.push(inForm)
  await make.event({
    ...of(2),
    form_id: form.id,
    form_version: 1,
    created_at: `${dayAt(5)}T08:20:00Z`,
    form_data: JSON.stringify([
      { fieldId: 't', name: 'Text', fieldType: 'free-text', inputType: 'text', value: 'Wheeze' },
      { fieldId: 'n', name: 'Number', fieldType: 'free-text', inputType: 'number', value: 12.5 },
      { fieldId: 'old', name: 'Removed', fieldType: 'free-text', inputType: 'text', value: 'kept' },
      {
        fieldId: 'm',
        name: 'Medicines',
        fieldType: 'medicine',
        inputType: 'input-group',
        value: [{ id: `m-${seed}`, name: inForm }],
      },
    ]),
  })
  await make.appointment({
    patient_id,
    clinic_id: clinic.id,
    provider_id: pick([user.id, null]),
    timestamp: `${addDays(today, 7)}T09:00:00Z`,
    status: pick(['pending', 'confirmed', 'cancelled']),
    notes: pick(['Bring the inhaler', '']),
  })
  return { id: patient_id, visits, facts, inForm }
}
