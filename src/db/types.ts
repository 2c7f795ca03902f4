// Generated from the migrated database by `npm run db:types`. Do not edit.
import type { ColumnType } from 'kysely'

// Kysely's own Generated<> does not unwrap a ColumnType.
type Generated<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
type Json = ColumnType<unknown, string, string>
type Timestamp = ColumnType<Date, Date | string, Date | string>

export interface DB {
  audit_log: {
    action: string
    at: Generated<Timestamp>
    changes: Generated<Json>
    clinic_id: string | null
    id: Generated<number>
    patient_id: string | null
    record_id: string | null
    request_id: string
    table_name: string
    user_id: string | null
    via: string
  }
  cascade_rules: {
    child: string
    child_column: string
    effect: string
    parent: string
  }
  clinic_departments: {
    additional_capabilities: Generated<string[]>
    can_dispense_medications: Generated<boolean>
    can_perform_imaging: Generated<boolean>
    can_perform_labs: Generated<boolean>
    clinic_id: string
    code: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    description: string | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    name: string
    server_created_at: Generated<Timestamp>
    status: Generated<string>
    updated_at: Generated<Timestamp>
  }
  clinics: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_archived: Generated<boolean>
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    name: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  credentials: {
    changed_at: Generated<Timestamp>
    password: string
    user_id: string
  }
  deletion_items: {
    deletion_id: string
    id: Generated<number>
    record_id: string
    table_name: string
    unlinked_column: string | null
    unlinked_from: string | null
  }
  deletions: {
    clinic_id: string | null
    deleted_at: Generated<Timestamp>
    deleted_by: string | null
    id: Generated<string>
    label: string
    patient_id: string | null
    record_id: string
    restored_at: Timestamp | null
    restored_by: string | null
    table_name: string
  }
  import_duplicates: {
    import_id: string
    line: number
    name: string
    patient_id: string
    reasons: string[]
  }
  import_parts: {
    bytes: Buffer
    import_id: string
    part: number
  }
  import_rejections: {
    cells: string[]
    import_id: string
    line: number
    reason: Json
  }
  imports: {
    bytes_done: Generated<number>
    clinic_id: string
    created_at: Generated<Timestamp>
    date_format: string | null
    encoding: string | null
    failure: Json | null
    file_name: string
    file_size: number
    finished_at: Timestamp | null
    id: string
    is_stopping: Generated<boolean>
    key_column: string | null
    mapping: Json | null
    requested_by: string | null
    started_at: Timestamp | null
    status: Generated<string>
    tally: Json | null
    task: string | null
  }
  instance_keys: {
    created_at: Generated<Timestamp>
    name: string
    value: Generated<Buffer>
  }
  name_words: {
    word: string
  }
  patient_additional_attributes: {
    attribute: string
    attribute_id: string
    boolean_value: boolean | null
    created_at: Generated<Timestamp>
    date_value: Timestamp | null
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    number_value: number | null
    patient_id: string
    server_created_at: Generated<Timestamp>
    string_value: string | null
    updated_at: Generated<Timestamp>
  }
  patient_columns: {
    column_name: string | null
    table_name: string | null
  }
  patient_links: {
    clinic_id: string
    patient_id: string
    since: Generated<Timestamp>
    source: string
    until: Timestamp | null
  }
  patient_merges: {
    changed: Generated<Json>
    id: string
    kept: Generated<Json>
    links: Generated<Json>
    loser_id: string
    merged_at: Generated<Timestamp>
    merged_by: string | null
    moved: Generated<Json>
    replaced: Generated<Json>
    unmerged_at: Timestamp | null
    unmerged_by: string | null
    winner_id: string
  }
  patient_problems: {
    clinical_status: Generated<string>
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    end_date: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    onset_date: Timestamp | null
    patient_id: string
    problem_code: string
    problem_code_system: string
    problem_label: string
    recorded_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    severity_score: number | null
    updated_at: Generated<Timestamp>
    verification_status: Generated<string>
    visit_id: string | null
  }
  patient_search: {
    clinics: Generated<string[]>
    ids: string
    keys: string[]
    more: string
    names: string
    patient_id: string
    phones: string[]
    skeletons: string
  }
  patient_timeline: {
    at: Timestamp | null
    id: string | null
    kind: string | null
    patient_id: string | null
  }
  patient_vitals: {
    bmi: number | null
    bp_position: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    diastolic_bp: number | null
    event_id: string | null
    heart_rate: number | null
    height_cm: number | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    oxygen_saturation: number | null
    pain_level: number | null
    patient_id: string
    pulse_rate: number | null
    recorded_by_user_id: string | null
    respiratory_rate: number | null
    server_created_at: Generated<Timestamp>
    systolic_bp: number | null
    temperature_celsius: number | null
    timestamp: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    visit_id: string | null
    waist_circumference_cm: number | null
    weight_kg: number | null
  }
  patients: {
    additional_data: Generated<Json>
    camp: string | null
    citizenship: string | null
    created_at: Generated<Timestamp>
    date_of_birth: string | null
    deleted_at: Timestamp | null
    external_patient_id: string | null
    given_name: string | null
    government_id: string | null
    hometown: string | null
    id: string
    image_timestamp: Timestamp | null
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    last_modified_by: string | null
    metadata: Generated<Json>
    phone: string | null
    photo_url: string | null
    primary_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    sex: string | null
    surname: string | null
    updated_at: Generated<Timestamp>
  }
  problem_codes: {
    code: string
    imported_at: Timestamp | null
    is_common: Generated<boolean>
    label_ar: string | null
    label_en: string | null
    label_es: string | null
    search: Generated<string>
    system: string
  }
  recovery_codes: {
    code_hash: Buffer
    used_at: Timestamp | null
    user_id: string
  }
  registration_forms: {
    clinic_id: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    fields: Generated<Json>
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    name: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  schema_migrations: {
    applied_at: Generated<Timestamp>
    checksum: string
    name: string
  }
  second_factors: {
    enabled_at: Timestamp | null
    last_step: Generated<number>
    secret: Buffer
    user_id: string
  }
  sessions: {
    address: Generated<string>
    created_at: Generated<Timestamp>
    expires_at: Timestamp
    id: Generated<string>
    kind: string
    last_seen_at: Generated<Timestamp>
    locked_at: Timestamp | null
    token_hash: Buffer
    user_agent: Generated<string>
    user_id: string
  }
  setup_codes: {
    code_hash: Buffer
    created_at: Generated<Timestamp>
  }
  user_clinic_permissions: {
    can_delete_patient_records: Generated<boolean>
    can_delete_patient_visits: Generated<boolean>
    can_delete_records: Generated<boolean>
    can_dispense_medications: Generated<boolean>
    can_download_patient_reports: Generated<boolean>
    can_edit_other_provider_event: Generated<boolean>
    can_edit_records: Generated<boolean>
    can_prescribe_medications: Generated<boolean>
    can_register_patients: Generated<boolean>
    can_view_history: Generated<boolean>
    clinic_id: string
    created_at: Generated<Timestamp>
    created_by: string | null
    deleted_at: Timestamp | null
    id: Generated<string>
    is_clinic_admin: Generated<boolean>
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    last_modified_by: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    user_id: string
  }
  users: {
    clinic_id: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    email: string
    id: string
    instance_url: string | null
    is_deleted: Generated<boolean>
    language: Generated<string>
    last_modified: Generated<Timestamp>
    name: string
    role: string
    server_created_at: Generated<Timestamp>
    theme: Generated<string>
    updated_at: Generated<Timestamp>
  }
  visits: {
    check_in_timestamp: Generated<Timestamp>
    clinic_id: string
    closed_at: Timestamp | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    patient_id: string
    provider_id: string | null
    provider_name: string | null
    reason: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  wrong_guesses: {
    address: string
    at: Generated<Timestamp>
    mark: number
    subject: string
  }
}
