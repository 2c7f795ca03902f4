import { stableId } from '~/features/exchange/imports/stable-id'
import type { PhoneChanges } from './phone'

type Place = { clinicId: string; formId: string; userId: string; userName: string }

/** Of a hundred rows of a phone: a patient has visits, what was asked and measured at them, and what follows. */
const share = {
  patients: 6,
  visits: 20,
  events: 40,
  patient_vitals: 14,
  appointments: 10,
  prescriptions: 10,
}
const AT = Date.UTC(2026, 0, 5, 8)

const makeList = <R>(count: number, make: (i: number) => R) =>
  Array.from({ length: count }, (_, i) => make(i))

/**
 * Of its own for each id: a directory that is measured again and again would else have thousands of namesakes, which
 * searches would find. Without the letters of the names that nobody has (`found('nobody', …)`).
 */
export const benchName = (id: string) =>
  Array.from(id.slice(-6), (digit, at) => {
    const value = Number.parseInt(digit, 16)
    return 'bcdfghjklmnprstv'.charAt(value) + 'aeiou'.charAt((at + value) % 5)
  }).join('')

/** Of its own for each id, too. */
export const benchPhoneNumber = (id: string) =>
  `+9617${String(Number.parseInt(id.slice(-6), 16)).padStart(8, '0')}`

/** What a phone sends after work: `rows` new rows, the same ones for the same word. */
export function buildDayChangeSet(
  word: string,
  rows: number,
  { clinicId, formId, userId, userName }: Place,
): PhoneChanges {
  const count = (table: keyof typeof share) => Math.max(1, Math.floor((rows * share[table]) / 100))
  const id = (table: string, i: number) => stableId('bench', word, table, String(i))
  const patient = (i: number) => id('patients', i % count('patients'))
  // a visit's patient is the patient of what was recorded there
  const visit = (i: number) => ({
    visit_id: id('visits', i % count('visits')),
    patient_id: patient(i % count('visits')),
  })
  const common = (table: string, i: number) => ({
    id: id(table, i),
    _status: 'created',
    _changed: '',
    created_at: AT + i * 1_000,
    updated_at: AT + i * 1_000,
    is_deleted: false,
    deleted_at: null,
    metadata: '{}',
  })
  const made = {
    patients: (i: number) => ({
      given_name: benchName(id('given', i)),
      surname: benchName(id('surname', i)),
      date_of_birth: '1990-05-17',
      citizenship: 'Lebanese',
      hometown: 'Saida',
      phone: benchPhoneNumber(id('phone', i)),
      sex: 'female',
      camp: null,
      additional_data: '{}',
      photo_url: null,
      government_id: '',
      external_patient_id: '',
      primary_clinic_id: clinicId,
      last_modified_by: userId,
    }),
    visits: (i: number) => ({
      patient_id: patient(i),
      clinic_id: clinicId,
      provider_id: userId,
      provider_name: userName,
      check_in_timestamp: AT + i * 60_000,
    }),
    events: (i: number) => ({
      ...visit(i),
      form_id: formId,
      event_type: 'Consultation',
      form_data: sampleAnswers(i),
      recorded_by_user_id: userId,
    }),
    patient_vitals: (i: number) => ({
      ...visit(i),
      event_id: null,
      timestamp: AT + i * 60_000,
      systolic_bp: 110 + (i % 40),
      diastolic_bp: 70 + (i % 20),
      bp_position: 'sitting',
      height_cm: 170.5,
      weight_kg: 70.25,
      bmi: 24.2,
      waist_circumference_cm: null,
      heart_rate: 72,
      pulse_rate: null,
      oxygen_saturation: 98,
      respiratory_rate: 16,
      temperature_celsius: 36.85,
      pain_level: 0,
      recorded_by_user_id: userId,
    }),
    appointments: (i: number) => ({
      patient_id: patient(i),
      clinic_id: clinicId,
      provider_id: userId,
      user_id: userId,
      current_visit_id: '',
      fulfilled_visit_id: null,
      timestamp: AT + i * 3_600_000,
      duration: 30,
      reason: 'follow-up',
      notes: '',
      is_walk_in: false,
      departments: '[]',
      status: 'pending',
    }),
    prescriptions: (i: number) => ({
      ...visit(i),
      provider_id: userId,
      filled_by: null,
      pickup_clinic_id: clinicId,
      priority: 'normal',
      expiration_date: AT + 90 * 86_400_000,
      prescribed_at: AT + i * 60_000,
      filled_at: null,
      status: 'pending',
      items: '[]',
      notes: '',
    }),
  }
  const tables = (Object.keys(share) as (keyof typeof share)[]).map((table) => [
    table,
    {
      created: [],
      updated: makeList(count(table), (i) => ({ ...made[table](i), ...common(table, i) })),
      deleted: [],
    },
  ])
  return Object.fromEntries(tables) as PhoneChanges
}

/** Six answers, about as long as people's are. */
export const sampleAnswers = (i: number) =>
  JSON.stringify([
    answer(
      'complaint',
      'free-text',
      `Headache since ${1 + (i % 9)} days, worse in the morning; صداع`,
    ),
    answer(
      'history',
      'free-text',
      'No fever, no vomiting. Takes amlodipine 5 mg in the evening, sometimes forgets it.',
    ),
    answer('allergies', 'binary', i % 7 === 0 ? 'yes' : 'no'),
    answer('weeks', 'free-text', i % 40),
    answer('diagnosis', 'diagnosis', ['Hypertension (I10)', 'Migraine (G43.9)'][i % 2]!),
    answer('plan', 'free-text', 'Blood pressure twice a day for a week, come back with the list.'),
  ])

const answer = (fieldId: string, fieldType: string, value: string | number) => ({
  fieldId,
  name: fieldId,
  inputType: fieldType === 'binary' ? 'radio' : 'text',
  fieldType,
  value,
})
