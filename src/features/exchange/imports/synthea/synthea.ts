import { patientColumn, patientSqlTypes, SYNTHEA_COLUMNS } from '~/records/patient'
import type { Message } from '~/shared/errors'
import { ownOrStableId, stableId } from '../stable-id'
import { left, rejected, type Fate } from '../tally'
import type { ImportedRecord, TargetTable } from '../write.server'

/** A row of a Synthea file by column. The columns depend on the version. */
export type SyntheaRow = (column: string) => string

/** The record of a row, or the reason why it has none. */
export type SyntheaReading = { record: ImportedRecord } | { fate: Fate }
export type SyntheaFile = {
  /** The required columns. */
  needs: readonly string[]
  target: TargetTable
  read: (row: SyntheaRow, names: NamesById) => SyntheaReading
}
/** Names by id, from the files of organizations and providers. */
export type NamesById = ReadonlyMap<string, string>

export const PATIENT = 'synthea.patient'
export const VISIT = 'synthea.encounter'
export const wrong = (key: Message['key'], values: Message['values']): SyntheaReading => ({
  fate: rejected({ key, values }),
})
export const collapseSpaces = (value: string) => value.trim().replaceAll(/\s+/g, ' ') || null

/** Dates and times in Synthea's format: 2014-10-06, 2014-10-06T04:17:47Z. */
export function isMoment(value: string) {
  return (
    /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d))?$/.test(value) &&
    isDay(value.slice(0, 10)) &&
    !Number.isNaN(Date.parse(value))
  )
}
/** UTC as text. A date alone becomes noon, which is the same day in nearly all time zones. */
export const parseSyntheaMoment = (value: string) =>
  new Date(value.length === 10 ? `${value}T12:00Z` : value).toISOString()
// Date.parse reads 30 February as 2 March
const isDay = (day: string) =>
  !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)

/** https://github.com/synthetichealth/synthea/wiki/CSV-File-Data-Dictionary */
export const patientsFile: SyntheaFile = {
  needs: ['ID', 'BIRTHDATE', 'FIRST', 'LAST'],
  target: {
    table: 'patients',
    columns: patientSqlTypes([...SYNTHEA_COLUMNS, 'metadata', 'primary_clinic_id']),
    incomparable: ['metadata', 'primary_clinic_id'],
  },
  read(row) {
    const id = row('ID')
    const born = row('BIRTHDATE').slice(0, 10)
    if (!id) return wrong('imports.reasons.missing', { column: 'Id' })
    if (!isDay(born))
      return wrong('imports.reasons.date', { value: row('BIRTHDATE'), column: 'BIRTHDATE' })
    const died = row('DEATHDATE')
    if (died && !isMoment(died))
      return wrong('imports.reasons.date', { value: died, column: 'DEATHDATE' })
    return {
      record: {
        id: ownOrStableId(PATIENT, id),
        ...Object.fromEntries(
          SYNTHEA_COLUMNS.map((name) => [name, collapseSpaces(row(patientColumn(name).synthea!))]),
        ),
        date_of_birth: born,
        sex: { M: 'male', F: 'female' }[row('GENDER')] ?? collapseSpaces(row('GENDER')),
        external_patient_id: id,
        died_on: died ? died.slice(0, 10) : null,
        metadata: {
          ...(died && { date_of_death: died.slice(0, 10) }),
          synthea: rest(row, patientRest),
        },
      },
    }
  },
}

/** Values without a column are stored in the metadata. */
const patientRest = [
  'PREFIX',
  'MIDDLE',
  'SUFFIX',
  'MAIDEN',
  'MARITAL',
  'RACE',
  'ETHNICITY',
  'BIRTHPLACE',
  'ADDRESS',
  'STATE',
  'COUNTY',
  'FIPS',
  'ZIP',
  'LAT',
  'LON',
  'DRIVERS',
  'PASSPORT',
  'INCOME',
  'HEALTHCARE_EXPENSES',
  'HEALTHCARE_COVERAGE',
]
const visitRest = [
  'ENCOUNTERCLASS',
  'CODE',
  'DESCRIPTION',
  'REASONCODE',
  'REASONDESCRIPTION',
  'PAYER',
  'BASE_ENCOUNTER_COST',
  'TOTAL_CLAIM_COST',
  'PAYER_COVERAGE',
]

export const rest = (row: SyntheaRow, columns: readonly string[]) =>
  Object.fromEntries(
    columns.filter((column) => row(column)).map((column) => [column.toLowerCase(), row(column)]),
  )

