-- Programs and follow-up, immunizations, referrals, and reports. Phones do not sync these tables.

-- null: derived, the patient has another visit in the same clinic in the 14 days before
alter table visits add column is_revisit boolean;

-- Programs -----------------------------------------------------------------------------------------

create table program_enrollments (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- a code of src/features/care/programs/programs.json
  program             text not null constraint program_enrollments_program_check
                      check (program ~ '^[a-z][a-z0-9-]{1,39}$'),
  -- the responsible clinic, whoever measures
  clinic_id           uuid not null references clinics deferrable,
  enrolled_on         date not null,
  ended_on            date constraint program_enrollments_ended_check check (ended_on >= enrolled_on),
  end_reason          text constraint program_enrollments_reason_check
                      check (end_reason in ('died', 'moved', 'birth', 'completed', 'cured', 'refused', 'mistaken', 'other')),
  -- pregnancy: first day of the last period
  lmp                 date,
  -- days from a visit to the next, if not those of the schedule
  review_days         integer constraint program_enrollments_review_check check (review_days between 7 and 365),
  -- the problem that enrolled the patient; null: a user did
  problem_id          uuid references patient_problems deferrable,
  recorded_by_user_id uuid references users deferrable,
  recorded_clinic_id  uuid references clinics deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint program_enrollments_end_check check ((ended_on is null) = (end_reason is null))
);
create unique index program_enrollments_open on program_enrollments (patient_id, program)
  where ended_on is null and not is_deleted;
create index program_enrollments_patient_idx on program_enrollments (patient_id);
create index program_enrollments_clinic_idx on program_enrollments (program, clinic_id, enrolled_on)
  where not is_deleted;
create index program_enrollments_problem_idx on program_enrollments (problem_id);

-- Immunizations and referrals ----------------------------------------------------------------------

create table patient_immunizations (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  visit_id            uuid references visits deferrable,
  -- the event whose form wrote it
  event_id            uuid references events deferrable,
  -- where it was given; null: elsewhere, or not known
  clinic_id           uuid references clinics deferrable,
  -- a code of src/features/care/immunizations/vaccines.json
  vaccine             text not null constraint patient_immunizations_vaccine_check
                      check (vaccine ~ '^[a-z][a-z0-9-]{1,39}$'),
  given_on            date not null constraint patient_immunizations_given_check
                      check (given_on <= (greatest(created_at, updated_at) at time zone 'UTC')::date + 1),
  -- as it was recorded; a dose at birth is 0
  dose_number         integer constraint patient_immunizations_dose_check check (dose_number between 0 and 20),
  lot                 text,
  notes               text,
  recorded_by_user_id uuid references users deferrable,
  recorded_clinic_id  uuid references clinics deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3)
);
create index patient_immunizations_patient_idx on patient_immunizations (patient_id);
create index patient_immunizations_given_idx on patient_immunizations (given_on, clinic_id)
  where not is_deleted;
create index patient_immunizations_visit_idx on patient_immunizations (visit_id);
-- a form records one dose of a vaccine
create unique index patient_immunizations_event_key on patient_immunizations (event_id, vaccine)
  where event_id is not null;

create table referrals (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  visit_id            uuid references visits deferrable,
  -- on the letter and its slip: seven characters and one that checks them
  number              text not null constraint referrals_number_unique unique
                      constraint referrals_number_check check (number ~ '^[0-9A-HJKMNP-TV-Z]{8}$'),
  to_name             text not null,
  urgency             text not null constraint referrals_urgency_check
                      check (urgency in ('routine', 'urgent', 'emergency')),
  reason              text not null,
  status              text not null default 'sent' constraint referrals_status_check
                      check (status in ('sent', 'seen', 'replied', 'closed')),
  sent_at             timestamptz(3) not null default now(),
  due_on              date,
  replied_at          timestamptz(3),
  -- what the other clinic found, diagnosed and treated
  reply               text,
  recorded_by_user_id uuid references users deferrable,
  recorded_clinic_id  uuid references clinics deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint referrals_reply_check check ((replied_at is null) = (reply is null))
);
create index referrals_patient_idx on referrals (patient_id);
create index referrals_visit_idx on referrals (visit_id);
create index referrals_sent_idx on referrals (sent_at) where not is_deleted;

-- Follow-up ----------------------------------------------------------------------------------------

