import type { Clinic, Person } from './clinic'
import type { Phone, Row, TableName } from './phone'

/** What a stock app fills in when a user registers a patient. */
export const aPatient = (clinic: { id: string } | null, values: Row = {}): Row => ({
  given_name: 'Layla',
  surname: 'Haddad',
  date_of_birth: '1990-05-17',
  citizenship: '',
  hometown: '',
  phone: '',
  sex: 'female',
  camp: null,
  additional_data: '{}',
  photo_url: null,
  government_id: '',
  external_patient_id: '',
  primary_clinic_id: clinic?.id ?? null,
  ...values,
})

/** A prescription without items, as a phone sends it. */
export const aNewPrescription = (
  author: Person,
  clinic: { id: string },
  patient_id: string,
): Row => ({
  patient_id,
  provider_id: author.id,
  filled_by: null,
  pickup_clinic_id: clinic.id,
  visit_id: null,
  priority: 'normal',
  expiration_date: 0,
  prescribed_at: 1,
  filled_at: null,
  status: 'pending',
  items: '[]',
  notes: '',
})

type Stock = { drug: { id: string }; batch?: { id: string }; form: { id: string } }
type Chart = Record<
  | 'patients'
  | 'patient_additional_attributes'
  | 'visits'
  | 'events'
  | 'patient_vitals'
  | 'patient_problems'
  | 'appointments'
  | 'prescriptions'
  | 'prescription_items'
  | 'dispensing_records',
  string
>
export const CHART_TABLES = [
  'patients',
  'patient_additional_attributes',
  'visits',
  'events',
  'patient_vitals',
  'patient_problems',
  'appointments',
  'prescriptions',
  'prescription_items',
  'dispensing_records',
] as const satisfies TableName[]

const DAY = 86_400_000

/** A row of every table that phones write, with values that have been lost before. Returns their ids. */
export async function aChart(
  phone: Phone,
  author: Person,
  clinic: Clinic,
  { drug, batch, form, note = 'كبير' }: Stock & { note?: string },
): Promise<Chart> {
  const metadata = JSON.stringify({ kept: [1, 2.5, null, 'ø'], nested: { a: { b: [] } } })
  const patients = await phone.create(
    'patients',
    aPatient(clinic, {
      given_name: 'ليلى 🩺',
      surname: 'O\'Hara \\ "quoted" \n second line',
      date_of_birth: '1899-12-31',
      phone: '+961 1 234567',
      camp: '',
      photo_url: 'https://clinic.example/p.jpg',
      additional_data: JSON.stringify({ weight: 0, smokes: false, اسم: 'قيمة' }),
      last_modified_by: author.id,
      metadata,
    }),
  )
  const of = { patient_id: patients, metadata }
  const by = { recorded_by_user_id: author.id }
  const visits = await phone.create('visits', {
    ...of,
    clinic_id: clinic.id,
    provider_id: author.id,
    provider_name: author.name,
    check_in_timestamp: -DAY * 365 * 70,
  })
  const form_data = JSON.stringify([
    { fieldId: 'f1', name: 'note', inputType: 'textarea', fieldType: 'free-text', value: note },
    { fieldId: 'f2', name: 'n', inputType: 'number', fieldType: 'free-text', value: 0 },
  ])
  const events = await phone.create('events', {
    ...of,
    ...by,
    form_id: form.id,
    visit_id: visits,
    event_type: 'Check-up',
    form_data,
  })
  return {
    patients,
    visits,
    events,
    patient_additional_attributes: await phone.create('patient_additional_attributes', {
      ...of,
      attribute_id: crypto.randomUUID(),
      attribute: 'languages',
      number_value: 0,
      boolean_value: false,
      date_value: Date.UTC(1995, 2, 4),
      string_value: `Arabic${String.fromCharCode(31)}Español`,
    }),
    patient_vitals: await phone.create('patient_vitals', {
      ...of,
      ...by,
      visit_id: visits,
      event_id: events,
      timestamp: Date.UTC(2100, 0, 1),
      systolic_bp: 0,
      diastolic_bp: 300.5,
      bp_position: 'sitting',
      height_cm: 170.25,
      weight_kg: 70.25,
      bmi: 24.307_958_477_508_65,
      waist_circumference_cm: 80.1,
      heart_rate: 0,
      pulse_rate: 71,
      oxygen_saturation: 97.5,
      respiratory_rate: 16,
      temperature_celsius: 36.85,
      pain_level: 0,
    }),
    patient_problems: await phone.create('patient_problems', {
      ...of,
      ...by,
      visit_id: visits,
      problem_code_system: 'icd11',
      problem_code: 'BA00',
      problem_label: 'Hypertension',
      clinical_status: 'active',
      verification_status: 'confirmed',
      severity_score: 0,
      onset_date: 0,
      end_date: Date.UTC(1969, 6, 20),
    }),
    appointments: await phone.create('appointments', {
      ...of,
      provider_id: author.id,
      clinic_id: clinic.id,
      user_id: author.id,
      current_visit_id: visits,
      fulfilled_visit_id: null,
      timestamp: Date.UTC(2026, 0, 5, 8),
      duration: 0,
      reason: 'follow-up',
      notes: '',
      is_walk_in: false,
      departments: JSON.stringify([
        {
          id: crypto.randomUUID(),
          name: 'Lab',
          seen_at: null,
          seen_by: null,
          status: 'pending',
          extra: 1,
        },
      ]),
      status: 'pending',
    }),
    ...(await aPrescription(phone, author, clinic, of, visits, drug, batch)),
  }
}

