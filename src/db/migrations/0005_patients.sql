-- The patient record. Columns are those that phones know (docs/guide says what each means), and the few that only we need.

create table patients (
  id                  uuid primary key,
  given_name          text,
  surname             text,
  date_of_birth       date,
  citizenship         text,
  hometown            text,
  phone               text,
  sex                 text,
  camp                text,
  government_id       text,
  external_patient_id text,
  primary_clinic_id   uuid constraint patients_primary_clinic_id_fkey references clinics deferrable,
  additional_data     jsonb not null default '{}',
  metadata            jsonb not null default '{}',
  photo_url           text,
  image_timestamp     timestamptz(3),
  -- no foreign key: phones write here whoever used them last
  last_modified_by    uuid,
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3)
);
create index patients_registered_idx on patients (created_at desc, id) where not is_deleted;
create index patients_name_idx on patients (surname collate names, given_name collate names, id) where not is_deleted;
create index patients_date_of_birth_idx on patients (date_of_birth) where not is_deleted;
select keep_record('patients');

-- The answers to the fields that a clinic added to its registration form.
create table patient_additional_attributes (
  id                uuid primary key,
  patient_id        uuid not null references patients deferrable,
  attribute_id      uuid not null,
  attribute         text not null,
  number_value      numeric,
  string_value      text,
  date_value        timestamptz(3),
  boolean_value     boolean,
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create unique index patient_additional_attributes_patient_id_attribute_id_key
  on patient_additional_attributes (patient_id, attribute_id) where not is_deleted;
create index patient_additional_attributes_string_idx
  on patient_additional_attributes (attribute_id, lower(string_value)) where not is_deleted and length(string_value) < 500;
select keep_record('patient_additional_attributes');

-- Labels, options and columns inside `fields` are URI-encoded, as the phones store them.
create table registration_forms (
  id                uuid primary key,
  clinic_id         uuid references clinics,
  name              text not null constraint registration_forms_name_check check (name <> '' and length(name) <= 200),
  fields            jsonb not null default '[]' constraint registration_forms_fields_check check (jsonb_typeof(fields) = 'array'),
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
select keep_record('registration_forms');

-- A visit is one encounter: somebody came to a clinic and was seen.
create table visits (
  id                 uuid primary key,
  patient_id         uuid not null references patients deferrable,
  clinic_id          uuid not null references clinics deferrable,
  provider_id        uuid references users deferrable,
  provider_name      text,
  check_in_timestamp timestamptz(3) not null default now(),
  -- ours alone: phones do not know that a visit can be closed
  closed_at          timestamptz(3),
  reason             text,
  metadata           jsonb not null default '{}',
  is_deleted         boolean not null default false,
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  last_modified      timestamptz(3) not null default now(),
  server_created_at  timestamptz(3) not null default now(),
  deleted_at         timestamptz(3),
  -- what hangs on a visit names the patient too, and both must agree
  constraint visits_id_patient_id_key unique (id, patient_id)
);
create index visits_patient_idx on visits (patient_id, check_in_timestamp desc) where not is_deleted;
create index visits_clinic_idx on visits (clinic_id, check_in_timestamp desc) where not is_deleted;
create index visits_provider_idx on visits (provider_id, check_in_timestamp desc) where not is_deleted;
select keep_record('visits');
create trigger archived before insert or update on visits for each row execute function refuse_in_archived_clinic();

-- Measured values are stored as measured, in metric units; limits are rules of the web's form.
create table patient_vitals (
  id                     uuid primary key,
  patient_id             uuid not null references patients deferrable,
  visit_id               uuid,
  event_id               uuid,
  timestamp              timestamptz(3) not null default now(),
  systolic_bp            numeric,
  diastolic_bp           numeric,
  bp_position            text,
  height_cm              numeric,
  weight_kg              numeric,
  bmi                    numeric,
  waist_circumference_cm numeric,
  heart_rate             numeric,
  pulse_rate             numeric,
  respiratory_rate       numeric,
  oxygen_saturation      numeric,
  temperature_celsius    numeric,
  pain_level             numeric,
  recorded_by_user_id    uuid references users deferrable,
  metadata               jsonb not null default '{}',
  is_deleted             boolean not null default false,
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  last_modified          timestamptz(3) not null default now(),
  server_created_at      timestamptz(3) not null default now(),
  deleted_at             timestamptz(3),
  constraint patient_vitals_visit_id_fkey foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index patient_vitals_patient_idx on patient_vitals (patient_id, timestamp desc) where not is_deleted;
create index patient_vitals_visit_idx on patient_vitals (visit_id) where visit_id is not null;
select keep_record('patient_vitals');

create table patient_problems (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  visit_id            uuid,
  problem_code_system text not null constraint patient_problems_problem_code_system_check
                      check (problem_code_system in ('icd10cm', 'icd10', 'icd11', 'snomed')),
  problem_code        text not null,
  problem_label       text not null,
  clinical_status     text not null default 'active' constraint patient_problems_clinical_status_check
                      check (clinical_status in ('active', 'remission', 'resolved')),
  verification_status text not null default 'provisional' constraint patient_problems_verification_status_check
                      check (verification_status in ('provisional', 'confirmed', 'refuted', 'unconfirmed')),
  severity_score      numeric,
  onset_date          timestamptz(3),
  end_date            timestamptz(3),
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint patient_problems_visit_id_fkey foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index patient_problems_patient_idx on patient_problems (patient_id) where not is_deleted;
create index patient_problems_visit_idx on patient_problems (visit_id) where visit_id is not null;
create index patient_problems_code_idx on patient_problems (problem_code_system, problem_code) where not is_deleted;
select keep_record('patient_problems');

-- decided.md, "What a delete takes along"; each later noun adds its own.
insert into cascade_rules values
  ('patients', 'patient_additional_attributes', 'patient_id', 'delete'),
  ('patients', 'visits', 'patient_id', 'delete'),
  ('patients', 'patient_vitals', 'patient_id', 'delete'),
  ('patients', 'patient_problems', 'patient_id', 'delete'),
  ('visits', 'patient_vitals', 'visit_id', 'delete'),
  ('visits', 'patient_problems', 'visit_id', 'unlink');

-- Links: the clinics that a patient has to do with ---------------------------------------------------------------------

-- One row for each reason. Kept when it ends, because phones must be told that a patient left their scope.
create table patient_links (
  patient_id uuid not null references patients on delete cascade deferrable,
  clinic_id  uuid not null references clinics deferrable,
  source     text not null check (source in ('primary', 'visit', 'appointment', 'prescription', 'explicit', 'registered')),
  since      timestamptz(3) not null default clock_timestamp(),
  until      timestamptz(3),
  primary key (patient_id, clinic_id, source)
);
create index patient_links_clinic_idx on patient_links (clinic_id, patient_id) where until is null;

-- Opens and ends the links that rows of a table stand for. Arguments: source, the columns of the patient and of the clinic.
create function follow_links() returns trigger language plpgsql as $$
declare
  changed text := case tg_op when 'INSERT' then 'select * from new_rows'
                             when 'DELETE' then 'select * from old_rows'
                             else 'select * from new_rows union all select * from old_rows' end;
begin
  execute format(
    'with pairs as (select distinct %1$I as patient, %2$I as clinic from (%4$s) rows where %2$I is not null),
          living as (select patient, clinic from pairs
                     where exists (select from %5$I r where r.%1$I = patient and r.%2$I = clinic and not r.is_deleted)),
          opened as (insert into patient_links (patient_id, clinic_id, source) select patient, clinic, %3$L from living
                     on conflict (patient_id, clinic_id, source) do update set until = null, since = clock_timestamp()
                     where patient_links.until is not null)
     update patient_links set until = clock_timestamp()
     from pairs where patient_id = patient and clinic_id = clinic and source = %3$L and until is null
       and not exists (select from living l where l.patient = pairs.patient and l.clinic = pairs.clinic)',
    tg_argv[1], tg_argv[2], tg_argv[0], changed, tg_table_name);
  return null;
end $$;

create function keep_links(p_table regclass, source text, patient_column text, clinic_column text) returns void language plpgsql as $$
declare
  args text := format('%L, %L, %L', source, patient_column, clinic_column);
begin
  execute format('create trigger links_insert after insert on %s referencing new table as new_rows for each statement execute function follow_links(%s)', p_table, args);
  execute format('create trigger links_update after update on %s referencing old table as old_rows new table as new_rows for each statement execute function follow_links(%s)', p_table, args);
  execute format('create trigger links_delete after delete on %s referencing old table as old_rows for each statement execute function follow_links(%s)', p_table, args);
end $$;
select keep_links('patients', 'primary', 'id', 'primary_clinic_id');
select keep_links('visits', 'visit', 'patient_id', 'clinic_id');

-- A clinic with patients or visits, even deleted ones, is archived and never deleted.
create or replace function clinic_has_records(p_clinic uuid) returns boolean language sql stable as $$
  select exists (select from patients where primary_clinic_id = p_clinic)
      or exists (select from visits where clinic_id = p_clinic)
$$;
create index patients_primary_clinic_idx on patients (primary_clinic_id);
create index visits_any_clinic_idx on visits (clinic_id);
