-- Appointments, and the queue of the patients who have arrived.

create table appointments (
  id                 uuid primary key,
  provider_id        uuid constraint appointments_provider_id_fkey references users deferrable,
  clinic_id          uuid not null
    constraint appointments_clinic_id_fkey references clinics deferrable,
  patient_id         uuid not null references patients deferrable,
  -- the user who booked it
  user_id            uuid references users deferrable,
  current_visit_id   uuid,
  fulfilled_visit_id uuid,
  timestamp          timestamptz(3) not null,
  -- minutes
  duration           numeric default 60
    constraint appointments_duration_check check (duration >= 0 and duration <= 10080),
  reason             text not null default '',
  notes              text not null default '',
  status             text not null default 'pending' constraint appointments_status_check
    check (status in ('pending', 'confirmed', 'cancelled', 'completed', 'checked_in')),
  -- [{id, name, seen_at, seen_by, status}] as devices write it, in the order of the visit; unknown
  -- keys are kept. It is authoritative: triggers keep appointment_departments equal to it.
  departments        jsonb not null default '[]'
    constraint appointments_departments_check check (
      jsonb_typeof(departments) = 'array'
      and not jsonb_path_exists(
        departments, '$[*] ? (!exists(@.id) || @.id.type() != "string")')
      and not jsonb_path_exists(
        departments,
        '$[*].status ? (
          @ != "pending" && @ != "in_progress" && @ != "completed" && @ != "cancelled"
          && @ != "checked_in")')),
  is_walk_in         boolean not null default false,
  metadata           jsonb not null default '{}',
  is_deleted         boolean not null default false,
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  last_modified      timestamptz(3) not null default now(),
  server_created_at  timestamptz(3) not null default now(),
  deleted_at         timestamptz(3),
  constraint appointments_current_visit_id_fkey
    foreign key (current_visit_id, patient_id) references visits (id, patient_id) deferrable,
  constraint appointments_fulfilled_visit_id_fkey
    foreign key (fulfilled_visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index appointments_timestamp_idx on appointments (timestamp, id) where not is_deleted;
create index appointments_clinic_idx
  on appointments (clinic_id, timestamp, id) where not is_deleted;
create index appointments_provider_idx
  on appointments (provider_id, timestamp, id) where not is_deleted;
create index appointments_patient_idx
  on appointments (patient_id, timestamp desc) where not is_deleted;
create index appointments_status_idx on appointments (status, timestamp, id) where not is_deleted;
create index appointments_current_visit_idx
  on appointments (current_visit_id) where current_visit_id is not null;
create index appointments_fulfilled_visit_idx
  on appointments (fulfilled_visit_id) where fulfilled_visit_id is not null;
create index appointments_series_idx
  on appointments ((metadata ->> 'series_id'), timestamp) where metadata ? 'series_id';
-- For clinic_has_records(): deleted appointments count as well.
create index appointments_any_clinic_idx on appointments (clinic_id);

-- The queue --------------------------------------------------------------------------------------

-- One row for each department of an appointment, in order; one row without a department if the
-- appointment names none. What devices do not record (waiting since when, called by which user) is
-- only here.
create table appointment_departments (
  appointment_id uuid not null references appointments on delete cascade,
  position       integer not null,
  department_id  uuid,
  clinic_id      uuid not null,
  status         text not null
    check (status in ('pending', 'in_progress', 'completed', 'cancelled', 'checked_in')),
  waiting_since  timestamptz(3),
  -- called without answering: the patient's next turn comes after those who were waiting at that
  -- time
  passed_over_at timestamptz(3),
  called_at      timestamptz(3),
  called_by      uuid,
  seen_at        timestamptz(3),
  seen_by        uuid,
  finished_at    timestamptz(3),
  primary key (appointment_id, position)
);
create index appointment_departments_department_idx
  on appointment_departments (department_id, appointment_id);
create index appointment_departments_waiting_idx
  on appointment_departments (clinic_id, department_id, waiting_since)
  where status = 'checked_in';

-- The number of a waiting patient, given at check-in: 1, 2, 3 in each clinic on each day.
create table queue_tokens (
  appointment_id uuid primary key references appointments on delete cascade,
  clinic_id      uuid not null references clinics,
  day            date not null,
  number         integer not null,
  checked_in_at  timestamptz(3) not null default clock_timestamp(),
  constraint queue_tokens_clinic_id_day_number_key unique (clinic_id, day, number)
);

-- The last number of a clinic on a day. Its row lock makes two counters take turns.
create table queue_days (
  clinic_id uuid not null references clinics,
  day       date not null,
  last      integer not null,
  primary key (clinic_id, day)
);

insert into cascade_rules (parent, child, child_column, effect) values
  ('patients', 'appointments', 'patient_id', 'delete'),
  ('visits', 'appointments', 'current_visit_id', 'unlink'),
  ('visits', 'appointments', 'fulfilled_visit_id', 'unlink');
