// Generated from the migrated database by `npm run db:types`. Do not edit.
import type { ColumnType } from 'kysely'
import type { JsonColumns } from './json-columns'

// Kysely's own Generated<> does not unwrap a ColumnType.
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<S, I | undefined, U>
    : ColumnType<T, T | undefined, T>
/** JSON as it is read: of the type that `JsonColumns` gives the column, or of none. It is written as its text. */
type Json<Column extends string> = ColumnType<
  Column extends keyof JsonColumns ? JsonColumns[Column] : unknown,
  string,
  string
>
/** A text that a CHECK lists. It is read as one of them, and written as any: the database refuses another. */
type Listed<T extends string> = ColumnType<T, string, string>
type Timestamp = ColumnType<Date, Date | string, Date | string>

export interface DB {
  access_log: {
    app_password_id: string | null
    at: Generated<Timestamp>
    chain_id: string | null
    clinic_id: string | null
    count: Generated<number>
    epoch: Generated<number>
    hub_phone_id: string | null
    id: Generated<string>
    operation: string
    outcome: Listed<'shown' | 'refused' | 'not_found' | 'lost'>
    patient_ids: Generated<string[]>
    request_id: string
    user_id: string | null
    via: Listed<'web' | 'trpc' | 'phone' | 'command' | 'system' | 'fhir'>
    xid: Generated<string>
  }
  api_client_assertions: {
    client_id: string
    expires_at: Timestamp
    jti: string
  }
  api_clients: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_active: Generated<boolean>
    is_deleted: Generated<boolean>
    jwks: string
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'api_clients.metadata'>>
    name: string
    scopes: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    user_id: string
  }
  app_config: {
    created_at: Generated<Timestamp>
    data_type: Listed<'string' | 'number' | 'boolean' | 'json' | 'array'>
    deleted_at: Timestamp | null
    display_name: string | null
    id: Generated<string>
    is_deleted: Generated<boolean>
    key: string
    last_modified: Generated<Timestamp>
    last_modified_by: string | null
    namespace: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    value: Generated<string>
  }
  app_passwords: {
    code_hash: Buffer
    created_at: Generated<Timestamp>
    id: Generated<string>
    last_address: Generated<string>
    last_used_at: Timestamp | null
    name: string
    revoked_at: Timestamp | null
    user_id: string
  }
  appointment_departments: {
    appointment_id: string
    called_at: Timestamp | null
    called_by: string | null
    clinic_id: string
    department_id: string | null
    finished_at: Timestamp | null
    passed_over_at: Timestamp | null
    position: number
    seen_at: Timestamp | null
    seen_by: string | null
    status: Listed<'pending' | 'in_progress' | 'completed' | 'cancelled' | 'checked_in'>
    waiting_since: Timestamp | null
  }
  appointments: {
    clinic_id: string
    created_at: Generated<Timestamp>
    current_visit_id: string | null
    deleted_at: Timestamp | null
    departments: Generated<Json<'appointments.departments'>>
    duration: number | null
    fulfilled_visit_id: string | null
    id: string
    is_deleted: Generated<boolean>
    is_walk_in: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'appointments.metadata'>>
    notes: Generated<string>
    patient_id: string
    provider_id: string | null
    reason: Generated<string>
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    status: Generated<Listed<'pending' | 'confirmed' | 'cancelled' | 'completed' | 'checked_in'>>
    timestamp: Timestamp
    unknown_columns: Json<'appointments.unknown_columns'> | null
    updated_at: Generated<Timestamp>
    urgency: Generated<Listed<'emergency' | 'priority' | 'routine'>>
    user_id: string | null
  }
  audit_blocks: {
    count: number
    epoch: number
    first_at: Timestamp
    hash: Buffer
    id: string
    last_at: Timestamp
    month: string
    no: number
    previous: Buffer
    sealed_at: Timestamp
    table_name: Listed<'audit_log' | 'access_log'>
    xid: string
  }
  audit_epochs: {
    began_at: Generated<Timestamp>
    epoch: number
  }
  audit_log: {
    action: string
    at: Generated<Timestamp>
    changes: Generated<Json<'audit_log.changes'>>
    clinic_id: string | null
    epoch: Generated<number>
    id: Generated<number>
    patient_id: string | null
    record_id: string | null
    request_id: string
    table_name: string
    user_id: string | null
    via: Listed<'web' | 'trpc' | 'phone' | 'command' | 'system' | 'fhir'>
    xid: Generated<string>
  }
  backup_copies: {
    asked_at: Timestamp | null
    begun_at: Timestamp | null
    bytes: number | null
    chosen_at: Timestamp | null
    copied_at: Timestamp | null
    failed_at: Timestamp | null
    failure: Json<'backup_copies.failure'> | null
    file_name: string | null
    folder: string | null
    id: Generated<string>
    is_only: Generated<boolean>
    is_same_disk: Generated<boolean>
    last_modified: Generated<Timestamp>
    made_at: Timestamp | null
    old_after_days: Generated<number>
    reported_at: Timestamp | null
  }
  backups: {
    bytes: number | null
    created_at: Generated<Timestamp>
    failure: Json<'backups.failure'> | null
    file_name: string | null
    finished_at: Timestamp | null
    id: string
    is_encrypted: boolean | null
    kind: Listed<'daily' | 'asked' | 'command' | 'upgrade'>
    percent: Generated<number>
    requested_by: string | null
    started_at: Timestamp | null
    status: Generated<Listed<'waiting' | 'running' | 'finished' | 'failed'>>
  }
  board_links: {
    clinic_id: string
    created_at: Generated<Timestamp>
    created_by_user_id: string
    token_hash: Buffer
  }
  cascade_rules: {
    child: string
    child_column: string
    effect: Listed<'delete' | 'unlink'>
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
    metadata: Generated<Json<'clinic_departments.metadata'>>
    name: string
    server_created_at: Generated<Timestamp>
    status: Generated<Listed<'active' | 'inactive' | 'maintenance'>>
    updated_at: Generated<Timestamp>
  }
  clinic_inventory: {
    batch_expiry_date: string
    batch_id: string
    batch_number: string
    clinic_id: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    drug_id: string
    id: Generated<string>
    is_deleted: Generated<boolean>
    last_counted_at: Timestamp | null
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'clinic_inventory.metadata'>>
    quantity_available: Generated<number>
    recorded_by_user_id: string | null
    reserved_quantity: Generated<number>
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  clinic_patients: {
    clinic_id: string
    created_at: Timestamp
    patient_id: string
  }
  clinics: {
    address: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_archived: Generated<boolean>
    is_deleted: Generated<boolean>
    language: Listed<'en' | 'ar' | 'es'> | null
    last_modified: Generated<Timestamp>
    name: string
    phone: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  contact_consents: {
    agreed: boolean
    channel: Listed<'sms' | 'letter'>
    id: string
    patient_id: string
    recorded_at: Generated<Timestamp>
    recorded_by: string | null
    wording_version: number
  }
  credentials: {
    changed_at: Generated<Timestamp>
    must_change: Generated<boolean>
    password: string
    phones_until: Timestamp | null
    user_id: string
  }
  credentials_bcrypt: {
    imported_at: Generated<Timestamp>
    must_change: Generated<boolean>
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
  dhis2_server: {
    address: string
    is_the_one: Generated<boolean>
    last_modified: Generated<Timestamp>
    sealed_secret: Buffer | null
    username: string | null
  }
  dismissals: {
    dismissed_at: Generated<Timestamp>
    notice: string
    user_id: string
  }
  dispensing_records: {
    batch_id: string | null
    clinic_id: string
    created_at: Generated<Timestamp>
    days_supply: number | null
    deleted_at: Timestamp | null
    dispensed_at: Generated<Timestamp>
    dispensed_by: string | null
    dosage_instructions: string | null
    dose: Json<'dispensing_records.dose'> | null
    drug_id: string
    entered_on: string | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'dispensing_records.metadata'>>
    patient_id: string
    prescription_item_id: string | null
    quantity_dispensed: number
    reason: string | null
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    reverses_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    unknown_columns: Json<'dispensing_records.unknown_columns'> | null
    updated_at: Generated<Timestamp>
  }
  drug_batches: {
    batch_number: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    drug_id: string
    expiry_date: string
    id: string
    is_deleted: Generated<boolean>
    is_quarantined: Generated<boolean>
    last_modified: Generated<Timestamp>
    manufacture_date: string | null
    metadata: Generated<Json<'drug_batches.metadata'>>
    purchase_currency: string | null
    purchase_price: number | null
    quantity_received: Generated<number>
    quantity_remaining: Generated<number>
    received_date: string
    recorded_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    supplier_name: string | null
    updated_at: Generated<Timestamp>
  }
  drug_catalogue: {
    barcode: string | null
    brand_name: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    dosage_quantity: number | null
    dosage_units: Listed<'mg' | 'g' | 'mcg' | 'mL' | 'L' | 'units'>
    form: Listed<'tablet' | 'syrup' | 'ampule' | 'suppository' | 'cream' | 'drops' | 'bottle' | 'spray' | 'gel' | 'lotion' | 'inhaler' | 'capsule' | 'injection' | 'patch' | 'other'>
    generic_name: string
    id: string
    ingredient_strengths: string | null
    ingredients: Generated<string[]>
    is_active: Generated<boolean>
    is_controlled: Generated<boolean>
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    manufacturer: string | null
    max_stock_level: number | null
    metadata: Generated<Json<'drug_catalogue.metadata'>>
    min_stock_level: Generated<number>
    notes: string | null
    per_quantity: number | null
    per_unit: Listed<'mL' | 'g' | 'dose' | 'actuation' | 'drop' | 'hour' | 'vial' | 'sachet'> | null
    recorded_by_user_id: string | null
    requires_refrigeration: Generated<boolean>
    route: Listed<'oral' | 'sublingual' | 'rectal' | 'topical' | 'inhalation' | 'intravenous' | 'intramuscular' | 'intradermal' | 'subcutaneous' | 'nasal' | 'ophthalmic' | 'otic' | 'vaginal' | 'transdermal' | 'other'>
    sale_currency: string | null
    sale_price: number | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  emergency_accesses: {
    clinic_id: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    patient_id: string
    reason: string
    reviewed_at: Timestamp | null
    reviewed_by: string | null
    server_created_at: Generated<Timestamp>
    until: Timestamp
    updated_at: Generated<Timestamp>
    user_id: string
  }
  emergency_grants: {
    created_at: Generated<Timestamp>
    granted_by: string
    until: Timestamp
    user_id: string
  }
  event_answers: {
    answers: Json<'event_answers.answers'>
    event_id: string
  }
  event_files: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    event_id: string
    field_id: string
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    mime_type: string
    name: string
    patient_id: string
    recorded_clinic_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    size: number
    updated_at: Generated<Timestamp>
    visit_id: string
  }
  event_form_versions: {
    description: string
    form_fields: Json<'event_form_versions.form_fields'>
    form_id: string
    language: string
    name: string
    saved_at: Generated<Timestamp>
    saved_by: string | null
    translations: Json<'event_form_versions.translations'>
    version: number
  }
  event_forms: {
    clinic_ids: Generated<string[]>
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    description: Generated<string>
    form_fields: Generated<Json<'event_forms.form_fields'>>
    id: string
    is_deleted: Generated<boolean>
    is_editable: Generated<boolean>
    is_snapshot_form: Generated<boolean>
    language: Generated<Listed<'en' | 'ar' | 'es'>>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'event_forms.metadata'>>
    name: string
    server_created_at: Generated<Timestamp>
    translations: Generated<Json<'event_forms.translations'>>
    updated_at: Generated<Timestamp>
    version: Generated<number>
  }
  event_logs: {
    chain_id: string | null
    id: string
    received_at: Generated<Timestamp>
    received_from: string
    row: string
  }
  events: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    event_type: string | null
    form_data: Generated<Json<'events.form_data'>>
    form_id: string | null
    form_version: number | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'events.metadata'>>
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    unknown_columns: Json<'events.unknown_columns'> | null
    updated_at: Generated<Timestamp>
    visit_id: string | null
  }
  external_codes: {
    adx: string | null
    clinic_id: string | null
    code: string
    column_id: string | null
    definition_id: string | null
    id: Generated<string>
    option_code: string | null
    row_id: string | null
    section: string | null
    sends_zero: Generated<boolean>
  }
  fhir_exports: {
    base: string
    client_id: string | null
    clinic_id: string | null
    created_at: Generated<Timestamp>
    ended_at: Timestamp | null
    files: Generated<Json<'fhir_exports.files'>>
    id: string
    progress: Generated<string>
    request: string
    scope: Listed<'system' | 'patient' | 'group'>
    scopes: string | null
    since: Timestamp | null
    status: Generated<Listed<'waiting' | 'running' | 'done' | 'failed'>>
    transaction_time: Timestamp | null
    types: Generated<string[]>
    user_id: string
  }
  follow_up_calls: {
    agreed_on: string | null
    appointment_id: string | null
    called_at: Generated<Timestamp>
    called_by: string | null
    clinic_id: string
    counters_id: string | null
    due_on: string
    id: string
    item_id: string | null
    no_answer: Generated<boolean>
    notes: string | null
    patient_id: string
    program: string
    reason: Listed<'already_visited' | 'unavailable' | 'wrong_number' | 'changed_facility' | 'moved' | 'refused' | 'other' | 'died'> | null
    remind_on: string | null
    result: Listed<'agreed_to_visit' | 'remind_to_call_later' | 'removed_from_overdue_list'>
    schedule_code: string
    server_created_at: Generated<Timestamp>
    step: string
  }
  follow_up_items: {
    appointment_id: string | null
    clinic_id: string
    computed_at: Generated<Timestamp>
    due_from: string
    due_on: string
    enrollment_id: string | null
    expires_on: string | null
    has_agreed: Generated<boolean>
    hidden_until: string | null
    id: string
    is_high_risk: Generated<boolean>
    is_lead: Generated<boolean>
    last_call_id: string | null
    last_visit_on: string | null
    overdue_from: string
    patient_id: string
    program: string
    schedule_code: string
    status: Listed<'open' | 'done' | 'removed' | 'lost' | 'ended'>
    status_on: string | null
    step: string
    visit_id: string | null
  }
  follow_up_schedules: {
    body: Json<'follow_up_schedules.body'>
    code: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: Generated<string>
    is_active: Generated<boolean>
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'follow_up_schedules.metadata'>>
    program: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  follow_up_stale: {
    id: Generated<number>
    patient_id: string
    since: Generated<Timestamp>
  }
  history_openings: {
    clinic_id: string
    closed_by: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    opened_by: string | null
    patient_id: string
    reason: Listed<'here' | 'referral' | 'emergency' | 'other' | 'before_update'>
    reason_text: string | null
    server_created_at: Generated<Timestamp>
    until: Timestamp
    updated_at: Generated<Timestamp>
  }
  hub: {
    enabled: Generated<boolean>
    id: Generated<string>
    is_only: Generated<boolean>
  }
  hub_keys: {
    address: string
    client_id: string
    made_at: Generated<Timestamp>
    phone_id: string | null
    public_key: Buffer
    wrote: Generated<boolean>
  }
  hub_nonces: {
    nonce: Buffer
    public_key: Buffer
  }
  hub_phones: {
    app_password_id: string | null
    client_id: string
    first_seen_at: Generated<Timestamp>
    id: Generated<string>
    last_address: Generated<string>
    last_seen_at: Generated<Timestamp>
    public_key: Buffer
    revoked_at: Timestamp | null
    user_id: string
  }
  identity_lookups: {
    at: Generated<Timestamp>
    id: string
    kind: Generated<Listed<'details' | 'duplicates'>>
    user_id: string
  }
  import_changes: {
    after: Json<'import_changes.after'> | null
    before: Json<'import_changes.before'> | null
    import_id: string
    row_id: string
    table_name: string
  }
  import_duplicates: {
    import_id: string
    line: number
    name: string
    patient_id: string
    reasons: string[]
    strength: Generated<Listed<'likely' | 'possible'>>
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
    reason: Json<'import_rejections.reason'>
  }
  import_rows: {
    columns: Buffer
    row_id: string
    run: number
    source: string
    source_at: Timestamp | null
    table_name: string
  }
  import_runs: {
    ended_at: Generated<Timestamp>
    run: number
    source: string
  }
  import_transactions: {
    xid: string
  }
  imports: {
    ages_on: string | null
    allows_missing: Generated<boolean>
    bytes_done: Generated<number>
    clinic_id: string | null
    created_at: Generated<Timestamp>
    date_format: string | null
    delimiter: Listed<'comma' | 'semicolon' | 'tab' | 'pipe'> | null
    encoding: string | null
    failure: Json<'imports.failure'> | null
    file_name: string
    file_size: number
    finished_at: Timestamp | null
    formats: Json<'imports.formats'> | null
    heading_line: number | null
    id: string
    is_stopping: Generated<boolean>
    key_column: string | null
    list: Generated<Listed<'patients' | 'medicines' | 'stock' | 'clinics' | 'departments' | 'users' | 'codes' | 'appointments' | 'visits' | 'vitals'>>
    mapping: Json<'imports.mapping'> | null
    requested_by: string | null
    rows_done: Generated<number>
    sheet: string | null
    started_at: Timestamp | null
    status: Generated<Listed<'uploading' | 'ready' | 'waiting' | 'running' | 'finished' | 'stopped' | 'failed'>>
    tally: Json<'imports.tally'> | null
    task: Listed<'check' | 'import' | 'undo'> | null
    tries: Generated<number>
    updates: Generated<boolean>
  }
  instance_keys: {
    created_at: Generated<Timestamp>
    fingerprint: string | null
    name: string
    value: Buffer | null
  }
  inventory_transactions: {
    balance_after: Generated<number>
    batch_id: string
    clinic_id: string
    day: string
    drug_id: string
    entered_on: string | null
    expiry_after: string | null
    expiry_before: string | null
    id: Generated<string>
    is_reported: Generated<boolean>
    occurred_at: Generated<Timestamp>
    other_clinic_id: string | null
    performed_by: string | null
    position: Generated<number>
    purchase_currency: string | null
    purchase_price: number | null
    quantity: number
    reason: string | null
    reference_id: string
    reference_type: string
    server_created_at: Generated<Timestamp>
    transaction_type: Listed<'received' | 'dispensed' | 'transferred_in' | 'transferred_out' | 'expired' | 'damaged' | 'adjustment' | 'returned' | 'to_supplier' | 'donated' | 'opened' | 'corrected'>
  }
  large_deletions: {
    done: Generated<number>
    failure: Json<'large_deletions.failure'> | null
    finished_at: Timestamp | null
    id: string
    is_stopping: Generated<boolean>
    patients: Json<'large_deletions.patients'>
    requested_at: Generated<Timestamp>
    requested_by: string
    status: Generated<Listed<'waiting' | 'running' | 'finished' | 'stopped' | 'failed'>>
    total: number
  }
  medicine_checks: {
    began_at: Generated<Timestamp>
    checked: number
    is_only: Generated<boolean>
    progressed_at: Generated<Timestamp>
  }
  medicine_decisions: {
    created_at: Generated<Timestamp>
    decided_on: string
    decision: Listed<'keep' | 'stop' | 'change'>
    deleted_at: Timestamp | null
    dose: string | null
    drug_id: string | null
    id: string
    is_deleted: Generated<boolean>
    kind: Listed<'prescribed' | 'elsewhere' | 'form' | 'text'>
    last_modified: Generated<Timestamp>
    listed: number
    metadata: Generated<Json<'medicine_decisions.metadata'>>
    name: string
    patient_id: string
    patient_medicine_id: string | null
    prescription_item_id: string | null
    reason: string | null
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    replaced_by_id: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    visit_id: string | null
  }
  merged_arrivals: {
    is_aside: Generated<boolean>
    patient_id: string
    row_id: string
    table_name: string
  }
  message_gateway: {
    address: string
    country_code: string
    is_the_one: Generated<boolean>
    kind: Listed<'android' | 'webhook'>
    last_modified: Generated<Timestamp>
    sealed_secret: Buffer | null
    username: string | null
  }
  message_texts: {
    body: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    language: Listed<'en' | 'ar' | 'es'>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'message_texts.metadata'>>
    schedule_code: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  messages: {
    accepted_at: Timestamp | null
    attempts: Generated<number>
    body: string
    channel: Listed<'sms' | 'letter'>
    clinic_id: string
    created_at: Generated<Timestamp>
    created_by: string | null
    created_on: Generated<string>
    due_at: Timestamp | null
    due_on: string
    error: string | null
    gateway: string | null
    id: string
    item_id: string
    language: Listed<'en' | 'ar' | 'es'>
    leased_until: Timestamp | null
    patient_id: string
    phone: string | null
    program: string
    reason: string | null
    schedule_code: string
    state: Listed<'copied' | 'printed' | 'queued' | 'sent' | 'delivered' | 'failed' | 'cancelled'>
    state_at: Generated<Timestamp>
    zone: string
  }
  moved_in_reviews: {
    column_name: Generated<string>
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    done_at: Timestamp | null
    done_by: string | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    patient_id: string
    row_id: string
    rule: string
    server_created_at: Generated<Timestamp>
    table_name: string
    updated_at: Generated<Timestamp>
    word: Generated<string>
  }
  name_words: {
    word: string
  }
  override_confirmations: {
    asked_by: string
    at: Generated<Timestamp>
    confirmed_by: string
    id: string
    patient_id: string
    warning_key: string
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
    metadata: Generated<Json<'patient_additional_attributes.metadata'>>
    number_value: number | null
    patient_id: string
    server_created_at: Generated<Timestamp>
    string_value: string | null
    unknown_columns: Json<'patient_additional_attributes.unknown_columns'> | null
    updated_at: Generated<Timestamp>
  }
  patient_allergies: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'patient_allergies.metadata'>>
    notes: string | null
    patient_id: string
    reaction: string | null
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    severity: Listed<'mild' | 'moderate' | 'severe'> | null
    status: Generated<Listed<'active' | 'inactive' | 'refuted'>>
    substance: string
    substance_code: string | null
    substance_kind: Listed<'ingredient' | 'drug_class' | 'other' | 'none_known'>
    updated_at: Generated<Timestamp>
  }
  patient_columns: {
    column_name: string | null
    table_name: string | null
  }
  patient_document_rows: {
    document_id: string
    row_id: string
    table_name: Listed<'patient_allergies' | 'patient_problems' | 'patient_medicines' | 'patient_immunizations' | 'patient_vitals'>
  }
  patient_documents: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    file_name: string
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'patient_documents.metadata'>>
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    written_by: string | null
    written_on: string | null
  }
  patient_immunizations: {
    clinic_id: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    dose_number: number | null
    event_id: string | null
    given_on: string
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    lot: string | null
    metadata: Generated<Json<'patient_immunizations.metadata'>>
    notes: string | null
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    vaccine: string
    visit_id: string | null
  }
  patient_links: {
    changed_xid: Generated<string>
    clinic_id: string
    patient_id: string
    since: Generated<Timestamp>
    source: Listed<'primary' | 'visit' | 'appointment' | 'prescription' | 'explicit' | 'registered' | 'opened'>
    until: Timestamp | null
  }
  patient_medicines: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    dose: string | null
    id: string
    ingredients: Generated<string[]>
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'patient_medicines.metadata'>>
    name: string
    notes: string | null
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    since: string | null
    source: Listed<'other_clinic' | 'pharmacy' | 'brought' | 'traditional' | 'unknown'>
    until: string | null
    updated_at: Generated<Timestamp>
  }
  patient_merges: {
    changed: Generated<Json<'patient_merges.changed'>>
    edited: Generated<Json<'patient_merges.edited'>>
    id: string
    kept: Generated<Json<'patient_merges.kept'>>
    links: Generated<Json<'patient_merges.links'>>
    loser_id: string
    merged_at: Generated<Timestamp>
    merged_by: string | null
    moved: Generated<Json<'patient_merges.moved'>>
    replaced: Generated<Json<'patient_merges.replaced'>>
    unmerged_at: Timestamp | null
    unmerged_by: string | null
    winner_id: string
  }
  patient_pregnancies: {
    asked_on: string
    created_at: Generated<Timestamp>
    dating: Listed<'last_period' | 'due_date' | 'weeks'> | null
    deleted_at: Timestamp | null
    due_on: string | null
    ended_on: string | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'patient_pregnancies.metadata'>>
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    state: Listed<'pregnant' | 'breastfeeding' | 'after_birth' | 'not_pregnant' | 'not_possible' | 'not_known'>
    updated_at: Generated<Timestamp>
  }
  patient_problems: {
    clinical_status: Generated<Listed<'active' | 'unknown' | 'remission' | 'inactive' | 'resolved'>>
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    end_date: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    laterality: Listed<'left' | 'right' | 'both'> | null
    metadata: Generated<Json<'patient_problems.metadata'>>
    onset_date: Timestamp | null
    patient_id: string
    problem_code: string
    problem_code_system: Listed<'icd10cm' | 'icd10' | 'icd11' | 'snomed' | 'uncoded'>
    problem_label: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    severity_score: number | null
    unknown_columns: Json<'patient_problems.unknown_columns'> | null
    updated_at: Generated<Timestamp>
    verification_status: Generated<Listed<'provisional' | 'confirmed' | 'refuted' | 'unconfirmed'>>
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
    words: Generated<string[]>
  }
  patient_timeline: {
    at: Timestamp | null
    id: string | null
    kind: string | null
    patient_id: string | null
    recorded_clinic_id: string | null
  }
  patient_vitals: {
    arm_circumference_cm: number | null
    bmi: number | null
    bp_position: string | null
    created_at: Generated<Timestamp>
    creatinine_umol_l: number | null
    deleted_at: Timestamp | null
    diastolic_bp: number | null
    event_id: string | null
    form_event_id: string | null
    head_circumference_cm: number | null
    heart_rate: number | null
    height_cm: number | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'patient_vitals.metadata'>>
    oxygen_saturation: number | null
    pain_level: number | null
    patient_id: string
    pulse_rate: number | null
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    respiratory_rate: number | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    systolic_bp: number | null
    temperature_celsius: number | null
    timestamp: Generated<Timestamp>
    unknown_columns: Json<'patient_vitals.unknown_columns'> | null
    updated_at: Generated<Timestamp>
    visit_id: string | null
    waist_circumference_cm: number | null
    weight_kg: number | null
  }
  patients: {
    additional_data: Generated<Json<'patients.additional_data'>>
    camp: string | null
    citizenship: string | null
    created_at: Generated<Timestamp>
    date_of_birth: string | null
    deleted_at: Timestamp | null
    died_on: string | null
    external_patient_id: string | null
    given_name: string | null
    government_id: string | null
    hometown: string | null
    id: string
    image_timestamp: Timestamp | null
    is_deleted: Generated<boolean>
    language: Listed<'en' | 'ar' | 'es'> | null
    last_modified: Generated<Timestamp>
    last_modified_by: string | null
    metadata: Generated<Json<'patients.metadata'>>
    phone: string | null
    photo_url: string | null
    primary_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    sex: string | null
    surname: string | null
    unknown_columns: Json<'patients.unknown_columns'> | null
    updated_at: Generated<Timestamp>
    weeks_at_birth: number | null
  }
  pregnancy_answers: {
    asked_on: string | null
    created_at: Timestamp | null
    dating: string | null
    due_on: string | null
    ended_on: string | null
    enrollment_id: string | null
    event_id: string | null
    id: string | null
    patient_id: string | null
    recorded_by_user_id: string | null
    state: string | null
  }
  pregnancy_forms: {
    form_id: string | null
  }
  prescription_items: {
    clinic_id: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    dosage_instructions: Generated<string>
    dose: Json<'prescription_items.dose'> | null
    drug_id: string
    id: string
    is_deleted: Generated<boolean>
    item_status: Generated<Listed<'active' | 'completed' | 'cancelled' | 'partially_dispensed'>>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'prescription_items.metadata'>>
    notes: string | null
    patient_id: string
    position: Generated<number>
    prescription_id: string
    quantity_dispensed: Generated<number>
    quantity_prescribed: Generated<number>
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    refills_authorized: Generated<number>
    refills_used: Generated<number>
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    unknown_columns: Json<'prescription_items.unknown_columns'> | null
    updated_at: Generated<Timestamp>
  }
  prescription_sets: {
    clinic_id: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    items: Json<'prescription_sets.items'>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'prescription_sets.metadata'>>
    name: string
    problem_code: string | null
    problem_code_system: string | null
    problem_label: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    user_id: string
  }
  prescriptions: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    entered_by_user_id: string | null
    entered_on: string | null
    expiration_date: Timestamp | null
    filled_at: Timestamp | null
    filled_by: string | null
    id: string
    is_deleted: Generated<boolean>
    items: Generated<Json<'prescriptions.items'>>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'prescriptions.metadata'>>
    notes: Generated<string>
    patient_id: string
    pickup_clinic_id: string | null
    prescribed_at: Generated<Timestamp>
    priority: Generated<Listed<'low' | 'normal' | 'high' | 'emergency'>>
    problem_id: string | null
    provider_id: string | null
    recorded_clinic_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    status: Generated<string>
    status_reason: string | null
    unknown_columns: Json<'prescriptions.unknown_columns'> | null
    unusual_from: string | null
    updated_at: Generated<Timestamp>
    visit_id: string | null
  }
  problem_codes: {
    code: string
    imported_at: Timestamp | null
    is_common: Generated<boolean>
    label_ar: string | null
    label_en: string | null
    label_es: string | null
    search: Generated<string>
    system: Listed<'icd10cm' | 'icd10' | 'icd11' | 'snomed'>
  }
  program_enrollments: {
    clinic_id: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    end_reason: Listed<'died' | 'moved' | 'birth' | 'completed' | 'cured' | 'refused' | 'mistaken' | 'other' | 'failed' | 'lost' | 'not_evaluated' | 'transferred' | 'stopped' | 'recovered' | 'defaulted' | 'not_recovered'> | null
    ended_on: string | null
    enrolled_on: string
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    lmp: string | null
    metadata: Generated<Json<'program_enrollments.metadata'>>
    origin_id: string | null
    patient_id: string
    program: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    review_days: number | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  queue_days: {
    clinic_id: string
    day: string
    last: number
  }
  queue_tokens: {
    appointment_id: string
    checked_in_at: Generated<Timestamp>
    clinic_id: string
    day: string
    number: number
  }
  recovery_codes: {
    code_hash: Buffer
    used_at: Timestamp | null
    user_id: string
  }
  referrals: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    due_on: string | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'referrals.metadata'>>
    number: string
    patient_id: string
    reason: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    replied_at: Timestamp | null
    reply: string | null
    sent_at: Generated<Timestamp>
    server_created_at: Generated<Timestamp>
    status: Generated<Listed<'sent' | 'seen' | 'replied' | 'closed'>>
    to_name: string
    updated_at: Generated<Timestamp>
    urgency: Listed<'routine' | 'urgent' | 'emergency'>
    visit_id: string | null
  }
  registration_form_columns: {
    form_id: string
    id: Generated<number>
    shown: string[] | null
    xid: Generated<string>
  }
  registration_forms: {
    cascades: Generated<Json<'registration_forms.cascades'>>
    clinic_id: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    fields: Generated<Json<'registration_forms.fields'>>
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'registration_forms.metadata'>>
    name: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  related_persons: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'related_persons.metadata'>>
    name: string | null
    notes: string | null
    patient_id: string
    phone: string | null
    recorded_by_user_id: string | null
    related_patient_id: string | null
    relationship: Listed<'mother' | 'father' | 'child' | 'spouse' | 'guardian' | 'ward' | 'contact'>
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  report_bindings: {
    clinic_id: string | null
    concept: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    field_id: string | null
    form_id: string
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'report_bindings.metadata'>>
    option: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    when_field_id: string | null
    when_option: string | null
  }
  report_cells: {
    column_id: string
    denominator: number | null
    numerator: number | null
    row_count: Generated<number>
    row_id: string
    row_ids: string[] | null
    rows_hash: Buffer | null
    run_id: string
    section: string
    value: number | null
  }
  report_definition_versions: {
    body: Json<'report_definition_versions.body'>
    definition_id: string
    saved_at: Generated<Timestamp>
    saved_by: string | null
    version: number
  }
  report_definitions: {
    body: Json<'report_definitions.body'>
    code: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'report_definitions.metadata'>>
    server_created_at: Generated<Timestamp>
    starter_version: number | null
    updated_at: Generated<Timestamp>
    version: Generated<number>
  }
  report_manual_values: {
    clinic_id: string
    column_id: string
    created_at: Generated<Timestamp>
    definition_id: string
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'report_manual_values.metadata'>>
    period: string
    recorded_by_user_id: string | null
    row_id: string
    section: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    value: number
  }
  report_runs: {
    checked_at: Timestamp | null
    checked_by: string | null
    clinic_ids: string[]
    closed_at: Generated<Timestamp>
    closed_by: string | null
    definition_id: string
    ends_at: Timestamp
    id: string
    number: Generated<number>
    period: string
    prepared_at: Timestamp | null
    prepared_by: string | null
    reason: string | null
    starts_at: Timestamp
    version: number
    zone: string
  }
  report_sendings: {
    attempts: Generated<number>
    conflicts: Generated<Json<'report_sendings.conflicts'>>
    counts: Json<'report_sendings.counts'> | null
    due_at: Generated<Timestamp>
    error: string | null
    finished_at: Timestamp | null
    format: Generated<Listed<'json' | 'adx'>>
    http_status: number | null
    id: string
    is_dry_run: boolean
    payload: string
    requested_at: Generated<Timestamp>
    requested_by: string | null
    run_id: string
    status: Generated<Listed<'queued' | 'sent' | 'rejected' | 'failed' | 'cancelled'>>
    value_count: number
  }
  safety_overrides: {
    clinic_id: string | null
    confirmed_by: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    dispensing_record_id: string | null
    drug_id: string | null
    event_id: string | null
    id: string
    is_deleted: Generated<boolean>
    is_unconfirmed: Generated<boolean>
    kind: Listed<'allergy' | 'duplicate' | 'interaction' | 'unchecked' | 'age' | 'pregnancy' | 'kidney' | 'condition' | 'dose' | 'monitoring' | 'not_asked'>
    last_modified: Generated<Timestamp>
    overridden_at: Generated<Timestamp>
    overridden_by: string | null
    patient_id: string
    patient_medicine_id: string | null
    prescription_id: string | null
    prescription_item_id: string | null
    reason: string | null
    reason_code: Generated<Listed<'tolerated' | 'benefit' | 'record_error' | 'monitored' | 'emergency' | 'other'>>
    review_note: string | null
    reviewed_at: Timestamp | null
    reviewed_by: string | null
    server_created_at: Generated<Timestamp>
    stage: Listed<'prescribing' | 'dispensing' | 'recording' | 'arrived'>
    updated_at: Generated<Timestamp>
    warning: Json<'safety_overrides.warning'>
  }
  safety_rules_off: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    reason: string
    rule: string
    rule_table: string
    server_created_at: Generated<Timestamp>
    switched_off_at: Generated<Timestamp>
    switched_off_by: string | null
    switched_on_at: Timestamp | null
    switched_on_by: string | null
    updated_at: Generated<Timestamp>
  }
  schema_in_force: {
    applied_at: Generated<Timestamp>
    checksum: string
    drops: string[]
    is_only: Generated<boolean>
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
    app_password_id: string | null
    client_id: string | null
    created_at: Generated<Timestamp>
    expires_at: Timestamp
    id: Generated<string>
    kind: Listed<'browser' | 'token' | 'phone' | 'pending' | 'client'>
    last_seen_at: Generated<Timestamp>
    locked_at: Timestamp | null
    scopes: string | null
    token_hash: Buffer
    user_agent: Generated<string>
    user_id: string
  }
  setup_codes: {
    code_hash: Buffer
    created_at: Generated<Timestamp>
    nonce: string | null
  }
  stock_reservations: {
    batch_id: string
    clinic_id: string
    quantity: number
    reference_id: string
    reserved_at: Generated<Timestamp>
    reserved_by: string | null
  }
  stock_shortfalls: {
    batch_id: string | null
    clinic_id: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    drug_id: string
    entered_on: string | null
    id: Generated<string>
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'stock_shortfalls.metadata'>>
    occurred_at: Generated<Timestamp>
    other_clinic_id: string | null
    performed_by: string | null
    quantity: number
    reason: string | null
    reference_id: string
    reference_type: Generated<string>
    server_created_at: Generated<Timestamp>
    settled_at: Timestamp | null
    settled_by: string | null
    settled_reason: string | null
    settlement: Listed<'posted' | 'explained' | 'withdrawn' | 'covered'> | null
    transaction_type: Generated<Listed<'dispensed' | 'transferred_out' | 'expired' | 'damaged' | 'adjustment' | 'to_supplier' | 'donated' | 'opened'>>
    updated_at: Generated<Timestamp>
  }
  stored_files: {
    name: string | null
  }
  sync_again: {
    chain_id: string
    row_id: string
    table_name: string
    xid: Generated<string>
  }
  sync_chains: {
    address: Generated<string>
    app_password_id: string | null
    base_before: number | null
    base_pull: number | null
    cookie_hash: Buffer | null
    delivered: Generated<string>
    former_at: number | null
    given_state_at: Timestamp | null
    hub_phone_id: string | null
    id: Generated<string>
    last_pull_at: Timestamp | null
    last_push_at: Timestamp | null
    number: Generated<number>
    opened_at: Generated<Timestamp>
    pushed_snapshot: string | null
    refused_at: Timestamp | null
    refused_bytes: number | null
    rows_pulled: Generated<number>
    rows_pushed: Generated<number>
    schema_version: number | null
    user_agent: Generated<string>
    user_id: string
  }
  sync_conflicts: {
    chain_id: string | null
    clinic_id: string | null
    column_name: string
    edited_at: Timestamp | null
    id: Generated<string>
    is_deleted: Generated<boolean>
    outcome: Listed<'phone' | 'server' | 'other' | 'superseded'> | null
    patient_id: string | null
    phone_value: Json<'sync_conflicts.phone_value'> | null
    received_at: Generated<Timestamp>
    row_id: string
    sent_as: string | null
    server_value: Json<'sync_conflicts.server_value'> | null
    settled_at: Timestamp | null
    settled_by: string | null
    settled_value: Json<'sync_conflicts.settled_value'> | null
    table_name: string
    user_id: string
  }
  sync_echoes: {
    chain_id: string
    row_ids: string[]
    table_name: string
    xid: string
  }
  sync_epochs: {
    began_at: Generated<Timestamp>
    first_number: number
    id: Generated<number>
    next_number: number
    snapshot: string
  }
  sync_pulls: {
    at: Generated<Timestamp>
    chain_id: string
    gone_snapshot: string | null
    held: Json<'sync_pulls.held'>
    id: Generated<number>
    made_from: number | null
    ordinal: Generated<number>
    removed_snapshot: string | null
    schema_version: number | null
    scope: Json<'sync_pulls.scope'>
    snapshot: string
    user_id: string
    withheld: Listed<'push' | 'upload'> | null
  }
  sync_pushes: {
    at: Generated<Timestamp>
    chain_id: string | null
    conflicts: Generated<number>
    id: Generated<number>
    is_upload: Generated<boolean>
    pull_id: number | null
    refused: Generated<number>
    rows: Generated<number>
    user_id: string
    xid: string | null
  }
  sync_quarantine: {
    applied_xid: string | null
    chain_id: string | null
    clinic_id: string | null
    detail: string | null
    id: Generated<string>
    operation: Listed<'save' | 'delete'>
    outcome: Listed<'applied' | 'rejected' | 'superseded'> | null
    patient_id: string | null
    reason: string
    received_at: Generated<Timestamp>
    retried_at: Timestamp | null
    row: string
    row_id: string | null
    sent_xid: string | null
    settled_at: Timestamp | null
    settled_by: string | null
    table_name: string
    user_id: string
  }
  sync_rows: {
    born: string | null
    columns: Generated<Json<'sync_rows.columns'>>
    moved: Generated<boolean>
    row_id: string
    table_name: string
    xid: string
  }
  sync_storage: {
    day: Generated<string>
    log_bytes: Generated<number>
    logs_dropped: Generated<number>
    user_id: string
  }
  unchecked_medicines: {
    happened_at: Generated<Timestamp>
    is_current: Generated<boolean>
    marked_at: Generated<Timestamp>
    patient_id: string
    row_id: string
    table_name: string
  }
  undone_patients: {
    deletion_id: string
    patient_id: string
  }
  undone_users: {
    deletion_id: string
    user_id: string
  }
  user_clinic_permissions: {
    can_delete_patient_records: Generated<boolean>
    can_delete_patient_visits: Generated<boolean>
    can_delete_records: Generated<boolean>
    can_dispense_medications: Generated<boolean>
    can_download_patient_reports: Generated<boolean>
    can_edit_other_provider_event: Generated<boolean>
    can_edit_records: Generated<boolean>
    can_manage_stock: Generated<boolean>
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
  user_writes: {
    lsn: string
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
    language: Generated<Listed<'en' | 'ar' | 'es'>>
    last_modified: Generated<Timestamp>
    name: string
    role: Listed<'registrar' | 'provider' | 'admin' | 'super_admin'>
    server_created_at: Generated<Timestamp>
    theme: Generated<Listed<'light' | 'dark' | 'system'>>
    updated_at: Generated<Timestamp>
  }
  visits: {
    check_in_timestamp: Generated<Timestamp>
    clinic_id: string
    closed_as: Listed<'last_entry' | 'arrival'> | null
    closed_at: Timestamp | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    entered_by_user_id: string | null
    entered_on: string | null
    id: string
    is_deleted: Generated<boolean>
    is_revisit: boolean | null
    last_modified: Generated<Timestamp>
    metadata: Generated<Json<'visits.metadata'>>
    patient_id: string
    provider_id: string | null
    provider_name: string | null
    reason: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    unknown_columns: Json<'visits.unknown_columns'> | null
    updated_at: Generated<Timestamp>
  }
  waiting_rows: {
    applied_xid: string | null
    chain_id: string | null
    clinic_id: string | null
    detail: string | null
    id: string | null
    missing: string | null
    operation: string | null
    outcome: string | null
    patient_id: string | null
    reason: string | null
    received_at: Timestamp | null
    retried_at: Timestamp | null
    row: string | null
    row_id: string | null
    sent_xid: string | null
    settled_at: Timestamp | null
    settled_by: string | null
    table_name: string | null
    user_id: string | null
  }
  wrong_guesses: {
    address: string
    at: Generated<Timestamp>
    mark: number
    subject: string
  }
}
