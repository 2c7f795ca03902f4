import { stableId } from '~/features/exchange/imports/stable-id'
import { BASE_COLUMNS } from '~/records/patient'
import { buildEvents } from './answers'
import { buildAppointments } from './appointments'
import {
  buildAllergies,
  dispensingRecords,
  buildPrescriptionItems,
  buildPrescriptions,
} from './prescriptions'
import { randomGovernmentId, randomPhoneNumber } from './people'
import type { SeedRow, SeedSubject } from './subject'

/** In the order in which they refer to each other. A new kind of record is a table, its columns and a function here. */
export const nouns: readonly {
  table: string
  columns: readonly string[]
  rows: (subject: SeedSubject) => SeedRow[]
}[] = [
  {
    table: 'patients',
    columns: ['id', ...BASE_COLUMNS, 'primary_clinic_id', 'metadata', 'created_at', 'updated_at'],
    rows: patients,
  },
  {
    table: 'visits',
    columns: [
      'id',
      'patient_id',
      'clinic_id',
      'provider_id',
      'provider_name',
      'check_in_timestamp',
      'closed_at',
      'reason',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: visits,
  },
  {
    table: 'patient_vitals',
    columns: [
      'id',
      'patient_id',
      'visit_id',
      'timestamp',
      'systolic_bp',
      'diastolic_bp',
      'heart_rate',
      'respiratory_rate',
      'oxygen_saturation',
      'temperature_celsius',
      'height_cm',
      'weight_kg',
      'bmi',
      'recorded_by_user_id',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: vitals,
  },
  {
    table: 'patient_problems',
    columns: [
      'id',
      'patient_id',
      'problem_code_system',
      'problem_code',
      'problem_label',
      'clinical_status',
      'verification_status',
      'onset_date',
      'end_date',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: problems,
  },
  {
    table: 'appointments',
    columns: [
      'id',
      'patient_id',
      'clinic_id',
      'provider_id',
      'timestamp',
      'duration',
      'reason',
      'status',
      'departments',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: buildAppointments,
  },
  {
    table: 'patient_allergies',
    columns: [
      'id',
      'patient_id',
      'substance',
      'substance_kind',
      'substance_code',
      'reaction',
      'severity',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: buildAllergies,
  },
  {
    table: 'prescriptions',
    columns: [
      'id',
      'patient_id',
      'provider_id',
      'pickup_clinic_id',
      'visit_id',
      'priority',
      'prescribed_at',
      'status',
      'metadata',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: buildPrescriptions,
  },
  {
    table: 'prescription_items',
    columns: [
      'id',
      'prescription_id',
      'patient_id',
      'clinic_id',
      'drug_id',
      'dosage_instructions',
      'quantity_prescribed',
      'refills_authorized',
      'recorded_by_user_id',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: buildPrescriptionItems,
  },
  {
    table: 'dispensing_records',
    columns: [
      'id',
      'clinic_id',
      'drug_id',
      'prescription_item_id',
      'patient_id',
      'quantity_dispensed',
      'dosage_instructions',
      'days_supply',
      'dispensed_by',
      'dispensed_at',
      'metadata',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: dispensingRecords,
  },
  {
    table: 'events',
    columns: [
      'id',
      'patient_id',
      'visit_id',
      'form_id',
      'form_version',
      'event_type',
      'form_data',
      'recorded_by_user_id',
      'recorded_clinic_id',
      'created_at',
      'updated_at',
    ],
    rows: buildEvents,
  },
]

function patients({ seed, person }: SeedSubject): SeedRow[] {
  const { random, region, clinic, registered, number } = person
  // one in twelve knows only the year of birth or an approximate age
  const precision = random.chance(0.92) ? undefined : random.pick(['year', 'age'])
  const born = person.born.toISOString().slice(0, 10)
  const day = precision ? `${born.slice(0, 4)}-${precision === 'year' ? '01' : '07'}-01` : born
  return [
    {
      ...person,
      date_of_birth: day > registered.toISOString().slice(0, 10) ? born : day,
      citizenship: random.pick(region.citizenships),
      hometown: random.pick(region.towns),
      phone: randomPhoneNumber(person),
      camp: region.camps.length && random.chance(0.25) ? random.pick(region.camps) : null,
      government_id: randomGovernmentId(person),
      external_patient_id: `S-${String(number + 1).padStart(6, '0')}`,
      primary_clinic_id: clinic.id,
      metadata: { seed, ...(precision && { date_of_birth_precision: precision }) },
      created_at: registered,
      updated_at: registered,
    },
  ]
}

function visits({ person, visits: all }: SeedSubject): SeedRow[] {
  return all.map(({ visit }) => ({
    id: visit.id,
    patient_id: person.id,
    clinic_id: person.clinic.id,
    provider_id: visit.provider.id,
    provider_name: visit.provider.name,
    check_in_timestamp: visit.at,
    closed_at: visit.closed,
    reason: visit.reason,
    created_at: visit.at,
    updated_at: visit.closed,
  }))
}

function vitals({ seed, person, visits: all }: SeedSubject): SeedRow[] {
  return all.map(({ visit, vitals: measured }, i) => ({
    ...measured,
    id: stableId('seed', seed, 'vitals', String(person.number), String(i)),
    patient_id: person.id,
    visit_id: visit.id,
    timestamp: visit.at,
    recorded_by_user_id: visit.provider.id,
    created_at: visit.at,
    updated_at: visit.at,
  }))
}

function problems({ seed, person, problems: all }: SeedSubject): SeedRow[] {
  return all.map(({ code, label, onset, end }, i) => ({
    id: stableId('seed', seed, 'problem', String(person.number), String(i)),
    patient_id: person.id,
    problem_code_system: 'icd10',
    problem_code: code,
    problem_label: label,
    clinical_status: end ? 'resolved' : 'active',
    verification_status: 'confirmed',
    onset_date: onset,
    end_date: end,
    created_at: onset,
    updated_at: end ?? onset,
  }))
}