create table follow_up_schedules (
  id                uuid primary key default gen_random_uuid(),
  code              text not null constraint follow_up_schedules_code_unique unique,
  program           text not null,
  -- steps, due_before, grace, lost: src/features/day/followups/schedule.ts
  body              jsonb not null,
  is_active         boolean not null default true,
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);

-- What a patient should come for. Computed from the records: a rebuild from nothing gives the same rows.
create table follow_up_items (
  id             uuid primary key,
  patient_id     uuid not null references patients deferrable,
  enrollment_id  uuid references program_enrollments deferrable,
  clinic_id      uuid not null references clinics deferrable,
  schedule_code  text not null,
  program        text not null,
  step           text not null,
  due_on         date not null,
  -- the day on which it becomes due, and the first day on which it is overdue
  due_from       date not null,
  overdue_from   date not null,
  -- open: upcoming, due or overdue, by the day on which it is read
  status         text not null constraint follow_up_items_status_check
                 check (status in ('open', 'done', 'removed', 'lost', 'ended')),
  status_on      date,
  -- what satisfied it
  visit_id       uuid references visits deferrable,
  appointment_id uuid references appointments deferrable,
  is_high_risk   boolean not null default false,
  -- off the list until this day, by the last call
  hidden_until   date,
  last_call_id   uuid,
  last_visit_on  date,
  computed_at    timestamptz(3) not null default now()
);
create index follow_up_items_patient_idx on follow_up_items (patient_id);
create index follow_up_items_enrollment_idx on follow_up_items (enrollment_id);
create index follow_up_items_visit_idx on follow_up_items (visit_id);
create index follow_up_items_appointment_idx on follow_up_items (appointment_id);
create index follow_up_items_open_idx on follow_up_items (clinic_id, program, overdue_from)
  where status = 'open';

-- Patients whose items and enrolments are older than their records.
create table follow_up_stale (
  patient_id uuid primary key references patients deferrable,
  since      timestamptz(3) not null default clock_timestamp()
);

-- Append-only: a wrong call is countered by another row.
create table follow_up_calls (
  id             uuid primary key,
  patient_id     uuid not null references patients deferrable,
  item_id        uuid,
  program        text not null,
  schedule_code  text not null,
  step           text not null,
  due_on         date not null,
  clinic_id      uuid not null references clinics deferrable,
  called_at      timestamptz(3) not null default now(),
  called_by      uuid references users deferrable,
  result         text not null constraint follow_up_calls_result_check
                 check (result in ('agreed_to_visit', 'remind_to_call_later', 'removed_from_overdue_list')),
  reason         text constraint follow_up_calls_reason_check
                 check (reason in ('already_visited', 'unavailable', 'wrong_number', 'changed_facility', 'moved', 'refused', 'other', 'died')),
  no_answer      boolean not null default false,
  agreed_on      date,
  remind_on      date,
  appointment_id uuid references appointments deferrable,
  notes          text,
  -- the call that this row takes back
  counters_id    uuid references follow_up_calls constraint follow_up_calls_countered_once unique,
  server_created_at timestamptz(3) not null default clock_timestamp(),
  constraint follow_up_calls_fields_check check (
    counters_id is not null or case result
      when 'agreed_to_visit' then agreed_on is not null and remind_on is null and reason is null
      when 'remind_to_call_later' then remind_on is not null and agreed_on is null and reason is null
      else reason is not null and agreed_on is null and remind_on is null
    end)
);
create index follow_up_calls_patient_idx on follow_up_calls (patient_id, called_at);
create index follow_up_calls_clinic_idx on follow_up_calls (called_at, clinic_id);
create index follow_up_calls_appointment_idx on follow_up_calls (appointment_id);

-- Reports ------------------------------------------------------------------------------------------

