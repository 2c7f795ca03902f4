-- What a visit records: forms that clinics design themselves, every version of each form, and the
-- answers.

create table event_forms (
  id                uuid primary key,
  name              text not null
    constraint event_forms_name_check check (name <> '' and length(name) <= 200),
  description       text not null default ''
    constraint event_forms_description_check check (length(description) <= 2000),
  language          text not null default 'en'
    constraint event_forms_language_check check (language in ('en', 'ar', 'es')),
  is_editable       boolean not null default true,
  is_snapshot_form  boolean not null default false,
  form_fields       jsonb not null default '[]'
    constraint event_forms_form_fields_check check (jsonb_typeof(form_fields) = 'array'),
  metadata          jsonb not null default '{}',
  -- empty: every clinic. A deleted clinic stays in the list, because an empty list would show the
  -- form to every clinic.
  clinic_ids        uuid[] not null default '{}',
  translations      jsonb not null default '[]'
    constraint event_forms_translations_check check (jsonb_typeof(translations) = 'array'),
  -- counts the changes of the questions; only the database writes it
  version           integer not null default 1,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create index event_forms_name_idx on event_forms (name collate names, id) where not is_deleted;
create index event_forms_clinics_idx on event_forms using gin (clinic_ids);

-- An answer is shown with the version of the form that it answered, so a version never changes.
-- Every save that changes the questions creates a version, even if the last one has no answers yet:
-- a user may be filling it in, and an offline device may send answers later.
create table event_form_versions (
  form_id      uuid not null references event_forms deferrable,
  version      integer not null,
  name         text not null,
  description  text not null,
  language     text not null,
  form_fields  jsonb not null,
  translations jsonb not null,
  saved_by     uuid,
  saved_at     timestamptz(3) not null default clock_timestamp(),
  primary key (form_id, version)
);

-- Completed event forms of visits.

create table events (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  visit_id            uuid,
  form_id             uuid constraint events_form_id_fkey references event_forms deferrable,
  -- only on the server: devices do not know that forms have versions
  form_version        integer,
  -- the name of the form when it was filled in
  event_type          text,
  -- [{fieldId, name, inputType, fieldType, value}], as devices write and read it
  form_data           jsonb not null default '[]',
  metadata            jsonb not null default '{}',
  recorded_by_user_id uuid constraint events_recorded_by_user_id_fkey references users deferrable,
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint events_form_data_check check (jsonb_typeof(form_data) = 'array'),
  constraint events_visit_id_fkey
    foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable,
  constraint events_form_version_fkey foreign key (form_id, form_version)
    references event_form_versions (form_id, version) deferrable
);
create index events_patient_idx on events (patient_id, created_at desc, id) where not is_deleted;
create index events_visit_idx on events (visit_id) where visit_id is not null;
create index events_form_idx on events (form_id, created_at desc, id) where not is_deleted;
-- Finds whether a version of a form has answers, deleted ones included.
create index events_form_version_idx on events (form_id, form_version);
create index events_recorded_by_idx
  on events (recorded_by_user_id) where recorded_by_user_id is not null;

-- The answers by question: {fieldId: value}. Tables, filters and charts over thousands of events
-- would otherwise search through `form_data` for each value. A trigger writes it; nothing else
-- does.
create table event_answers (
  event_id uuid primary key references events on delete cascade,
  answers  jsonb not null
);
create index event_answers_answers_idx on event_answers using gin (answers jsonb_path_ops);

-- Files that answers refer to. A file is uploaded before its form is saved, so event_id has no
-- foreign key.
create table event_files (
  id                uuid primary key,
  patient_id        uuid not null references patients deferrable,
  event_id          uuid not null,
  visit_id          uuid not null,
  field_id          text not null,
  name              text not null
    constraint event_files_name_check check (name <> '' and length(name) <= 200),
  mime_type         text not null constraint event_files_mime_type_check
                    check (mime_type in ('image/png', 'image/jpeg', 'application/pdf')),
  size              integer not null,
  sent_by_user_id   uuid references users deferrable,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint event_files_visit_id_fkey
    foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index event_files_event_idx on event_files (event_id);
create index event_files_patient_idx on event_files (patient_id);

insert into cascade_rules (parent, child, child_column, effect) values
  ('patients', 'events', 'patient_id', 'delete'),
  ('visits', 'events', 'visit_id', 'delete'),
  ('events', 'event_files', 'event_id', 'delete');
