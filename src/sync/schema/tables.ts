import {
  boolean,
  booleanOrNull,
  day,
  dayAsMoment,
  id,
  idOrNull,
  json,
  jsonOf,
  jsonList,
  type Kind,
  list,
  moment,
  momentOrNull,
  momentOrZero,
  number,
  numberAsText,
  numberOrNull,
  stockNumber,
  text,
  textOrNull,
  words,
} from './kinds'

/**
 * Whose phones a row goes to (mobile-sync.md, section 6.7):
 * person, known: who may register or see history in a clinic of the patient; history: who may see history in one that
 * cares for him; appointment: either, in the clinic of the row; clinic, ofClinic: who may do anything there;
 * form: likewise in one of its clinics, or it is for all; staff: who may do anything anywhere; own: the person alone.
 */
export type Scope =
  | 'person'
  | 'known'
  | 'history'
  | 'appointment'
  | 'clinic'
  | 'ofClinic'
  | 'ofClinicOrAll'
  | 'form'
  | 'staff'
  | 'own'
  | 'everybody'

export type Columns = Readonly<Record<string, Kind>>
export type Table = {
  scope: Scope
  /** What the phone knows of a row beside its id, as its schema has it. */
  columns: Columns
  /** Of them, what phones read but never write: the database works it out. */
  derived?: readonly string[]
}

const dates = { created_at: moment, updated_at: moment } as const
const deletable = { ...dates, is_deleted: boolean, deleted_at: momentOrNull } as const
const served = { ...deletable, last_modified: moment, server_created_at: moment } as const

/** Both ways, in the order in which rows refer to each other. */
export const pushed = {
  patients: {
    scope: 'person',
    columns: {
      given_name: text,
      surname: text,
      date_of_birth: day,
      citizenship: text,
      hometown: text,
      phone: text,
      sex: text,
      camp: textOrNull,
      additional_data: json,
      metadata: json,
      photo_url: textOrNull,
      government_id: text,
      external_patient_id: text,
      primary_clinic_id: idOrNull,
      last_modified_by: idOrNull,
      ...deletable,
    },
  },
  patient_additional_attributes: {
    scope: 'known',
    columns: {
      patient_id: id,
      attribute_id: id,
      attribute: words,
      number_value: numberOrNull,
      string_value: textOrNull,
      date_value: momentOrNull,
      boolean_value: booleanOrNull,
      metadata: json,
      ...served,
    },
  },
  visits: {
    scope: 'history',
    columns: {
      patient_id: id,
      clinic_id: id,
      provider_id: id,
      provider_name: text,
      check_in_timestamp: moment,
      metadata: json,
      ...deletable,
    },
  },
  events: {
    scope: 'history',
    columns: {
      patient_id: id,
      form_id: id,
      visit_id: id,
      event_type: text,
      form_data: jsonList,
      metadata: json,
      recorded_by_user_id: id,
      ...deletable,
    },
  },
  patient_vitals: {
    scope: 'history',
    columns: {
      patient_id: id,
      visit_id: idOrNull,
      event_id: idOrNull,
      timestamp: moment,
      systolic_bp: numberOrNull,
      diastolic_bp: numberOrNull,
      bp_position: textOrNull,
      height_cm: numberOrNull,
      weight_kg: numberOrNull,
      bmi: numberOrNull,
      waist_circumference_cm: numberOrNull,
      heart_rate: numberOrNull,
      pulse_rate: numberOrNull,
      oxygen_saturation: numberOrNull,
      respiratory_rate: numberOrNull,
      temperature_celsius: numberOrNull,
      pain_level: numberOrNull,
      recorded_by_user_id: idOrNull,
      metadata: json,
      ...deletable,
    },
  },
  patient_problems: {
    scope: 'history',
    columns: {
      patient_id: id,
      visit_id: idOrNull,
      problem_code_system: words,
      problem_code: words,
      problem_label: words,
      clinical_status: words,
      verification_status: words,
      severity_score: numberOrNull,
      onset_date: momentOrNull,
      end_date: momentOrNull,
      recorded_by_user_id: idOrNull,
      metadata: json,
      ...served,
    },
  },
  appointments: {
    scope: 'appointment',
    columns: {
      patient_id: id,
      clinic_id: id,
      provider_id: idOrNull,
      user_id: id,
      current_visit_id: id,
      fulfilled_visit_id: idOrNull,
      timestamp: moment,
      duration: numberOrNull,
      reason: words,
      notes: words,
      is_walk_in: boolean,
      departments: jsonList,
      status: words,
      metadata: json,
      ...deletable,
    },
  },
  prescriptions: {
    scope: 'history',
    columns: {
      patient_id: id,
      provider_id: id,
      filled_by: idOrNull,
      pickup_clinic_id: idOrNull,
      visit_id: idOrNull,
      priority: words,
      expiration_date: momentOrZero,
      prescribed_at: moment,
      filled_at: momentOrNull,
      status: words,
      items: jsonList,
      notes: words,
      metadata: json,
      ...deletable,
    },
  },
  prescription_items: {
    scope: 'history',
    columns: {
      prescription_id: id,
      patient_id: id,
      drug_id: id,
      clinic_id: id,
      dosage_instructions: words,
      quantity_prescribed: number,
      quantity_dispensed: number,
      refills_authorized: number,
      refills_used: number,
      item_status: words,
      notes: textOrNull,
      recorded_by_user_id: idOrNull,
      metadata: json,
      ...served,
    },
    derived: ['quantity_dispensed', 'refills_used'],
  },
  dispensing_records: {
    scope: 'history',
    columns: {
      clinic_id: id,
      drug_id: id,
      batch_id: idOrNull,
      prescription_item_id: idOrNull,
      patient_id: id,
      quantity_dispensed: number,
      dosage_instructions: textOrNull,
      days_supply: numberOrNull,
      dispensed_by: id,
      dispensed_at: moment,
      recorded_by_user_id: idOrNull,
      metadata: json,
      ...served,
    },
  },
} as const satisfies Record<string, Table>

