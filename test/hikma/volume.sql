-- Rows of a clinic group that has used a Hikma server for two years: settings say how many, and md5 of
-- the seed, the table and the row's number is the row's id, so that the same seed makes the same rows.

create function pg_temp.hid(kind text, n bigint) returns uuid language sql stable as $$
  select overlay(overlay(md5(current_setting('hikma.seed') || kind || n) placing '4' from 13)
    placing 'a' from 17)::uuid
$$;
-- a number from 0 to m - 1, by row and purpose
create function pg_temp.pick(n bigint, purpose int, m int) returns int language sql stable as $$
  select ((hashint8extended(n, purpose + current_setting('hikma.seed')::bigint * 1000)
    & 9007199254740991) % m)::int
$$;
create function pg_temp.setting(name text) returns int language sql stable as $$
  select current_setting('hikma.' || name)::int
$$;
-- within the two years, to the microsecond
create function pg_temp.moment(n bigint, purpose int) returns timestamptz language sql stable as $$
  select timestamptz '2024-05-01 06:00Z' + pg_temp.pick(n, purpose, 63072000) * interval '1 second'
    + pg_temp.pick(n, purpose + 1, 1000000) * interval '1 microsecond'
$$;
create function pg_temp.word(words text[], n bigint, purpose int) returns text language sql stable as $$
  select words[1 + pg_temp.pick(n, purpose, array_length(words, 1))]
$$;

insert into clinics (id, name, created_at, updated_at)
select pg_temp.hid('clinics', n), 'Clinic of street ' || n, pg_temp.moment(n, 1), pg_temp.moment(n, 1)
from generate_series(1, pg_temp.setting('clinics')) n;

insert into users (id, name, role, email, hashed_password, clinic_id, created_at, updated_at)
select pg_temp.hid('users', n), 'User ' || n,
  pg_temp.word('{registrar,provider,provider,provider,admin,super_admin}', n, 2),
  'user' || n || '@hikma.example',
  '$2b$10$abcdefghijklmnopqrstuuVjsz.PLACEHOLDER',
  pg_temp.hid('clinics', 1 + n % 8), pg_temp.moment(n, 3), pg_temp.moment(n, 3)
from generate_series(1, pg_temp.setting('users')) n;

insert into user_clinic_permissions (id, user_id, clinic_id, can_register_patients, can_view_history,
  can_edit_records, can_delete_records, is_clinic_admin, can_edit_other_provider_event,
  can_download_patient_reports, can_prescribe_medications, can_dispense_medications,
  can_delete_patient_visits, can_delete_patient_records, created_by, created_at, updated_at)
select pg_temp.hid('user_clinic_permissions', n), pg_temp.hid('users', 1 + (n - 1) % 24),
  pg_temp.hid('clinics', 1 + (n - 1) / 24), true, pg_temp.pick(n, 4, 8) > 0, pg_temp.pick(n, 5, 4) > 0,
  pg_temp.pick(n, 6, 2) = 0, pg_temp.pick(n, 7, 6) = 0, pg_temp.pick(n, 8, 2) = 0,
  pg_temp.pick(n, 9, 2) = 0, pg_temp.pick(n, 10, 2) = 0, pg_temp.pick(n, 11, 2) = 0,
  pg_temp.pick(n, 12, 2) = 0, pg_temp.pick(n, 13, 2) = 0, pg_temp.hid('users', 1),
  pg_temp.moment(n, 14), pg_temp.moment(n, 14)
from generate_series(1, 192) n;

insert into clinic_departments (id, clinic_id, name, code, description, can_dispense_medications,
  can_perform_labs, additional_capabilities, created_at, updated_at)
select pg_temp.hid('clinic_departments', n), pg_temp.hid('clinics', 1 + n % 8), 'Department ' || n,
  'D' || n, 'Room ' || n, n % 2 = 0, n % 3 = 0, '["ultrasound", "dressing"]',
  pg_temp.moment(n, 15), pg_temp.moment(n, 15)
from generate_series(1, pg_temp.setting('clinic_departments')) n;

insert into app_config (id, namespace, key, value, data_type, created_at, updated_at)
values (pg_temp.hid('app_config', 1), 'organization', 'organization-name', 'Riverside group', 'string',
    '2024-06-01Z', '2024-06-01Z'),
  (pg_temp.hid('app_config', 2), 'auth', 'disable-mobile-permissions-checking', 'true', 'boolean',
    '2024-06-01Z', '2024-06-01Z'),
  (pg_temp.hid('app_config', 3), 'system', 'operation_mode', 'offline', 'string', '2024-06-01Z',
    '2024-06-01Z');

