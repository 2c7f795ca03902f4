import { BASE_COLUMNS } from '~/records/patient'

/**
 * The tables of a Hikma server that are imported, with the columns that the import reads: database/types/schema/hh.d.ts
 * of github.com/hikmahealth/hikma-health-platform. An older server lacks some; they take their default.
 */
const common =
  'id metadata is_deleted created_at updated_at last_modified server_created_at deleted_at'
const table = (own: string, shared = common) => `${shared} ${own}`.split(' ')

export const HIKMA: Readonly<Record<string, readonly string[]>> = {
  clinics: table('name is_archived attributes address'),
  users: table(
    'name role email clinic_id instance_url',
    'id is_deleted created_at updated_at last_modified server_created_at deleted_at',
  ),
  user_clinic_permissions: table(
    `user_id clinic_id can_register_patients can_view_history can_edit_records can_delete_records is_clinic_admin
     can_edit_other_provider_event can_download_patient_reports can_prescribe_medications can_dispense_medications
     can_delete_patient_visits can_delete_patient_records created_by last_modified_by`.replaceAll(
      /\s+/g,
      ' ',
    ),
    'id created_at updated_at',
  ),
  clinic_departments: table(
    'clinic_id name code description status can_dispense_medications can_perform_labs can_perform_imaging ' +
      'additional_capabilities',
  ),
  patient_registration_forms: table('clinic_id name fields'),
  event_forms: table(
    'name description language is_editable is_snapshot_form form_fields clinic_ids translations',
  ),
  app_config: table('namespace key value data_type display_name', 'id updated_at last_modified'),
  drug_catalogue: table(
    'barcode generic_name brand_name form route dosage_quantity dosage_units manufacturer sale_price sale_currency ' +
      'min_stock_level max_stock_level is_controlled requires_refrigeration is_active notes recorded_by_user_id',
  ),
  drug_batches: table(
    'drug_id batch_number expiry_date manufacture_date supplier_name purchase_price purchase_currency received_date ' +
      'is_quarantined recorded_by_user_id',
  ),
  patients: table(
    `${BASE_COLUMNS.join(' ')} additional_data image_timestamp photo_url primary_clinic_id last_modified_by`,
  ),
  patient_additional_attributes: table(
    'patient_id attribute_id attribute number_value string_value date_value boolean_value',
  ),
  visits: table('patient_id clinic_id provider_id provider_name check_in_timestamp'),
  events: table('patient_id visit_id form_id event_type form_data recorded_by_user_id'),
  patient_vitals: table(
    'patient_id visit_id event_id timestamp systolic_bp diastolic_bp bp_position height_cm weight_kg bmi ' +
      'waist_circumference_cm heart_rate pulse_rate respiratory_rate oxygen_saturation temperature_celsius ' +
      'pain_level recorded_by_user_id',
  ),
  patient_problems: table(
    'patient_id visit_id problem_code_system problem_code problem_label clinical_status verification_status ' +
      'severity_score onset_date end_date recorded_by_user_id',
  ),
  patient_allergies: table(
    'patient_id allergen_code allergen_code_system allergen_label allergy_type clinical_status verification_status ' +
      'severity onset_date end_date recorded_by_user_id',
  ),
  patient_allergy_reactions: table('allergy_id reaction_manifestation_label severity'),
  appointments: table(
    'provider_id clinic_id patient_id user_id current_visit_id fulfilled_visit_id timestamp duration reason notes ' +
      'status departments is_walk_in',
  ),
  prescriptions: table(
    'patient_id provider_id filled_by pickup_clinic_id visit_id priority expiration_date prescribed_at filled_at ' +
      'status items notes',
  ),
  prescription_items: table(
    'prescription_id patient_id drug_id clinic_id dosage_instructions quantity_prescribed refills_authorized ' +
      'item_status notes recorded_by_user_id',
  ),
  dispensing_records: table(
    'clinic_id drug_id batch_id prescription_item_id patient_id quantity_dispensed dosage_instructions days_supply ' +
      'dispensed_by dispensed_at recorded_by_user_id',
  ),
  clinic_inventory: table('clinic_id drug_id batch_id quantity_available last_counted_at'),
  event_logs: table('user_id', 'id'),
}

/** Without these it is no database of a Hikma server. */
export const NEEDED = ['clinics', 'users', 'patients', 'visits', 'events', 'event_forms']

/** Kept in the file of unplaced rows: Sanad has no table for them, and forms are not invented. */
export const UNPLACED = [
  'patient_events',
  'patient_risk_profiles',
  'patient_observations',
  'patient_tobacco_history',
  'education_content',
  'reports',
  'report_components',
  'string_ids',
  'string_content',
  'hh_unique',
  'inventory_transactions',
  'resources',
  'files',
]

/** Counted only: secrets of the former server are written nowhere. */
export const COUNTED = [
  'devices',
  'device_pin_codes',
  'server_variables',
  'tokens',
  'access_grants',
]