/** From the server alone; what a phone sends of them is left. */
export const pulledOnly = {
  clinics: { scope: 'clinic', columns: { name: words, is_archived: boolean, ...deletable } },
  event_forms: {
    scope: 'form',
    columns: {
      name: words,
      description: words,
      language: words,
      is_editable: boolean,
      is_snapshot_form: boolean,
      form_fields: json,
      metadata: json,
      clinic_ids: list,
      translations: json,
      ...deletable,
    },
  },
  registration_forms: {
    scope: 'ofClinicOrAll',
    columns: { name: words, fields: json, metadata: json, ...deletable },
  },
  clinic_departments: {
    scope: 'ofClinic',
    columns: {
      clinic_id: id,
      name: words,
      code: textOrNull,
      description: textOrNull,
      status: words,
      can_dispense_medications: boolean,
      can_perform_labs: boolean,
      can_perform_imaging: boolean,
      additional_capabilities: list,
      metadata: json,
      ...served,
    },
  },
  drug_catalogue: {
    scope: 'staff',
    columns: {
      barcode: textOrNull,
      generic_name: words,
      brand_name: textOrNull,
      form: words,
      route: words,
      dosage_quantity: numberAsText,
      dosage_units: words,
      manufacturer: textOrNull,
      sale_price: numberAsText,
      sale_currency: textOrNull,
      min_stock_level: number,
      max_stock_level: numberOrNull,
      is_controlled: boolean,
      requires_refrigeration: boolean,
      is_active: boolean,
      notes: textOrNull,
      recorded_by_user_id: idOrNull,
      metadata: json,
      ...served,
    },
  },
  clinic_inventory: {
    scope: 'ofClinic',
    columns: {
      clinic_id: id,
      drug_id: id,
      batch_id: id,
      quantity_available: stockNumber,
      reserved_quantity: number,
      last_counted_at: momentOrNull,
      recorded_by_user_id: idOrNull,
      metadata: json,
      batch_number: words,
      batch_expiry_date: dayAsMoment,
      ...served,
    },
  },
  user_clinic_permissions: {
    scope: 'own',
    columns: {
      user_id: id,
      clinic_id: id,
      can_register_patients: boolean,
      can_view_history: boolean,
      can_edit_records: boolean,
      can_delete_records: boolean,
      is_clinic_admin: boolean,
      can_edit_other_provider_event: boolean,
      can_download_patient_reports: boolean,
      can_prescribe_medications: boolean,
      can_dispense_medications: boolean,
      can_delete_patient_visits: boolean,
      can_delete_patient_records: boolean,
      created_by: idOrNull,
      last_modified_by: idOrNull,
      ...dates,
    },
  },
  app_config: {
    scope: 'everybody',
    columns: {
      namespace: words,
      key: words,
      value: words,
      data_type: words,
      display_name: textOrNull,
      last_modified_by: idOrNull,
      last_modified: moment,
      ...dates,
    },
  },
} as const satisfies Record<string, Table>

export type PushedName = keyof typeof pushed
export type TableName = PushedName | keyof typeof pulledOnly

export const pushedTables = Object.entries(pushed) as [PushedName, Table][]
export const allTables = [...pushedTables, ...Object.entries(pulledOnly)] as [TableName, Table][]
const tables: Record<TableName, Table> = { ...pushed, ...pulledOnly }
export const tableNamed = (name: TableName): Table => tables[name]

/** Written by the database, or by deleting and undoing alone. */
const SERVERS = ['is_deleted', 'deleted_at', 'last_modified', 'server_created_at']

/** What phones may write of a table. Asked for each row of a push. */
export const writable = once(({ columns, derived = [] }: Table): string[] =>
  Object.keys(columns).filter((column) => !SERVERS.includes(column) && !derived.includes(column)),
)

/** Notes about a row rather than what it says: two of them are never in conflict. */
export const QUIET: readonly string[] = ['created_at', 'updated_at', 'last_modified_by']

/** `select` of a row as phones know it: SQL over the table's alias `t`. */
export const wireColumns = ({ columns }: Table): string =>
  [
    't.id::text as id',
    ...Object.entries(columns).map(([name, kind]) => `${kind.read(`t.${name}`)} as ${name}`),
  ].join(', ')

/** SQL for a row as phones know it, as the text of a JSON object: a quarter less work than `row_to_json`. */
export function wireText({ columns }: Table): string {
  const entries = Object.entries({ id, ...columns })
  const members = entries.map(([name]) => `"${name}":%s`).join(',')
  return `format('{${members}}', ${entries.map(([name, kind]) => jsonOf(kind, `t.${name}`)).join(', ')})`
}

/** What the server alone stamps is no difference between a phone's row and ours. */
export const comparable = once(({ columns }: Table): string[] =>
  Object.keys(columns).filter((column) => !SERVERS.includes(column)),
)

/** Works out once what never changes of a table. */
function once<R>(of: (table: Table) => R): (table: Table) => R {
  const known = new WeakMap<Table, R>()
  return (table) => {
    if (!known.has(table)) known.set(table, of(table))
    return known.get(table)!
  }
}
