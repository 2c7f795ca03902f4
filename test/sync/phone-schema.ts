import type { ColumnSchema } from '@nozbe/watermelondb'

/** The app's schema, version 9, as the contract lists it: s a string, n a number, b a boolean, ? may be null. */
const columns: Record<string, string> = {
  patients:
    'given_name s, surname s, date_of_birth s, citizenship s, hometown s, phone s, sex s, camp s?, additional_data s, metadata s, photo_url s?, is_deleted b, deleted_at n?, created_at n, updated_at n, government_id s, external_patient_id s, primary_clinic_id s?, last_modified_by s?',
  patient_additional_attributes:
    'patient_id s, attribute_id s, attribute s, number_value n?, string_value s?, date_value n?, boolean_value b?, metadata s, is_deleted b, created_at n, updated_at n, last_modified n, server_created_at n, deleted_at n?',
  clinics: 'name s, updated_at n, created_at n, is_deleted b, deleted_at n?, is_archived b',
  visits:
    'patient_id s, clinic_id s, provider_id s, provider_name s, check_in_timestamp n, metadata s, is_deleted b, deleted_at n?, created_at n, updated_at n',
  events:
    'patient_id s, form_id s, visit_id s, event_type s, form_data s, metadata s, is_deleted b, deleted_at n?, created_at n, updated_at n, recorded_by_user_id s',
  event_forms:
    'name s, description s, language s, is_editable b, is_snapshot_form b, form_fields s, metadata s, is_deleted b, deleted_at n?, created_at n, updated_at n, clinic_ids s, translations s?',
  registration_forms:
    'name s, fields s, metadata s, is_deleted b, deleted_at n?, created_at n, updated_at n',
  appointments:
    'provider_id s?, clinic_id s, patient_id s, user_id s, current_visit_id s, fulfilled_visit_id s?, timestamp n, duration n?, reason s, notes s, is_walk_in b, departments s, status s, metadata s, is_deleted b, created_at n, updated_at n, deleted_at n?',
  prescriptions:
    'patient_id s, provider_id s, filled_by s?, pickup_clinic_id s?, visit_id s?, priority s, expiration_date n, prescribed_at n, filled_at n?, status s, items s, notes s, metadata s, is_deleted b, created_at n, updated_at n, deleted_at n?',
  prescription_items:
    'prescription_id s, patient_id s, drug_id s, clinic_id s, dosage_instructions s, quantity_prescribed n, quantity_dispensed n, refills_authorized n, refills_used n, item_status s, notes s?, created_at n, updated_at n, recorded_by_user_id s?, metadata s, is_deleted b, deleted_at n?, last_modified n, server_created_at n?',
  dispensing_records:
    'clinic_id s, drug_id s, batch_id s?, prescription_item_id s?, patient_id s, quantity_dispensed n, dosage_instructions s?, days_supply n?, dispensed_by s, dispensed_at n, recorded_by_user_id s?, metadata s, is_deleted b, deleted_at n?, last_modified n, server_created_at n?, created_at n, updated_at n',
  patient_vitals:
    'patient_id s, visit_id s?, timestamp n, systolic_bp n?, diastolic_bp n?, bp_position s?, height_cm n?, weight_kg n?, bmi n?, waist_circumference_cm n?, heart_rate n?, pulse_rate n?, oxygen_saturation n?, respiratory_rate n?, temperature_celsius n?, pain_level n?, recorded_by_user_id s?, metadata s, is_deleted b, created_at n, updated_at n, deleted_at n?, event_id s?',
  patient_problems:
    'patient_id s, visit_id s?, problem_code_system s, problem_code s, problem_label s, clinical_status s, verification_status s, severity_score n?, onset_date n?, end_date n?, recorded_by_user_id s?, metadata s, is_deleted b, created_at n, updated_at n, last_modified n, server_created_at n, deleted_at n?',
  clinic_departments:
    'clinic_id s, name s, code s?, description s?, status s, can_dispense_medications b, can_perform_labs b, can_perform_imaging b, additional_capabilities s, metadata s, is_deleted b, created_at n, updated_at n, last_modified n, server_created_at n, deleted_at n?',
  drug_catalogue:
    'barcode s?, generic_name s, brand_name s?, form s, route s, dosage_quantity s, dosage_units s, manufacturer s?, sale_price s, sale_currency s?, min_stock_level n, max_stock_level n?, is_controlled b, requires_refrigeration b, is_active b, notes s?, recorded_by_user_id s?, metadata s, is_deleted b, deleted_at n?, last_modified n, server_created_at n?, created_at n, updated_at n',
  clinic_inventory:
    'clinic_id s, drug_id s, batch_id s, quantity_available n, reserved_quantity n, last_counted_at n?, recorded_by_user_id s?, metadata s, is_deleted b, deleted_at n?, last_modified n, server_created_at n?, created_at n, updated_at n, batch_number s, batch_expiry_date n',
  user_clinic_permissions:
    'user_id s, clinic_id s, can_register_patients b, can_view_history b, can_edit_records b, can_delete_records b, is_clinic_admin b, created_by s?, last_modified_by s?, created_at n, updated_at n, can_edit_other_provider_event b, can_download_patient_reports b, can_prescribe_medications b, can_dispense_medications b, can_delete_patient_visits b, can_delete_patient_records b',
  app_config:
    'namespace s, key s, value s, data_type s, created_at n, updated_at n, last_modified n, last_modified_by s?, display_name s?',
  event_logs:
    'transaction_id s, action_type s, table_name s, row_id s, changes s, device_id s, app_id s, user_id s, ip_address s?, hash s, metadata s?, synced b, created_at n',
  peers: 'url s, seen_at n',
}

const types = { s: 'string', n: 'number', b: 'boolean' } as const

const schemaOf = (text: string): ColumnSchema[] =>
  text.split(', ').map((column) => {
    const [name, kind] = column.split(' ') as [string, string]
    return {
      name,
      type: types[kind[0] as keyof typeof types],
      isOptional: kind.endsWith('?'),
    } as ColumnSchema
  })

export const phoneTables = Object.fromEntries(
  Object.entries(columns).map(([name, text]) => [name, schemaOf(text)]),
) as Record<string, ColumnSchema[]>