insert into patient_registration_forms (id, name, fields, created_at, updated_at)
select pg_temp.hid('patient_registration_forms', n), 'Registration ' || n, jsonb_build_array(
    jsonb_build_object('id', 'e3d7615c-6ee6-11ee-b962-0242ac120002', 'position', 1, 'column', 'given_name',
      'fieldType', 'text', 'label', jsonb_build_object('en', 'Given%20name', 'ar', '%D8%A7%D8%B3%D9%85',
      'es', 'Nombre'), 'options', '[]'::jsonb, 'required', true, 'baseField', true, 'visible', true,
      'deleted', false, 'showsInSummary', true, 'isSearchField', true),
    jsonb_build_object('id', pg_temp.hid('attribute', 1), 'position', 11, 'column', 'clan',
      'fieldType', 'text', 'label', jsonb_build_object('en', 'Clan'), 'options', '[]'::jsonb,
      'required', false, 'baseField', false, 'visible', true, 'deleted', false, 'showsInSummary', false,
      'isSearchField', false),
    jsonb_build_object('id', pg_temp.hid('attribute', 2), 'position', 12, 'column', 'household',
      'fieldType', 'select', 'label', jsonb_build_object('en', 'Household%20head'),
      'options', '[{"en": "Yes", "es": "S%C3%AD"}, {"en": "No"}]'::jsonb, 'required', false,
      'baseField', false, 'visible', true, 'deleted', false, 'showsInSummary', false,
      'isSearchField', false)),
  '2024-05-02Z'::timestamptz + n * interval '1 day', '2024-05-02Z'::timestamptz + n * interval '1 day'
from generate_series(1, 25) n;

insert into event_forms (id, name, description, form_fields, created_at, updated_at)
select pg_temp.hid('event_forms', n), 'Complaint ' || n, 'What brings the patient', jsonb_build_array(
    jsonb_build_object('id', pg_temp.hid('question', n * 10), 'name', 'Complaint', 'description', '',
      'fieldType', 'free-text', 'inputType', 'text', 'required', true, 'length', 'short', 'units',
      '[]'::jsonb),
    jsonb_build_object('id', pg_temp.hid('question', n * 10 + 1), 'name', 'Severity', 'description', '',
      'fieldType', 'options', 'inputType', 'radio', 'required', false, 'multi', false,
      'options', jsonb_build_array(
        jsonb_build_object('id', pg_temp.hid('option', n * 10), 'label', 'Mild', 'value', 'mild'),
        jsonb_build_object('id', pg_temp.hid('option', n * 10 + 1), 'label', 'Severe', 'value', 'severe')))),
  pg_temp.moment(n, 16), pg_temp.moment(n, 16)
from generate_series(1, pg_temp.setting('event_forms')) n;

insert into patients (id, given_name, surname, date_of_birth, citizenship, hometown, phone, sex, camp,
  government_id, external_patient_id, additional_data, metadata, primary_clinic_id, last_modified_by,
  created_at, updated_at)
select pg_temp.hid('patients', n),
  pg_temp.word('{Amal,Layla,Omar,Yusuf,Rosa,Lucía,Ahmad,Fatima,محمد,مريم}', n, 20) || ' ' || n,
  pg_temp.word('{Haddad,Nasser,García,Quispe,Mamani,الحسن,Khoury,Saleh}', n, 21),
  date '1940-01-01' + pg_temp.pick(n, 22, 30000),
  pg_temp.word('{Syrian,Peruvian,Jordanian}', n, 23), 'Village ' || pg_temp.pick(n, 24, 200),
  '+962 7' || lpad(pg_temp.pick(n, 25, 100000000)::text, 8, '0'),
  pg_temp.word('{male,female}', n, 26), 'Camp ' || pg_temp.pick(n, 27, 9),
  'GOV-' || n, 'EXT-' || n, '{"note": "kept"}', jsonb_build_object('device', 'phone ' || n % 40),
  pg_temp.hid('clinics', 1 + n % 8), pg_temp.hid('users', 1 + n % 24), pg_temp.moment(n, 28),
  pg_temp.moment(n, 28) + interval '90 minutes'
from generate_series(1, pg_temp.setting('patients')) n;

insert into patient_additional_attributes (id, patient_id, attribute_id, attribute, string_value,
  boolean_value, number_value, date_value, created_at, updated_at)
