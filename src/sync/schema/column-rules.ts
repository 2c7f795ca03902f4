import { keysIn } from '~/shared/object'
import { BASE_COLUMNS, patientRecord } from '~/records/patient'
import type { EntryRule } from './entries'
import { isAnswerShown } from './shown-answers'
import type { PushedName } from './tables'

/**
 * What the app does with a column when a user edits a record, read from its published models and screens:
 *
 * - shown: a screen shows it, so any value that arrives is the user's, an empty one included.
 * - inForm: the registration form shows or hides it; while hidden, an empty value is not the user's.
 * - unshown: no screen of an edit shows it; an empty value is never the user's.
 * - ofApp: the app writes it by itself: the user of the phone, or the visit that a form made. An empty value is not the
 *   user's, and of two different values the stored one stays without a conflict.
 * - ofServer: about the row rather than its content; written by the server, or together with other columns.
 */
type ColumnClass = 'shown' | 'inForm' | 'unshown' | 'ofApp' | 'ofServer'

/** `entries`: a JSON column whose entries are merged one by one. */
type ColumnRule = ColumnClass | { is: ColumnClass; entries: EntryRule }

/**
 * No screen shows it. The app writes into it when a form was added to a visit, when an appointment was booked, and who
 * changed a prescription last.
 */
const metadata: ColumnRule = {
  is: 'unshown',
  entries: {
    by: 'key',
    keepsOmitted: true,
    latest: ['lastEventAddedTimestamp', 'lastAppointmentTimestamp'],
    ofApp: ['lastUpdatedBy', 'lastUpdatedByName'],
  },
}
/** Columns of a newer version of the app. */
const unknown_columns: ColumnRule = { is: 'unshown', entries: { by: 'key', keepsOmitted: true } }

const deletable = {
  metadata,
  unknown_columns,
  is_deleted: 'ofServer',
  deleted_at: 'ofServer',
  created_at: 'ofServer',
  updated_at: 'ofServer',
} as const satisfies Record<string, ColumnRule>
const served = {
  ...deletable,
  last_modified: 'ofServer',
  server_created_at: 'ofServer',
} as const satisfies Record<string, ColumnRule>

/** The base fields that phones know. */
const inForm = Object.fromEntries(
  BASE_COLUMNS.filter((column) => column in patientRecord.device).map((column) => [
    column,
    'inForm' as const,
  ]),
)

