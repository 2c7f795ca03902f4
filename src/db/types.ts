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
}