select pg_temp.hid('patient_additional_attributes', n), pg_temp.hid('patients', (n + 1) / 2),
  pg_temp.hid('attribute', 1 + n % 2)::text, case n % 2 when 0 then 'clan' else 'household' end,
  case when n % 2 = 0 then 'Clan ' || n end, case when n % 4 = 1 then true end,
  case when n % 4 = 3 then n / 8.0 end, case when n % 8 = 7 then pg_temp.moment(n, 30) end,
  pg_temp.moment(n, 31), pg_temp.moment(n, 31)
from generate_series(1, 2 * pg_temp.setting('patients')) n;

insert into visits (id, patient_id, clinic_id, provider_id, provider_name, check_in_timestamp, metadata,
  created_at, updated_at)
select pg_temp.hid('visits', n), pg_temp.hid('patients', (n + 2) / 3),
  pg_temp.hid('clinics', 1 + pg_temp.pick(n, 32, 8)), pg_temp.hid('users', 1 + n % 24), 'User ' || 1 + n % 24,
  pg_temp.moment(n, 33), '{"source": "phone"}', pg_temp.moment(n, 33) + interval '1 minute',
  pg_temp.moment(n, 33) + interval '30 minutes'
from generate_series(1, 3 * pg_temp.setting('patients')) n;

insert into events (id, patient_id, visit_id, form_id, event_type, form_data, metadata,
  recorded_by_user_id, created_at, updated_at)
select pg_temp.hid('events', n), pg_temp.hid('patients', ((n + 1) / 2 + 2) / 3),
  pg_temp.hid('visits', (n + 1) / 2), pg_temp.hid('event_forms', 1 + n % 5), 'Complaint ' || 1 + n % 5,
  jsonb_build_array(
    jsonb_build_object('fieldId', pg_temp.hid('question', (1 + n % 5) * 10), 'name', 'Complaint',
      'inputType', 'text', 'fieldType', 'free-text', 'value', 'Cough for ' || n % 9 || ' days'),
    jsonb_build_object('fieldId', pg_temp.hid('question', (1 + n % 5) * 10 + 1), 'name', 'Severity',
      'inputType', 'radio', 'fieldType', 'options', 'value', 'mild')),
  '{"start": 1}', pg_temp.hid('users', 1 + n % 24), pg_temp.moment((n + 1) / 2, 33) + interval '9 minutes',
  pg_temp.moment((n + 1) / 2, 33) + interval '9 minutes'
from generate_series(1, 6 * pg_temp.setting('patients')) n;

insert into patient_vitals (id, patient_id, visit_id, timestamp, systolic_bp, diastolic_bp, bp_position,
  height_cm, weight_kg, bmi, heart_rate, pulse_rate, oxygen_saturation, respiratory_rate,
  temperature_celsius, pain_level, recorded_by_user_id, created_at, updated_at)
select pg_temp.hid('patient_vitals', n), pg_temp.hid('patients', (n + 2) / 3), pg_temp.hid('visits', n),
  pg_temp.moment(n, 33) + interval '5 minutes', 95 + pg_temp.pick(n, 40, 70), 55 + pg_temp.pick(n, 41, 40),
  'sitting', 150 + pg_temp.pick(n, 42, 400) / 10.0, 45 + pg_temp.pick(n, 43, 500) / 10.0, 24.5,
  60 + pg_temp.pick(n, 44, 50), 60 + pg_temp.pick(n, 44, 50), 94 + pg_temp.pick(n, 45, 6),
  12 + pg_temp.pick(n, 46, 10), 36 + pg_temp.pick(n, 47, 25) / 10.0, pg_temp.pick(n, 48, 11),
  pg_temp.hid('users', 1 + n % 24), pg_temp.moment(n, 33) + interval '5 minutes',
  pg_temp.moment(n, 33) + interval '5 minutes'
from generate_series(1, 3 * pg_temp.setting('patients')) n;

insert into patient_problems (id, patient_id, visit_id, problem_code_system, problem_code, problem_label,
  clinical_status, verification_status, severity_score, onset_date, recorded_by_user_id, created_at,
  updated_at)
select pg_temp.hid('patient_problems', n), pg_temp.hid('patients', n), pg_temp.hid('visits', 3 * n),
  pg_temp.word('{icd10,icd10cm,icd11,snomed}', n, 50), pg_temp.word('{E11.9,I10,J45.9,A09}', n, 51),
  pg_temp.word('{Diabetes,Hypertension,Asthma,Diarrhoea}', n, 51),
  pg_temp.word('{active,remission,resolved}', n, 52),
  pg_temp.word('{provisional,confirmed,refuted,unconfirmed}', n, 53), pg_temp.pick(n, 54, 10),
  date '2010-01-01' + pg_temp.pick(n, 55, 5000), pg_temp.hid('users', 1 + n % 24), pg_temp.moment(n, 56),
  pg_temp.moment(n, 56)