create table report_definitions (
  id                uuid primary key,
  code              text not null constraint report_definitions_code_check
                    check (code ~ '^[a-z][a-z0-9-]{1,59}$'),
  version           integer not null default 1,
  -- names, period, closable_from, page, groups, measures, axes, sections: src/features/reports/cells/definition.ts
  body              jsonb not null,
  -- the version of the shipped definition that it comes from; null: made by the clinic
  starter_version   integer,
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create unique index report_definitions_code_unique on report_definitions (code) where not is_deleted;

create table report_definition_versions (
  definition_id uuid not null references report_definitions deferrable,
  version       integer not null,
  body          jsonb not null,
  saved_at      timestamptz(3) not null default clock_timestamp(),
  saved_by      uuid,
  primary key (definition_id, version)
);

-- Which answer of which form holds a concept of a report (`anc.contact`, `bp.systolic`).
create table report_bindings (
  id                uuid primary key,
  concept           text not null constraint report_bindings_concept_check
                    check (concept ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$'),
  -- null: all clinics
  clinic_id         uuid references clinics deferrable,
  form_id           uuid not null references event_forms deferrable,
  -- null: the event itself
  field_id          text,
  -- null: any answer
  option            text,
  -- only if another field of the form has this answer: a glucose is fasting if its timing is
  when_field_id     text,
  when_option       text,
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint report_bindings_when_check check ((when_field_id is null) = (when_option is null))
);
create unique index report_bindings_unique on report_bindings
  (concept, form_id, coalesce(field_id, ''), coalesce(option, ''), coalesce(clinic_id::text, ''),
    coalesce(when_field_id, ''), coalesce(when_option, ''))
  where not is_deleted;
create index report_bindings_form_idx on report_bindings (form_id);
create index report_bindings_clinic_idx on report_bindings (clinic_id);

-- A closed period: it never changes but for its signatures. An amendment is a further run.
create table report_runs (
  id            uuid primary key,
  definition_id uuid not null,
  version       integer not null,
  clinic_ids    uuid[] not null constraint report_runs_clinics_check check (cardinality(clinic_ids) > 0),
  -- '2026-10', '2026-W42', '2026-Q4', '2026', '2026-10-05'
  period        text not null,
  starts_at     timestamptz(3) not null,
  ends_at       timestamptz(3) not null,
  zone          text not null,
  -- 1: the first closing; above: amendments
  number        integer not null default 1 constraint report_runs_number_check check (number >= 1),
  reason        text,
  closed_at     timestamptz(3) not null default clock_timestamp(),
  closed_by     uuid references users deferrable,
  prepared_by   uuid references users deferrable,
  prepared_at   timestamptz(3),
  checked_by    uuid references users deferrable,
  checked_at    timestamptz(3),
  constraint report_runs_version_fkey foreign key (definition_id, version)
    references report_definition_versions deferrable,
  constraint report_runs_period_check check (starts_at < ends_at),
  constraint report_runs_reason_check check ((number = 1) = (reason is null)),
  constraint report_runs_checked_check check (checked_by is null or checked_by <> prepared_by),
  -- clinic_ids in ascending order
  constraint report_runs_number_unique unique (definition_id, clinic_ids, period, number)
);
create index report_runs_closed_idx on report_runs (definition_id, closed_at);

create table report_cells (
  run_id      uuid not null references report_runs deferrable,
  section     text not null,
  row_id      text not null,
  column_id   text not null,
  -- null: empty, as a ratio by zero
  value       numeric,
  numerator   numeric,
  denominator numeric,
  row_count   integer not null default 0,
  -- SHA-256 of the sorted ids of the rows; the ids, up to 5,000
  rows_hash   bytea,
  row_ids     uuid[],
  primary key (run_id, section, row_id, column_id)
);

-- Values that no record holds: a population, working equipment.
create table report_manual_values (
  id                uuid primary key,
  definition_id     uuid not null references report_definitions deferrable,
  clinic_id         uuid not null references clinics deferrable,
  period            text not null,
  section           text not null,
  row_id            text not null,
  column_id         text not null,
  -- yes is 1, no is 0
  value             numeric not null,
  recorded_by_user_id uuid references users deferrable,
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create unique index report_manual_values_unique on report_manual_values
  (definition_id, clinic_id, period, section, row_id, column_id) where not is_deleted;
create index report_manual_values_clinic_idx on report_manual_values (clinic_id);

insert into cascade_rules (parent, child, child_column, effect) values
  ('patients', 'program_enrollments', 'patient_id', 'delete'),
  ('patients', 'patient_immunizations', 'patient_id', 'delete'),
  ('patients', 'referrals', 'patient_id', 'delete'),
  ('visits', 'patient_immunizations', 'visit_id', 'unlink'),
  ('visits', 'referrals', 'visit_id', 'unlink'),
  ('events', 'patient_immunizations', 'event_id', 'delete');