/** Each column that phones have of each table that they write. */
export const columnRules: Readonly<Record<PushedName, Readonly<Record<string, ColumnRule>>>> = {
  patients: {
    ...inForm,
    primary_clinic_id: 'inForm',
    photo_url: 'unshown',
    additional_data: { is: 'unshown', entries: { by: 'key', keepsOmitted: true } },
    last_modified_by: 'ofServer',
    ...deletable,
  },
  patient_additional_attributes: {
    patient_id: 'unshown',
    attribute_id: 'unshown',
    attribute: 'unshown',
    number_value: 'shown',
    string_value: 'shown',
    date_value: 'shown',
    boolean_value: 'shown',
    ...served,
  },
  visits: {
    patient_id: 'unshown',
    clinic_id: 'unshown',
    provider_id: 'unshown',
    provider_name: 'unshown',
    check_in_timestamp: 'unshown',
    ...deletable,
  },
  events: {
    patient_id: 'unshown',
    form_id: 'unshown',
    visit_id: 'unshown',
    event_type: 'unshown',
    // the app builds it from the questions of the form that it has: one that is missing was not answered there
    form_data: {
      is: 'shown',
      entries: { by: 'fieldId', compared: 'value', keepsOmitted: true, isShown: isAnswerShown },
    },
    recorded_by_user_id: 'ofApp',
    ...deletable,
  },
  patient_vitals: {
    patient_id: 'unshown',
    visit_id: 'unshown',
    event_id: 'unshown',
    timestamp: 'shown',
    systolic_bp: 'shown',
    diastolic_bp: 'shown',
    bp_position: 'shown',
    height_cm: 'shown',
    weight_kg: 'shown',
    bmi: 'shown',
    waist_circumference_cm: 'shown',
    heart_rate: 'shown',
    pulse_rate: 'shown',
    oxygen_saturation: 'shown',
    respiratory_rate: 'shown',
    temperature_celsius: 'shown',
    pain_level: 'shown',
    recorded_by_user_id: 'ofApp',
    ...deletable,
  },
  patient_problems: {
    patient_id: 'unshown',
    visit_id: 'unshown',
    problem_code_system: 'unshown',
    problem_code: 'unshown',
    problem_label: 'unshown',
    clinical_status: 'shown',
    verification_status: 'shown',
    severity_score: 'shown',
    onset_date: 'shown',
    end_date: 'shown',
    recorded_by_user_id: 'ofApp',
    ...served,
  },
  appointments: {
    clinic_id: 'unshown',
    patient_id: 'unshown',
    user_id: 'unshown',
    current_visit_id: 'unshown',
    // the user who completes a department or the appointment, and the visit of the form that completes it
    provider_id: 'ofApp',
    fulfilled_visit_id: 'ofApp',
    timestamp: 'shown',
    duration: 'shown',
    reason: 'shown',
    notes: 'shown',
    is_walk_in: 'shown',
    departments: { is: 'shown', entries: { by: 'id', keepsOmitted: false, stamped: 'seen_at' } },
    status: 'shown',
    ...deletable,
  },
  prescriptions: {
    patient_id: 'unshown',
    provider_id: 'unshown',
    filled_by: 'unshown',
    pickup_clinic_id: 'unshown',
    visit_id: 'unshown',
    priority: 'shown',
    expiration_date: 'shown',
    prescribed_at: 'shown',
    filled_at: 'unshown',
    status: 'shown',
    // of earlier versions of the app
    items: { is: 'unshown', entries: { by: 'id', keepsOmitted: true } },
    notes: 'shown',
    ...deletable,
  },
  prescription_items: {
    prescription_id: 'unshown',
    patient_id: 'unshown',
    drug_id: 'unshown',
    clinic_id: 'unshown',
    dosage_instructions: 'shown',
    quantity_prescribed: 'shown',
    quantity_dispensed: 'ofServer',
    refills_authorized: 'shown',
    refills_used: 'ofServer',
    item_status: 'shown',
    notes: 'shown',
    recorded_by_user_id: 'ofApp',
    ...served,
  },
  dispensing_records: {
    clinic_id: 'unshown',
    drug_id: 'unshown',
    batch_id: 'unshown',
    prescription_item_id: 'unshown',
    patient_id: 'unshown',
    quantity_dispensed: 'shown',
    dosage_instructions: 'shown',
    days_supply: 'shown',
    dispensed_by: 'ofApp',
    dispensed_at: 'shown',
    recorded_by_user_id: 'ofApp',
    ...served,
  },
}

const columnClass = (rule: ColumnRule) => (typeof rule === 'string' ? rule : rule.is)
const columnsOfClasses = (table: PushedName, ...classes: ColumnClass[]) =>
  Object.entries(columnRules[table])
    .filter(([, rule]) => classes.includes(columnClass(rule)))
    .map(([column]) => column)

const emptied = new Map(
  keysIn(columnRules).map((table) => [table, columnsOfClasses(table, 'unshown', 'ofApp')]),
)

/** The columns in which an empty value of an edit is never the user's. */
export const neverShown = (table: PushedName): readonly string[] => emptied.get(table)!

/** The columns of patients that a registration form may show or hide. */
export const formColumns: readonly string[] = columnsOfClasses('patients', 'inForm')

/** The app writes the column by itself, and no screen asks for it. */
export const isOfApp = (table: PushedName, column: string): boolean => {
  const rule = columnRules[table][column]
  return rule !== undefined && columnClass(rule) === 'ofApp'
}

/** How the entries of a JSON column are merged; null for any other column. */
export const columnEntryRule = (table: PushedName, column: string): EntryRule | null => {
  const rule = columnRules[table][column]
  return rule !== undefined && typeof rule !== 'string' ? rule.entries : null
}

/** The JSON columns whose entries are merged. */
export const entryColumns = (table: PushedName): string[] =>
  Object.keys(columnRules[table]).filter((column) => columnEntryRule(table, column) !== null)