from generate_series(1, pg_temp.setting('patients')) n;

insert into patient_allergies (id, patient_id, allergen_code_system, allergen_code, allergen_label,
  allergy_type, clinical_status, verification_status, severity, onset_date, recorded_by_user_id,
  created_at, updated_at)
select pg_temp.hid('patient_allergies', n), pg_temp.hid('patients', n), 'snomed', '372687004',
  pg_temp.word('{Amoxicillin,Penicillin,Ibuprofen,Peanuts,Dust of the mill}', n, 60), 'chronic', 'active',
  'confirmed', pg_temp.word('{mild,moderate,severe}', n, 61), date '2015-01-01' + pg_temp.pick(n, 62, 3000),
  pg_temp.hid('users', 1 + n % 24), pg_temp.moment(n, 63), pg_temp.moment(n, 63)
from generate_series(1, pg_temp.setting('patients') / 2) n;

insert into patient_allergy_reactions (id, allergy_id, reaction_manifestation_code,
  reaction_manifestation_label, description, severity, created_at, updated_at)
select pg_temp.hid('patient_allergy_reactions', n), pg_temp.hid('patient_allergies', n), '271807003',
  pg_temp.word('{Rash,Hives,Swelling}', n, 64), 'Within an hour', pg_temp.word('{mild,moderate}', n, 65),
  pg_temp.moment(n, 66), pg_temp.moment(n, 66)
from generate_series(1, pg_temp.setting('patients') / 3) n;

insert into appointments (id, provider_id, clinic_id, patient_id, user_id, current_visit_id,
  fulfilled_visit_id, timestamp, duration, reason, notes, status, departments, is_walk_in, created_at,
  updated_at)
select pg_temp.hid('appointments', n), pg_temp.hid('users', 1 + n % 24), pg_temp.hid('clinics', 1 + n % 8),
  pg_temp.hid('patients', n), pg_temp.hid('users', 1 + n % 7), pg_temp.hid('visits', 3 * n - 2),
  case when n % 3 = 0 then pg_temp.hid('visits', 3 * n - 1) end, pg_temp.moment(n, 70), 30, 'Check-up', '',
  pg_temp.word('{pending,confirmed,cancelled,completed,checked_in}', n, 71),
  case when n % 2 = 0 then jsonb_build_array(jsonb_build_object(
    'id', pg_temp.hid('clinic_departments', 1 + n % 8), 'name', 'Department ' || 1 + n % 8,
    'seen_at', null, 'seen_by', null, 'status', 'pending')) else '[]' end,
  n % 9 = 0, pg_temp.moment(n, 72), pg_temp.moment(n, 72)
from generate_series(1, pg_temp.setting('patients')) n;

insert into drug_catalogue (id, barcode, generic_name, brand_name, form, route, dosage_quantity,
  dosage_units, manufacturer, sale_price, sale_currency, min_stock_level, max_stock_level,
  recorded_by_user_id, created_at, updated_at)
select pg_temp.hid('drug_catalogue', n), '590' || lpad(n::text, 10, '0'),
  pg_temp.word('{Amoxicillin,Paracetamol,Ibuprofen,Metformin,Amlodipine,Salbutamol}', n, 80), 'Brand ' || n,
  pg_temp.word('{tablet,syrup,capsule,injection}', n, 81), pg_temp.word('{oral,intravenous}', n, 82),
  pg_temp.word('{250,500,5,0.5}', n, 83)::numeric, pg_temp.word('{mg,g,mcg}', n, 84), 'Maker', 1.25, 'USD', 10,
  500, pg_temp.hid('users', 1), pg_temp.moment(n, 85), pg_temp.moment(n, 85)
from generate_series(1, pg_temp.setting('drug_catalogue')) n;

insert into drug_batches (id, drug_id, batch_number, expiry_date, manufacture_date, quantity_received,
  quantity_remaining, supplier_name, purchase_price, purchase_currency, received_date, created_at,
  updated_at)
select pg_temp.hid('drug_batches', n), pg_temp.hid('drug_catalogue', 1 + (n - 1) % 40), 'LOT' || n,
  date '2028-01-01' + n::int, date '2025-01-01', 1000, 400, 'Supplier', 0.5, 'USD', date '2025-06-01',
  pg_temp.moment(n, 86), pg_temp.moment(n, 86)
from generate_series(1, pg_temp.setting('drug_batches')) n;