export const encounters: SyntheaFile = {
  needs: ['ID', 'START', 'PATIENT'],
  target: {
    table: 'visits',
    columns: {
      patient_id: 'uuid',
      clinic_id: 'uuid',
      provider_name: 'text',
      check_in_timestamp: 'timestamptz(3)',
      closed_at: 'timestamptz(3)',
      reason: 'text',
      metadata: 'jsonb',
      created_at: 'timestamptz(3)',
      updated_at: 'timestamptz(3)',
    },
    incomparable: ['clinic_id', 'metadata', 'created_at', 'updated_at'],
  },
  read(row, names) {
    const [id, start, stop] = [row('ID'), row('START'), row('STOP')]
    if (!id) return wrong('imports.reasons.missing', { column: 'Id' })
    if (!isMoment(start)) return wrong('imports.reasons.date', { value: start, column: 'START' })
    if (stop && !isMoment(stop))
      return wrong('imports.reasons.date', { value: stop, column: 'STOP' })
    return {
      record: {
        id: ownOrStableId(VISIT, id),
        patient_id: ownOrStableId(PATIENT, row('PATIENT')),
        provider_name: names.get(row('PROVIDER')) ?? null,
        check_in_timestamp: parseSyntheaMoment(start),
        closed_at: stop ? parseSyntheaMoment(stop) : null,
        reason: collapseSpaces(row('REASONDESCRIPTION')) ?? collapseSpaces(row('DESCRIPTION')),
        metadata: {
          synthea: { ...rest(row, visitRest), organization: names.get(row('ORGANIZATION')) },
        },
        created_at: parseSyntheaMoment(start),
        updated_at: parseSyntheaMoment(start),
      },
    }
  },
}

/**
 * Our names of the code systems of FHIR and Synthea. Before 2024 Synthea used SNOMED CT without
 * naming it.
 */
const systems: Record<string, string> = {
  '': 'snomed',
  'SNOMED-CT': 'snomed',
  'http://snomed.info/sct': 'snomed',
  'http://hl7.org/fhir/sid/icd-10-cm': 'icd10cm',
  'http://hl7.org/fhir/sid/icd-10': 'icd10',
  'http://id.who.int/icd/release/11/mms': 'icd11',
}

export const conditionsFile: SyntheaFile = {
  needs: ['START', 'PATIENT', 'CODE'],
  target: {
    table: 'patient_problems',
    columns: {
      patient_id: 'uuid',
      visit_id: 'uuid',
      problem_code_system: 'text',
      problem_code: 'text',
      problem_label: 'text',
      clinical_status: 'text',
      verification_status: 'text',
      onset_date: 'timestamptz(3)',
      end_date: 'timestamptz(3)',
      metadata: 'jsonb',
      created_at: 'timestamptz(3)',
      updated_at: 'timestamptz(3)',
    },
    incomparable: ['visit_id', 'metadata', 'created_at', 'updated_at'],
  },
  read(row) {
    const [start, stop, encounter, code] = [
      row('START'),
      row('STOP'),
      row('ENCOUNTER'),
      row('CODE'),
    ]
    const system = systems[row('SYSTEM')]
    if (!code) return wrong('imports.reasons.missing', { column: 'CODE' })
    if (!system) return { fate: left('imports.reasons.codeSystem', { system: row('SYSTEM') }) }
    if (!isMoment(start)) return wrong('imports.reasons.date', { value: start, column: 'START' })
    if (stop && !isMoment(stop))
      return wrong('imports.reasons.date', { value: stop, column: 'STOP' })
    return {
      record: {
        // a condition has no id of its own
        id: stableId('synthea.condition', row('PATIENT'), encounter, system, code, start),
        patient_id: ownOrStableId(PATIENT, row('PATIENT')),
        visit_id: encounter ? ownOrStableId(VISIT, encounter) : null,
        problem_code_system: system,
        problem_code: code,
        problem_label: collapseSpaces(row('DESCRIPTION')) ?? code,
        clinical_status: stop ? 'resolved' : 'active',
        verification_status: 'confirmed',
        onset_date: parseSyntheaMoment(start),
        end_date: stop ? parseSyntheaMoment(stop) : null,
        metadata: { synthea: { encounter } },
        created_at: parseSyntheaMoment(start),
        updated_at: parseSyntheaMoment(stop || start),
      },
    }
  },
}

export const vitalsTarget: TargetTable = {
  table: 'patient_vitals',
  columns: {
    patient_id: 'uuid',
    visit_id: 'uuid',
    timestamp: 'timestamptz(3)',
    systolic_bp: 'numeric',
    diastolic_bp: 'numeric',
    height_cm: 'numeric',
    weight_kg: 'numeric',
    bmi: 'numeric',
    waist_circumference_cm: 'numeric',
    head_circumference_cm: 'numeric',
    heart_rate: 'numeric',
    pulse_rate: 'numeric',
    respiratory_rate: 'numeric',
    oxygen_saturation: 'numeric',
    temperature_celsius: 'numeric',
    pain_level: 'numeric',
    creatinine_umol_l: 'numeric',
    metadata: 'jsonb',
    created_at: 'timestamptz(3)',
    updated_at: 'timestamptz(3)',
  },
  incomparable: ['visit_id', 'metadata', 'created_at', 'updated_at'],
}

/** Files whose rows belong to other files or are not supported yet. */
export const laterFiles: Record<string, Message['key']> = {
  'immunizations.csv': 'imports.later.immunizations',
  'organizations.csv': 'imports.later.names',
  'providers.csv': 'imports.later.names',
}
