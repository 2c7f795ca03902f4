-- The patient record, visits, and the clinics that a patient is linked to. Devices have most of
-- these columns; a comment marks those that only the server has.

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
  -- no foreign key: a device writes the id of its last user, who may be unknown here
  last_modified_by    uuid,
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  -- Not a synced column: a write of a device leaves it unchanged.
  died_on             date,
  -- an approximate date of birth may be later than the true one
  constraint patients_died_on_check
    check (died_on >= date_of_birth - case metadata ->> 'date_of_birth_precision'
      when 'age' then 366 when 'year' then 0 when 'month' then 16 when 'week' then 4 else 0 end)
);
create index patients_registered_idx on patients (created_at desc, id) where not is_deleted;
create index patients_name_idx
  on patients (surname collate names, given_name collate names, id) where not is_deleted;
create index patients_date_of_birth_idx on patients (date_of_birth) where not is_deleted;
create index patients_primary_clinic_idx on patients (primary_clinic_id);
-- Lists sort and filter by these.
create index patients_given_name_idx
  on patients (given_name collate names, surname collate names, id) where not is_deleted;
create index patients_youngest_idx
  on patients (date_of_birth desc nulls last, id desc) where not is_deleted;
create index patients_sex_idx on patients (sex, created_at desc, id) where not is_deleted;

-- Answers to the fields that a clinic added to the registration form.
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
  on patient_additional_attributes (attribute_id, lower(string_value))
  where not is_deleted and length(string_value) < 500;
-- Finds whether a field has answers: its type can then no longer change.
create index patient_additional_attributes_attribute_idx
  on patient_additional_attributes (attribute_id) where not is_deleted;
-- The version of a patient covers the answers: finds the newest, deleted ones included.
create index patient_additional_attributes_patient_idx
  on patient_additional_attributes (patient_id, last_modified);