insert into clinic_inventory (id, clinic_id, drug_id, batch_id, quantity_available, reserved_quantity,
  last_counted_at, batch_number, batch_expiry_date, created_at, updated_at)
select pg_temp.hid('clinic_inventory', n), pg_temp.hid('clinics', 1 + (n - 1) / 80),
  pg_temp.hid('drug_catalogue', 1 + (n - 1) % 40), pg_temp.hid('drug_batches', 1 + (n - 1) % 80),
  20 + pg_temp.pick(n, 87, 300), 3, pg_temp.moment(n, 88), 'LOT' || 1 + (n - 1) % 80,
  date '2028-01-01' + (1 + (n - 1) % 80)::int, pg_temp.moment(n, 89), pg_temp.moment(n, 89)
from generate_series(1, 640) n;

insert into prescriptions (id, patient_id, provider_id, filled_by, pickup_clinic_id, visit_id, priority,
  expiration_date, prescribed_at, filled_at, status, items, notes, metadata, created_at, updated_at)
select pg_temp.hid('prescriptions', n), pg_temp.hid('patients', n), pg_temp.hid('users', 1 + n % 24), null,
  pg_temp.hid('clinics', 1 + n % 8), pg_temp.hid('visits', 3 * n),
  pg_temp.word('{low,normal,high,emergency}', n, 90), pg_temp.moment(n, 91) + interval '30 days',
  pg_temp.moment(n, 91), null,
  pg_temp.word('{pending,prepared,not-picked-up,partially-picked-up,cancelled}', n, 92),
  '[]', 'After meals', '{"device": "phone"}', pg_temp.moment(n, 91), pg_temp.moment(n, 91)
from generate_series(1, pg_temp.setting('patients')) n;

insert into prescription_items (id, prescription_id, patient_id, drug_id, clinic_id, dosage_instructions,
  quantity_prescribed, quantity_dispensed, refills_authorized, item_status, notes, created_at, updated_at)
select pg_temp.hid('prescription_items', n), pg_temp.hid('prescriptions', n), pg_temp.hid('patients', n),
  pg_temp.hid('drug_catalogue', 1 + n % 40), pg_temp.hid('clinics', 1 + n % 8), 'One in the morning',
  10 + pg_temp.pick(n, 93, 20), 0, 1, 'active', 'With water', pg_temp.moment(n, 94), pg_temp.moment(n, 94)
from generate_series(1, pg_temp.setting('patients') * 2 / 3) n;

insert into dispensing_records (id, clinic_id, drug_id, batch_id, prescription_item_id, patient_id,
  quantity_dispensed, dosage_instructions, days_supply, dispensed_by, dispensed_at, created_at, updated_at)
select pg_temp.hid('dispensing_records', n), pg_temp.hid('clinics', 1 + n % 8),
  pg_temp.hid('drug_catalogue', 1 + n % 40), pg_temp.hid('drug_batches', 1 + n % 40),
  pg_temp.hid('prescription_items', n), pg_temp.hid('patients', n), 1 + pg_temp.pick(n, 95, 9),
  'One in the morning', 7, pg_temp.hid('users', 1 + n % 24), pg_temp.moment(n, 96), pg_temp.moment(n, 96),
  pg_temp.moment(n, 96)
from generate_series(1, pg_temp.setting('patients') / 2) n;

insert into inventory_transactions (id, clinic_id, drug_id, batch_id, transaction_type, quantity,
  balance_after, reference_type, reference_id, reason, performed_by, timestamp, created_at, updated_at)
select pg_temp.hid('inventory_transactions', n), clinic_id, drug_id, batch_id, 'dispensed',
  -quantity_dispensed, 100, 'dispensing_record', id, 'Medication dispensed to patient', dispensed_by,
  dispensed_at, created_at, updated_at
from generate_series(1, pg_temp.setting('patients') / 2) n
join dispensing_records on id = pg_temp.hid('dispensing_records', n);

insert into event_logs (id, transaction_id, action_type, table_name, row_id, changes, device_id, app_id,
  user_id, ip_address, hash, created_at, updated_at)
select pg_temp.hid('event_logs', n), pg_temp.hid('transaction', n), 'CREATE', 'patients',
  pg_temp.hid('patients', n)::text, '{"given_name": "Amal"}', 'device ' || n % 40, 'app',
  pg_temp.hid('users', 1 + n % 24)::text, '10.0.0.7', md5(n::text), pg_temp.moment(n, 97),
  pg_temp.moment(n, 97)
from generate_series(1, pg_temp.setting('patients') / 3) n;
