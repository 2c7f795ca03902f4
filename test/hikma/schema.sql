-- The tables of a Hikma server, in our own words, for tests of the move to Sanad.
-- Read from the published migrations of github.com/hikmahealth/hikma-health-server: the types generated
-- at commit 1a4f73f4 (2026-05), the migrations 20250816 to 20260417, and db/schema.prisma at 885f8886
-- for installations that began with the older Python server: four columns are json there, not jsonb.
-- Left out: indexes of searches, the trigger on dispensing_records (the generator writes its results)
-- and the bookkeeping of migrations.

create table clinics (
  id uuid primary key,
  name text,
  is_archived boolean not null default false,
  attributes text[] not null default '{}',
  address text,
  metadata jsonb not null default '{}',
  is_deleted boolean default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table users (
  id uuid primary key,
  name text not null,
  role text not null,
  email text not null constraint users_email_idx unique,
  hashed_password text not null,
  instance_url text,
  clinic_id uuid references clinics on delete cascade,
  is_deleted boolean default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table user_clinic_permissions (
  id uuid not null default gen_random_uuid() unique,
  user_id uuid references users on delete cascade,
  clinic_id uuid references clinics on delete cascade,
  can_register_patients boolean default false,
  can_view_history boolean default false,
  can_edit_records boolean default false,
  can_delete_records boolean default false,
  is_clinic_admin boolean default false,
  can_edit_other_provider_event boolean default false,
  can_download_patient_reports boolean default false,
  can_prescribe_medications boolean default false,
  can_dispense_medications boolean default false,
  can_delete_patient_visits boolean default false,
  can_delete_patient_records boolean default false,
  created_by uuid references users,
  last_modified_by uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  primary key (user_id, clinic_id)
);

create table clinic_departments (
  id uuid primary key,
  clinic_id uuid not null references clinics on delete cascade,
  name text not null,
  code text,
  description text,
  status text default 'active',
  can_dispense_medications boolean not null default false,
  can_perform_labs boolean not null default false,
  can_perform_imaging boolean not null default false,
  additional_capabilities jsonb default '[]',
  metadata jsonb not null default '{}',
  is_deleted boolean default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table app_config (
  id uuid not null default gen_random_uuid(),
  namespace varchar(128) not null,
  key varchar(128) not null,
  value text default '',
  data_type varchar(32) not null default 'string',
  display_name varchar(255),
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  last_modified_by uuid references users on delete set null,
  primary key (namespace, key)
);

create table patient_registration_forms (
  id uuid primary key,
  clinic_id uuid references clinics,
  name text not null default '',
  fields jsonb not null default '[]',
  metadata jsonb not null default '{}',
  is_deleted boolean default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table event_forms (
  id uuid primary key,
  name text,
  description text,
  language text not null default 'en',
  is_editable boolean default true,
  is_snapshot_form boolean default false,
  form_fields jsonb not null default '[]',
  translations jsonb default '[]',
  clinic_ids jsonb default '[]',
  metadata jsonb not null default '{}',
  is_deleted boolean default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table patients (
  id uuid primary key,
  given_name text,
  surname text,
  date_of_birth date,
  citizenship text,
  hometown text,
  phone text,
  sex varchar(24),
  camp varchar(50),
  government_id varchar(100),
  external_patient_id varchar(100),
  additional_data jsonb not null default '{}',
  image_timestamp timestamptz,
  photo_url text,
  metadata jsonb not null default '{}',
  primary_clinic_id uuid,
  last_modified_by uuid,
  is_deleted boolean default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table patient_additional_attributes (
  id uuid not null,
  patient_id uuid not null,
  attribute_id varchar not null,
  attribute varchar not null,
  number_value double precision,
  string_value varchar,
  date_value timestamptz,
  boolean_value boolean,
  metadata json not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz,
  primary key (patient_id, attribute_id)
);

create table visits (
  id uuid primary key,
  patient_id uuid references patients on delete cascade,
  clinic_id uuid references clinics on delete cascade,
  provider_id uuid references users on delete cascade,
  provider_name text,
  check_in_timestamp timestamptz,
  metadata jsonb not null default '{}',
  is_deleted boolean default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table events (
  id uuid primary key,
  patient_id uuid references patients on delete cascade,
  visit_id uuid references visits on delete cascade,
  form_id uuid references event_forms on delete cascade,
  event_type text,
  form_data jsonb not null default '{}',
  metadata jsonb not null default '{}',
  recorded_by_user_id uuid,
  is_deleted boolean default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table patient_events (
  id uuid primary key,
  version bigint default 1,
  name text not null,
  patient_id uuid not null references patients,
  clinic_id uuid not null references clinics,
  reference_patients_event_id uuid references patient_events,
  log_user_id uuid references users,
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table patient_vitals (
  id uuid primary key,
  patient_id uuid not null references patients on delete cascade,
  visit_id uuid references visits on delete set null,
  event_id uuid references events,
  patient_event_id uuid references patient_events on delete set null,
  timestamp timestamptz not null,
  systolic_bp integer,
  diastolic_bp integer,
  bp_position varchar(50),
  height_cm numeric(5, 2),
  weight_kg numeric(5, 2),
  bmi numeric(4, 2),
  waist_circumference_cm numeric(5, 2),
  heart_rate integer,
  pulse_rate integer,
  oxygen_saturation numeric(5, 2),
  respiratory_rate integer,
  temperature_celsius numeric(4, 2),
  pain_level integer,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table patient_problems (
  id uuid primary key,
  patient_id uuid not null references patients on delete cascade,
  visit_id uuid references visits on delete set null,
  problem_code_system varchar(20) not null,
  problem_code varchar(100) not null,
  problem_label varchar(255) not null,
  clinical_status varchar(50) not null,
  verification_status varchar(50) not null,
  severity_score integer,
  onset_date date,
  end_date date,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table patient_allergies (
  id uuid primary key,
  patient_id uuid not null references patients on delete cascade,
  allergen_code_system varchar(20),
  allergen_code varchar(100),
  allergen_label varchar(255),
  allergy_type varchar(50),
  clinical_status varchar(50) not null,
  verification_status varchar(50) not null,
  severity varchar(50),
  onset_date date,
  end_date date,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table patient_allergy_reactions (
  id uuid primary key,
  allergy_id uuid not null references patient_allergies on delete cascade,
  reaction_manifestation_code varchar(100),
  reaction_manifestation_label varchar(255) not null,
  description text,
  severity varchar(50),
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table patient_tobacco_history (
  id uuid primary key,
  patient_id uuid not null unique references patients on delete cascade,
  smoking_status varchar(50) not null,
  type varchar(50),
  packs_per_day numeric(4, 2),
  start_date date,
  quit_date date,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table patient_observations (
  id uuid primary key,
  patient_id uuid not null references patients on delete cascade,
  visit_id uuid references visits on delete set null,
  timestamp timestamptz not null,
  observation_code_system varchar(50),
  observation_code varchar(100) not null,
  observation_label varchar(255),
  value_string text,
  value_numeric numeric(10, 3),
  value_boolean boolean,
  value_datetime timestamptz,
  value_code varchar(100),
  value_unit varchar(50),
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table appointments (
  id uuid primary key,
  provider_id uuid references users,
  clinic_id uuid not null references clinics,
  patient_id uuid not null references patients,
  user_id uuid not null references users,
  current_visit_id uuid not null references visits,
  fulfilled_visit_id uuid references visits,
  timestamp timestamptz not null,
  duration smallint not null default 60,
  reason varchar not null default '',
  notes varchar not null default '',
  status varchar not null default 'pending',
  departments jsonb not null default '[]',
  is_walk_in boolean not null default false,
  metadata json not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table drug_catalogue (
  id uuid primary key default gen_random_uuid(),
  barcode varchar(50),
  generic_name varchar(255) not null,
  brand_name varchar(255),
  form varchar(100) not null,
  route varchar(100) not null,
  dosage_quantity numeric(10, 4) not null,
  dosage_units varchar(20) not null,
  manufacturer varchar(255),
  sale_price numeric(10, 2) not null default 0,
  sale_currency varchar(3),
  min_stock_level integer default 0,
  max_stock_level integer,
  is_controlled boolean default false,
  requires_refrigeration boolean default false,
  is_active boolean default true,
  notes text,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table drug_batches (
  id uuid primary key default gen_random_uuid(),
  drug_id uuid not null references drug_catalogue,
  batch_number varchar(100) not null,
  expiry_date date not null,
  manufacture_date date,
  quantity_received integer not null,
  quantity_remaining integer not null,
  supplier_name varchar(255),
  purchase_price numeric(10, 2),
  purchase_currency varchar(3) default '',
  received_date date not null,
  is_quarantined boolean default false,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint idx_drug_batch_unique unique (batch_number, drug_id)
);

create table clinic_inventory (
  id uuid primary key default gen_random_uuid(),
  clinic_id uuid not null references clinics,
  drug_id uuid not null references drug_catalogue,
  batch_id uuid not null references drug_batches,
  quantity_available integer not null,
  reserved_quantity integer default 0,
  last_counted_at timestamptz,
  batch_number varchar(100),
  batch_expiry_date date,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz,
  constraint idx_clinic_inventory_unique unique (clinic_id, drug_id, batch_id)
);

create table inventory_transactions (
  id uuid primary key default gen_random_uuid(),
  clinic_id uuid not null references clinics,
  drug_id uuid not null references drug_catalogue,
  batch_id uuid references drug_batches,
  transaction_type varchar(50) not null,
  quantity integer not null,
  balance_after integer not null,
  reference_type varchar(50),
  reference_id uuid,
  reason text,
  performed_by uuid,
  timestamp timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table prescriptions (
  id uuid primary key,
  patient_id uuid not null references patients,
  provider_id uuid not null references users,
  filled_by uuid references users,
  pickup_clinic_id uuid not null references clinics,
  visit_id uuid references visits,
  patient_event_id uuid references patient_events on delete set null,
  priority varchar default 'normal',
  expiration_date timestamptz,
  prescribed_at timestamptz not null default now(),
  filled_at timestamptz,
  status varchar not null default 'pending',
  items json not null default '[]',
  notes varchar not null default '',
  metadata json not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table prescription_items (
  id uuid primary key default gen_random_uuid(),
  prescription_id uuid not null references prescriptions on delete cascade,
  patient_id uuid not null references patients,
  drug_id uuid not null references drug_catalogue,
  clinic_id uuid not null references clinics,
  dosage_instructions text not null,
  quantity_prescribed integer not null,
  quantity_dispensed integer default 0,
  refills_authorized integer default 0,
  refills_used integer default 0,
  item_status varchar(50) default 'active',
  notes text,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table dispensing_records (
  id uuid primary key default gen_random_uuid(),
  clinic_id uuid not null references clinics,
  drug_id uuid not null references drug_catalogue,
  batch_id uuid references drug_batches,
  prescription_item_id uuid references prescription_items,
  patient_id uuid not null references patients,
  quantity_dispensed integer not null,
  dosage_instructions text,
  days_supply integer,
  dispensed_by uuid not null references users,
  dispensed_at timestamptz not null,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table event_logs (
  id uuid primary key,
  transaction_id uuid not null,
  action_type text not null,
  table_name text not null,
  row_id text not null,
  changes jsonb not null,
  device_id text not null,
  app_id text not null,
  user_id text not null,
  ip_address inet,
  hash text not null,
  hash_verified boolean default false,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table resources (
  id uuid primary key,
  description text,
  store varchar(42) not null,
  store_version varchar(42) not null,
  uri text not null,
  hash varchar(512),
  mimetype text not null,
  is_deleted boolean not null default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz,
  constraint unique_resource_ix unique (store, uri)
);

create table devices (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  device_type text not null,
  api_key_hash text not null,
  app_version text,
  os_type text,
  hardware_id text,
  hardware_id_type text,
  clinic_ids uuid[] not null default '{}',
  specifications jsonb not null default '{}',
  status text not null default 'active',
  failed_pin_attempts integer not null default 0,
  max_pin_attempts integer not null default 5,
  last_seen_at timestamptz,
  recorded_by_user_id uuid references users on delete set null,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table device_pin_codes (
  id uuid primary key default gen_random_uuid(),
  device_id uuid not null references devices,
  pin_hash text not null,
  label text,
  status text not null default 'active',
  issued_by_user_id uuid references users,
  issued_to_user_id uuid references users,
  expires_at timestamptz,
  last_used_at timestamptz,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table server_variables (
  id uuid primary key,
  key varchar(128) not null unique,
  description text,
  value_type varchar(42) not null,
  value_data bytea,
  value_hash varchar(512),
  created_at timestamptz default now(),
  updated_at timestamptz default now()
);

create table tokens (
  user_id uuid references users,
  token text not null,
  expiry timestamptz not null default now() + interval '1 hour'
);

create table education_content (
  id uuid primary key default gen_random_uuid(),
  title text not null,
  description text,
  content_type text not null,
  resource_id uuid references resources,
  tiptap_content jsonb,
  language text not null default 'en',
  status text not null default 'draft',
  visibility text not null default 'public',
  tags jsonb not null default '[]',
  author_id uuid references users,
  published_at timestamptz,
  metadata jsonb not null default '{}',
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table reports (
  id uuid primary key default gen_random_uuid(),
  clinic_id uuid references clinics,
  name text not null,
  description text,
  layout jsonb not null default '{}',
  time_range jsonb not null,
  created_by uuid references users,
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  server_created_at timestamptz not null default now(),
  deleted_at timestamptz
);

create table report_components (
  id uuid primary key default gen_random_uuid(),
  report_id uuid not null references reports,
  title text not null,
  description text,
  prql_source text not null,
  compiled_sql text not null,
  compiler_version text not null default '',
  compiled_at timestamptz not null default now(),
  display jsonb not null,
  position jsonb not null default '{}',
  time_range jsonb,
  is_deleted boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_modified timestamptz not null default now(),
  deleted_at timestamptz
);

create table string_ids (
  id uuid primary key,
  is_deleted boolean default false,
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz
);

create table string_content (
  id uuid not null references string_ids on delete cascade,
  language varchar(5),
  content text,
  is_deleted boolean default false,
  updated_at timestamptz,
  last_modified timestamptz default now(),
  server_created_at timestamptz default now(),
  deleted_at timestamptz,
  unique (id, language)
);

create table hh_unique (
  tag varchar,
  key text not null,
  value text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null);
create table kysely_migration_lock (id varchar(255) primary key, is_locked integer not null default 0);