-- Labels and options inside `fields` are URI-encoded, as devices store them.
create table registration_forms (
  id                uuid primary key,
  clinic_id         uuid references clinics,
  name              text not null
    constraint registration_forms_name_check check (name <> '' and length(name) <= 200),
  fields            jsonb not null default '[]'
    constraint registration_forms_fields_check check (jsonb_typeof(fields) = 'array'),
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
-- The registration form of a new installation. Labels and options are URI-encoded, as devices store
-- them.
insert into registration_forms (id, name, fields)
values ('01900000-0000-7000-8000-000000000001', 'Registration', '[
  {
    "id": "e3d7615c-6ee6-11ee-b962-0242ac120002", "position": 1, "column": "given_name",
    "fieldType": "text", "label": {
      "en": "Given%20name",
      "ar": "%D8%A7%D9%84%D8%A7%D8%B3%D9%85",
      "es": "Nombre"
    },
    "options": [],
    "required": true, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": true, "isSearchField": true
  },
  {
    "id": "128faebe-6ee7-11ee-b962-0242ac120002", "position": 2, "column": "surname",
    "fieldType": "text", "label": {
      "en": "Surname",
      "ar": "%D8%A7%D8%B3%D9%85%20%D8%A7%D9%84%D8%B9%D8%A7%D8%A6%D9%84%D8%A9",
      "es": "Apellidos"
    },
    "options": [],
    "required": false, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": true, "isSearchField": true
  },
  {
    "id": "417d5df8-6eeb-11ee-b962-0242ac120002", "position": 3, "column": "date_of_birth",
    "fieldType": "date", "label": {
      "en": "Date%20of%20birth",
      "ar": "%D8%AA%D8%A7%D8%B1%D9%8A%D8%AE%20%D8%A7%D9%84%D9%85%D9%8A%D9%84%D8%A7%D8%AF",
      "es": "Fecha%20de%20nacimiento"
    },
    "options": [],
    "required": true, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": true, "isSearchField": false
  },
  {
    "id": "4b9190de-6eeb-11ee-b962-0242ac120002", "position": 4, "column": "sex",
    "fieldType": "select", "label": {
      "en": "Sex",
      "ar": "%D8%A7%D9%84%D8%AC%D9%86%D8%B3",
      "es": "Sexo"
    },
    "options": [
      {"en":"Male","ar":"%D8%B0%D9%83%D8%B1","es":"Masculino"},
      {"en":"Female","ar":"%D8%A3%D9%86%D8%AB%D9%89","es":"Femenino"}
    ],
    "required": true, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": true, "isSearchField": false
  },
  {
    "id": "fd328808-bc83-11ee-a506-0242ac120002", "position": 5, "column": "phone",
    "fieldType": "text", "label": {
      "en": "Phone",
      "ar": "%D8%A7%D9%84%D9%87%D8%A7%D8%AA%D9%81",
      "es": "Tel%C3%A9fono"
    },
    "options": [],
    "required": false, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": true, "isSearchField": true
  },
  {
    "id": "06108a10-bc84-11ee-a506-0242ac120002", "position": 6, "column": "hometown",
    "fieldType": "text", "label": {
      "en": "Hometown",
      "ar": "%D8%A7%D9%84%D8%A8%D9%84%D8%AF%D8%A9%20%D8%A7%D9%84%D8%A3%D8%B5%D9%84%D9%8A%D8%A9",
      "es": "Lugar%20de%20origen"
    },
    "options": [],
    "required": false, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": false, "isSearchField": false
  },
  {
    "id": "33282fe0-6f76-11ee-b962-0242ac120002", "position": 7, "column": "citizenship",
    "fieldType": "text", "label": {
      "en": "Citizenship",
      "ar": "%D8%A7%D9%84%D8%AC%D9%86%D8%B3%D9%8A%D8%A9",
      "es": "Nacionalidad"
    },
    "options": [],
    "required": false, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": false, "isSearchField": false
  },
  {
    "id": "f6024866-bc83-11ee-a506-0242ac120002", "position": 8, "column": "camp",
    "fieldType": "text", "label": {
      "en": "Camp",
      "ar": "%D8%A7%D9%84%D9%85%D8%AE%D9%8A%D9%91%D9%85",
      "es": "Campamento"
    },
    "options": [],
    "required": false, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": false, "isSearchField": false
  },
  {
    "id": "be6e53d6-120a-11ef-9262-0242ac120002", "position": 9, "column": "government_id",
    "fieldType": "text", "label": {
      "en": "Government%20ID",
      "ar": "%D8%B1%D9%82%D9%85%20%D8%A7%D9%84%D9%87%D9%88%D9%8A%D8%A9",
      "es": "Documento%20de%20identidad"
    },
    "options": [],
    "required": false, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": false, "isSearchField": true
  },
  {
    "id": "b7671870-120a-11ef-9262-0242ac120002", "position": 10, "column": "external_patient_id",
    "fieldType": "text", "label": {
      "en": "External%20patient%20ID",
      "ar": "%D8%B1%D9%82%D9%85%20%D8%A7%D9%84%D9%85%D8%B1%D9%8A%D8%B6%20%D8%A7%D9%84%D8%AE%D8%A7%D8%B1%D8%AC%D9%8A",
      "es": "Identificador%20externo%20del%20paciente"
    },
    "options": [],
    "required": false, "baseField": true, "visible": true, "deleted": false,
    "showsInSummary": false, "isSearchField": true
  }
]');

-- A visit is one encounter of a patient at a clinic.
create table visits (
  id                 uuid primary key,
  patient_id         uuid not null references patients deferrable,
  clinic_id          uuid not null references clinics deferrable,
  provider_id        uuid references users deferrable,
  provider_name      text,
  check_in_timestamp timestamptz(3) not null default now(),
  -- only on the server: devices do not know that a visit can be closed
  closed_at          timestamptz(3),
  reason             text,
  metadata           jsonb not null default '{}',
  is_deleted         boolean not null default false,
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  last_modified      timestamptz(3) not null default now(),
  server_created_at  timestamptz(3) not null default now(),
  deleted_at         timestamptz(3),
  -- rows of a visit name its patient as well, and both must agree
  constraint visits_id_patient_id_key unique (id, patient_id)
);
create index visits_patient_idx
  on visits (patient_id, check_in_timestamp desc) where not is_deleted;
create index visits_clinic_idx on visits (clinic_id, check_in_timestamp desc) where not is_deleted;
create index visits_provider_idx
  on visits (provider_id, check_in_timestamp desc) where not is_deleted;
create index visits_any_clinic_idx on visits (clinic_id);
-- The filter "visited from … to …" over all clinics.
create index visits_at_idx on visits (check_in_timestamp, patient_id) where not is_deleted;

-- Values as measured, in metric units. The web form checks the limits.
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
  -- µmol/L. Not a synced column: a write of a device leaves it unchanged.
  creatinine_umol_l      numeric,
  constraint patient_vitals_visit_id_fkey
    foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index patient_vitals_patient_idx
  on patient_vitals (patient_id, timestamp desc) where not is_deleted;
create index patient_vitals_visit_idx on patient_vitals (visit_id) where visit_id is not null;

create table patient_problems (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  visit_id            uuid,
  problem_code_system text not null constraint patient_problems_problem_code_system_check
                      check (problem_code_system in ('icd10cm', 'icd10', 'icd11', 'snomed')),
  problem_code        text not null,
  problem_label       text not null,
  clinical_status     text not null default 'active'
    constraint patient_problems_clinical_status_check
                      check (clinical_status in ('active', 'remission', 'resolved')),
  verification_status text not null default 'provisional'
    constraint patient_problems_verification_status_check
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
  constraint patient_problems_visit_id_fkey
    foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index patient_problems_patient_idx on patient_problems (patient_id) where not is_deleted;
create index patient_problems_visit_idx on patient_problems (visit_id) where visit_id is not null;
create index patient_problems_code_idx
  on patient_problems (problem_code_system, problem_code) where not is_deleted;

-- One row for each answer about pregnancy; the answer of the latest day counts. Answers are added,
-- never changed: a mistake goes to the trash. The safety check reads them.
create table patient_pregnancies (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- 'not_possible': cannot become pregnant, for example after a hysterectomy
  state               text not null constraint patient_pregnancies_state_check
    check (state in ('pregnant', 'breastfeeding', 'after_birth', 'not_pregnant', 'not_possible',
      'not_known')),
  -- the day of the answer in the clinic's time zone; no time zone is more than a day ahead of UTC
  asked_on            date not null constraint patient_pregnancies_asked_on_check
                      check (asked_on <= (created_at at time zone 'UTC')::date + 1),
  -- the expected day of birth and what the user calculated it from
  due_on              date,
  dating              text
    constraint patient_pregnancies_dating_check
    check (dating in ('last_period', 'due_date', 'weeks')),
  -- the day on which the pregnancy ended, by birth or otherwise
  ended_on            date
    constraint patient_pregnancies_ended_on_check check (ended_on <= asked_on),
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint patient_pregnancies_due_check
    check ((due_on is null) = (dating is null) and (due_on is null or state = 'pregnant')),
  -- at most 280 days ahead (the last period is not in the future), at most 45 weeks of pregnancy
  constraint patient_pregnancies_weeks_check
    check (due_on between asked_on - 35 and asked_on + 280),
  constraint patient_pregnancies_ended_check
    check (state = 'breastfeeding' or (ended_on is not null) = (state = 'after_birth'))
);
create index patient_pregnancies_patient_idx
  on patient_pregnancies (patient_id, asked_on desc) where not is_deleted;

-- Links and merges -------------------------------------------------------------------------------

-- One row for each reason why a clinic may see a patient. A link that ended is kept, because
-- devices must learn that the patient left their scope.
create table patient_links (
  patient_id uuid not null references patients on delete cascade deferrable,
  clinic_id  uuid not null references clinics deferrable,
  source     text not null
    check (source in ('primary', 'visit', 'appointment', 'prescription', 'explicit', 'registered')),
  since      timestamptz(3) not null default clock_timestamp(),
  until      timestamptz(3),
  -- the transaction that changed it last: patients enter and leave the scope of a device with their
  -- links
  changed_xid xid8 not null default '0',
  primary key (patient_id, clinic_id, source)
);
create index patient_links_clinic_idx on patient_links (clinic_id, patient_id) where until is null;
-- The clinics of one patient. Without it, a server without statistics (at a first import) reads all
-- patients of a clinic for each patient: 100,000 patients took seven minutes instead of half a
-- minute.
create index patient_links_open_idx on patient_links (patient_id, clinic_id) where until is null;
create index patient_links_changed_idx on patient_links (changed_xid);

-- Two records of one patient were merged: exactly what was done, so that it can be undone, and so
-- that the writes of a device that still has the loser reach the winner (living_patient()).
create table patient_merges (
  id          uuid primary key,
  winner_id   uuid not null references patients,
  loser_id    uuid not null references patients,
  -- [{table, column, ids}]: rows moved from the loser to the winner
  moved       jsonb not null default '[]',
  -- {column: [before, after]} of the winner
  changed     jsonb not null default '{}',
  -- [{table, id, row}]: rows of the loser of which the winner had an equivalent
  kept        jsonb not null default '[]',
  -- [{id, before, after}]: answers of the winner replaced by the loser's value
  replaced    jsonb not null default '[]',
  -- {opened: [{clinic_id, source}] of the winner, closed: those of the loser}
  links       jsonb not null default '{}',
  merged_by   uuid,
  merged_at   timestamptz(3) not null default clock_timestamp(),
  unmerged_by uuid,
  unmerged_at timestamptz(3),
  constraint patient_merges_two_check check (winner_id <> loser_id)
);
create unique index patient_merges_loser_id_key
  on patient_merges (loser_id) where unmerged_at is null;
create index patient_merges_winner_idx on patient_merges (winner_id) where unmerged_at is null;
create index patient_merges_recent_idx on patient_merges (merged_at desc, id);

insert into cascade_rules (parent, child, child_column, effect) values
  ('patients', 'patient_additional_attributes', 'patient_id', 'delete'),
  ('patients', 'visits', 'patient_id', 'delete'),
  ('patients', 'patient_vitals', 'patient_id', 'delete'),
  ('patients', 'patient_problems', 'patient_id', 'delete'),
  ('visits', 'patient_vitals', 'visit_id', 'delete'),
  ('visits', 'patient_problems', 'visit_id', 'unlink'),
  ('patients', 'patient_pregnancies', 'patient_id', 'delete');
