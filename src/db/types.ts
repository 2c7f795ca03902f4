// Generated from the migrated database by `npm run db:types`. Do not edit.
import type { ColumnType } from 'kysely'

// Kysely's own Generated<> does not unwrap a ColumnType.
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<S, I | undefined, U>
    : ColumnType<T, T | undefined, T>
type Json = ColumnType<unknown, string, string>
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
    outcome: string
    patient_ids: Generated<string[]>
    request_id: string
    user_id: string | null
    via: string
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
    metadata: Generated<Json>
    name: string
    scopes: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
    user_id: string
  }
  app_config: {
    created_at: Generated<Timestamp>
    data_type: string
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
    status: string
    waiting_since: Timestamp | null
  }
  appointments: {
    clinic_id: string
    created_at: Generated<Timestamp>
    current_visit_id: string | null
    deleted_at: Timestamp | null
    departments: Generated<Json>
    duration: number | null
    fulfilled_visit_id: string | null
    id: string
    is_deleted: Generated<boolean>
    is_walk_in: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    notes: Generated<string>
    patient_id: string
    provider_id: string | null
    reason: Generated<string>
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    status: Generated<string>
    timestamp: Timestamp
    unknown_columns: Json | null
    updated_at: Generated<Timestamp>
    urgency: Generated<string>
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
    table_name: string
    xid: string
  }
  audit_epochs: {
    began_at: Generated<Timestamp>
    epoch: number
  }
  audit_log: {
    action: string
    at: Generated<Timestamp>
    changes: Generated<Json>
    clinic_id: string | null
    epoch: Generated<number>
    id: Generated<number>
    patient_id: string | null
    record_id: string | null
    request_id: string
    table_name: string
    user_id: string | null
    via: string
    xid: Generated<string>
  }
  backup_copies: {
    asked_at: Timestamp | null
    begun_at: Timestamp | null
    bytes: number | null
    chosen_at: Timestamp | null
    copied_at: Timestamp | null
    failed_at: Timestamp | null
    failure: Json | null
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
    failure: Json | null
    file_name: string | null
    finished_at: Timestamp | null
    id: string
    is_encrypted: boolean | null
    kind: string
    percent: Generated<number>
    requested_by: string | null
    started_at: Timestamp | null
    status: Generated<string>
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
    metadata: Generated<Json>
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
    language: string | null
    last_modified: Generated<Timestamp>
    name: string
    phone: string | null
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  contact_consents: {
    agreed: boolean
    channel: string
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
    dose: Json | null
    drug_id: string
    entered_on: string | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    patient_id: string
    prescription_item_id: string | null
    quantity_dispensed: number
    reason: string | null
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    reverses_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    unknown_columns: Json | null
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
    metadata: Generated<Json>
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
    dosage_units: string
    form: string
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
    metadata: Generated<Json>
    min_stock_level: Generated<number>
    notes: string | null
    per_quantity: number | null
    per_unit: string | null
    recorded_by_user_id: string | null
    requires_refrigeration: Generated<boolean>
    route: string
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
    answers: Json
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
    form_fields: Json
    form_id: string
    language: string
    name: string
    saved_at: Generated<Timestamp>
    saved_by: string | null
    translations: Json
    version: number
  }
  event_forms: {
    clinic_ids: Generated<string[]>
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    description: Generated<string>
    form_fields: Generated<Json>
    id: string
    is_deleted: Generated<boolean>
    is_editable: Generated<boolean>
    is_snapshot_form: Generated<boolean>
    language: Generated<string>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    name: string
    server_created_at: Generated<Timestamp>
    translations: Generated<Json>
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
    form_data: Generated<Json>
    form_id: string | null
    form_version: number | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    unknown_columns: Json | null
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
    files: Generated<Json>
    id: string
    progress: Generated<string>
    request: string
    scope: string
    scopes: string | null
    since: Timestamp | null
    status: Generated<string>
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
    reason: string | null
    remind_on: string | null
    result: string
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
    status: string
    status_on: string | null
    step: string
    visit_id: string | null
  }
  follow_up_schedules: {
    body: Json
    code: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: Generated<string>
    is_active: Generated<boolean>
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
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
    reason: string
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
    kind: Generated<string>
    user_id: string
  }
  import_changes: {
    after: Json | null
    before: Json | null
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
    strength: Generated<string>
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
    delimiter: string | null
    encoding: string | null
    failure: Json | null
    file_name: string
    file_size: number
    finished_at: Timestamp | null
    formats: Json | null
    heading_line: number | null
    id: string
    is_stopping: Generated<boolean>
    key_column: string | null
    list: Generated<string>
    mapping: Json | null
    requested_by: string | null
    rows_done: Generated<number>
    sheet: string | null
    started_at: Timestamp | null
    status: Generated<string>
    tally: Json | null
    task: string | null
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
    transaction_type: string
  }
  large_deletions: {
    done: Generated<number>
    failure: Json | null
    finished_at: Timestamp | null
    id: string
    is_stopping: Generated<boolean>
    patients: Json
    requested_at: Generated<Timestamp>
    requested_by: string
    status: Generated<string>
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
    decision: string
    deleted_at: Timestamp | null
    dose: string | null
    drug_id: string | null
    id: string
    is_deleted: Generated<boolean>
    kind: string
    last_modified: Generated<Timestamp>
    listed: number
    metadata: Generated<Json>
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
    kind: string
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
    language: string
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    schedule_code: string
    server_created_at: Generated<Timestamp>
    updated_at: Generated<Timestamp>
  }
  messages: {
    accepted_at: Timestamp | null
    attempts: Generated<number>
    body: string
    channel: string
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
    language: string
    leased_until: Timestamp | null
    patient_id: string
    phone: string | null
    program: string
    reason: string | null
    schedule_code: string
    state: string
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
    metadata: Generated<Json>
    number_value: number | null
    patient_id: string
    server_created_at: Generated<Timestamp>
    string_value: string | null
    unknown_columns: Json | null
    updated_at: Generated<Timestamp>
  }
  patient_allergies: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    notes: string | null
    patient_id: string
    reaction: string | null
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    severity: string | null
    status: Generated<string>
    substance: string
    substance_code: string | null
    substance_kind: string
    updated_at: Generated<Timestamp>
  }
  patient_columns: {
    column_name: string | null
    table_name: string | null
  }
  patient_document_rows: {
    document_id: string
    row_id: string
    table_name: string
  }
  patient_documents: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    file_name: string
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
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
    metadata: Generated<Json>
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
    source: string
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
    metadata: Generated<Json>
    name: string
    notes: string | null
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    since: string | null
    source: string
    until: string | null
    updated_at: Generated<Timestamp>
  }
  patient_merges: {
    changed: Generated<Json>
    edited: Generated<Json>
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
  patient_pregnancies: {
    asked_on: string
    created_at: Generated<Timestamp>
    dating: string | null
    deleted_at: Timestamp | null
    due_on: string | null
    ended_on: string | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    patient_id: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    state: string
    updated_at: Generated<Timestamp>
  }
  patient_problems: {
    clinical_status: Generated<string>
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    end_date: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    laterality: string | null
    metadata: Generated<Json>
    onset_date: Timestamp | null
    patient_id: string
    problem_code: string
    problem_code_system: string
    problem_label: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    severity_score: number | null
    unknown_columns: Json | null
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
    metadata: Generated<Json>
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
    unknown_columns: Json | null
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
    died_on: string | null
    external_patient_id: string | null
    given_name: string | null
    government_id: string | null
    hometown: string | null
    id: string
    image_timestamp: Timestamp | null
    is_deleted: Generated<boolean>
    language: string | null
    last_modified: Generated<Timestamp>
    last_modified_by: string | null
    metadata: Generated<Json>
    phone: string | null
    photo_url: string | null
    primary_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    sex: string | null
    surname: string | null
    unknown_columns: Json | null
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
    dose: Json | null
    drug_id: string
    id: string
    is_deleted: Generated<boolean>
    item_status: Generated<string>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
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
    unknown_columns: Json | null
    updated_at: Generated<Timestamp>
  }
  prescription_sets: {
    clinic_id: string | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    items: Json
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
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
    items: Generated<Json>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    notes: Generated<string>
    patient_id: string
    pickup_clinic_id: string | null
    prescribed_at: Generated<Timestamp>
    priority: Generated<string>
    problem_id: string | null
    provider_id: string | null
    recorded_clinic_id: string | null
    sent_by_user_id: string | null
    server_created_at: Generated<Timestamp>
    status: Generated<string>
    status_reason: string | null
    unknown_columns: Json | null
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
    system: string
  }
  program_enrollments: {
    clinic_id: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    end_reason: string | null
    ended_on: string | null
    enrolled_on: string
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    lmp: string | null
    metadata: Generated<Json>
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
    metadata: Generated<Json>
    number: string
    patient_id: string
    reason: string
    recorded_by_user_id: string | null
    recorded_clinic_id: string | null
    replied_at: Timestamp | null
    reply: string | null
    sent_at: Generated<Timestamp>
    server_created_at: Generated<Timestamp>
    status: Generated<string>
    to_name: string
    updated_at: Generated<Timestamp>
    urgency: string
    visit_id: string | null
  }
  registration_form_columns: {
    form_id: string
    id: Generated<number>
    shown: string[] | null
    xid: Generated<string>
  }
  registration_forms: {
    cascades: Generated<Json>
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
  related_persons: {
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    name: string | null
    notes: string | null
    patient_id: string
    phone: string | null
    recorded_by_user_id: string | null
    related_patient_id: string | null
    relationship: string
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
    metadata: Generated<Json>
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
    body: Json
    definition_id: string
    saved_at: Generated<Timestamp>
    saved_by: string | null
    version: number
  }
  report_definitions: {
    body: Json
    code: string
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    id: string
    is_deleted: Generated<boolean>
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
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
    metadata: Generated<Json>
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
    conflicts: Generated<Json>
    counts: Json | null
    due_at: Generated<Timestamp>
    error: string | null
    finished_at: Timestamp | null
    format: Generated<string>
    http_status: number | null
    id: string
    is_dry_run: boolean
    payload: string
    requested_at: Generated<Timestamp>
    requested_by: string | null
    run_id: string
    status: Generated<string>
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
    kind: string
    last_modified: Generated<Timestamp>
    overridden_at: Generated<Timestamp>
    overridden_by: string | null
    patient_id: string
    patient_medicine_id: string | null
    prescription_id: string | null
    prescription_item_id: string | null
    reason: string | null
    reason_code: Generated<string>
    review_note: string | null
    reviewed_at: Timestamp | null
    reviewed_by: string | null
    server_created_at: Generated<Timestamp>
    stage: string
    updated_at: Generated<Timestamp>
    warning: Json
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
    kind: string
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
    metadata: Generated<Json>
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
    settlement: string | null
    transaction_type: Generated<string>
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
    outcome: string | null
    patient_id: string | null
    phone_value: Json | null
    received_at: Generated<Timestamp>
    row_id: string
    sent_as: string | null
    server_value: Json | null
    settled_at: Timestamp | null
    settled_by: string | null
    settled_value: Json | null
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
    held: Json
    id: Generated<number>
    made_from: number | null
    ordinal: Generated<number>
    removed_snapshot: string | null
    schema_version: number | null
    scope: Json
    snapshot: string
    user_id: string
    withheld: string | null
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
    operation: string
    outcome: string | null
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
    columns: Generated<Json>
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
    closed_as: string | null
    closed_at: Timestamp | null
    created_at: Generated<Timestamp>
    deleted_at: Timestamp | null
    entered_by_user_id: string | null
    entered_on: string | null
    id: string
    is_deleted: Generated<boolean>
    is_revisit: boolean | null
    last_modified: Generated<Timestamp>
    metadata: Generated<Json>
    patient_id: string
    provider_id: string | null
    provider_name: string | null
    reason: string | null
    recorded_clinic_id: string | null
    server_created_at: Generated<Timestamp>
    unknown_columns: Json | null
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