async function aPrescription(
  phone: Phone,
  author: Person,
  clinic: Clinic,
  of: Row & { patient_id: string },
  visit: string,
  drug: { id: string },
  batch?: { id: string },
) {
  const prescriptions = await phone.create('prescriptions', {
    ...of,
    provider_id: author.id,
    filled_by: null,
    pickup_clinic_id: clinic.id,
    visit_id: visit,
    priority: 'high',
    expiration_date: 0,
    prescribed_at: Date.UTC(2026, 0, 5, 9, 30, 0, 123),
    filled_at: null,
    status: 'partially-picked-up',
    items: JSON.stringify([{ id: 'x', medication: 'قديم' }]),
    notes: '',
  })
  const prescription_items = await phone.create('prescription_items', {
    ...of,
    recorded_by_user_id: author.id,
    prescription_id: prescriptions,
    drug_id: drug.id,
    clinic_id: clinic.id,
    dosage_instructions: '1 × 3',
    quantity_prescribed: 30,
    quantity_dispensed: 10,
    refills_authorized: 0,
    refills_used: 0,
    item_status: 'active',
    notes: null,
  })
  const dispensing_records = await phone.create('dispensing_records', {
    ...of,
    recorded_by_user_id: author.id,
    clinic_id: clinic.id,
    drug_id: drug.id,
    batch_id: batch?.id ?? null,
    prescription_item_id: prescription_items,
    quantity_dispensed: 10,
    dosage_instructions: null,
    days_supply: 0,
    dispensed_by: author.id,
    dispensed_at: Date.UTC(2026, 0, 5, 10),
  })
  return { prescriptions, prescription_items, dispensing_records }
}

/** The server stamps these; a phone's own values have no meaning. */
const STAMPED = ['last_modified', 'server_created_at']
const JSON_COLUMNS = ['metadata', 'additional_data', 'form_data', 'departments', 'items']

/** A row without what the server stamps, JSON as JSON. */
export const comparable = (row: Row | undefined) =>
  row &&
  Object.fromEntries(
    Object.entries(row)
      .filter(([column]) => !STAMPED.includes(column))
      .map(([column, value]) => [
        column,
        JSON_COLUMNS.includes(column) ? (JSON.parse(String(value)) as unknown) : value,
      ]),
  )
