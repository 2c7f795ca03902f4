-- Who is expected when, and the queue of those who have come.

-- The organization's own zone, for what no operation says it for: a phone's push. Operations tell theirs (sanad.time_zone).
create function clinic_day(at timestamptz) returns date language plpgsql stable as $$
declare
  zone text := nullif(current_setting('sanad.time_zone', true), '');
begin
  if zone is null then
    select nullif(value, '') into zone from app_config where namespace = 'system' and key = 'time-zone' and not is_deleted;
  end if;
  return (at at time zone coalesce(zone, current_setting('TimeZone')))::date;
end $$;

create table appointments (
  id                 uuid primary key,
  provider_id        uuid constraint appointments_provider_id_fkey references users deferrable,
  clinic_id          uuid not null constraint appointments_clinic_id_fkey references clinics deferrable,
  patient_id         uuid not null references patients deferrable,
  -- who booked it
  user_id            uuid references users deferrable,
  current_visit_id   uuid,
  fulfilled_visit_id uuid,
  timestamp          timestamptz(3) not null,
  -- minutes
  duration           numeric default 60 constraint appointments_duration_check check (duration >= 0 and duration <= 10080),
  reason             text not null default '',
  notes              text not null default '',
  status             text not null default 'pending' constraint appointments_status_check
                     check (status in ('pending', 'confirmed', 'cancelled', 'completed', 'checked_in')),
  -- [{id, name, seen_at, seen_by, status}] as phones know it, in the order in which they are gone through; keys that we do
  -- not know are kept. It is the truth: appointment_departments follows it.
  departments        jsonb not null default '[]' constraint appointments_departments_check check (
                       jsonb_typeof(departments) = 'array'
                       and not jsonb_path_exists(departments, '$[*] ? (!exists(@.id) || @.id.type() != "string")')
                       and not jsonb_path_exists(departments, '$[*].status ? (@ != "pending" && @ != "in_progress" && @ != "completed" && @ != "cancelled" && @ != "checked_in")')),
  is_walk_in         boolean not null default false,
  metadata           jsonb not null default '{}',
  is_deleted         boolean not null default false,
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now(),
  last_modified      timestamptz(3) not null default now(),
  server_created_at  timestamptz(3) not null default now(),
  deleted_at         timestamptz(3),
  constraint appointments_current_visit_id_fkey foreign key (current_visit_id, patient_id) references visits (id, patient_id) deferrable,
  constraint appointments_fulfilled_visit_id_fkey foreign key (fulfilled_visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index appointments_timestamp_idx on appointments (timestamp, id) where not is_deleted;
create index appointments_clinic_idx on appointments (clinic_id, timestamp, id) where not is_deleted;
create index appointments_provider_idx on appointments (provider_id, timestamp, id) where not is_deleted;
create index appointments_patient_idx on appointments (patient_id, timestamp desc) where not is_deleted;
create index appointments_status_idx on appointments (status, timestamp, id) where not is_deleted;
create index appointments_current_visit_idx on appointments (current_visit_id) where current_visit_id is not null;
create index appointments_fulfilled_visit_idx on appointments (fulfilled_visit_id) where fulfilled_visit_id is not null;
create index appointments_series_idx on appointments ((metadata ->> 'series_id'), timestamp) where metadata ? 'series_id';
-- for clinic_has_records(): deleted ones count, too
create index appointments_any_clinic_idx on appointments (clinic_id);
select keep_record('appointments');
select keep_links('appointments', 'appointment', 'patient_id', 'clinic_id');
create trigger archived before insert or update on appointments for each row execute function refuse_in_archived_clinic();
insert into cascade_rules values
  ('patients', 'appointments', 'patient_id', 'delete'),
  ('visits', 'appointments', 'current_visit_id', 'unlink'),
  ('visits', 'appointments', 'fulfilled_visit_id', 'unlink');

-- The queue -----------------------------------------------------------------------------------------------------------

-- Where somebody who came stands: one row for each department of an appointment, in their order; one without a department
-- for an appointment that names none. What phones do not know (since when, called by whom) is kept here alone.
create table appointment_departments (
  appointment_id uuid not null references appointments on delete cascade,
  position       integer not null,
  department_id  uuid,
  clinic_id      uuid not null,
  status         text not null check (status in ('pending', 'in_progress', 'completed', 'cancelled', 'checked_in')),
  waiting_since  timestamptz(3),
  -- was called and did not come: his turn comes again after those who waited by then
  passed_over_at timestamptz(3),
  called_at      timestamptz(3),
  called_by      uuid,
  seen_at        timestamptz(3),
  seen_by        uuid,
  finished_at    timestamptz(3),
  primary key (appointment_id, position)
);
create index appointment_departments_department_idx on appointment_departments (department_id, appointment_id);
create index appointment_departments_waiting_idx on appointment_departments (clinic_id, department_id, waiting_since)
  where status = 'checked_in';
create trigger tell after insert or update or delete on appointment_departments for each statement execute function tell_change();

/* A moment as a phone wrote it into JSON: milliseconds or ISO text; null for anything else. */
create function moment_of(value jsonb) returns timestamptz language plpgsql stable as $$
begin
  return case jsonb_typeof(value)
    when 'number' then to_timestamp((value #>> '{}')::float8 / 1000)
    when 'string' then nullif(value #>> '{}', '')::timestamptz end;
exception when data_exception then
  return null;
end $$;

/* An id as a phone wrote it into JSON; null when it is none. */
create function id_of(value jsonb) returns uuid language sql immutable as $$
  select case when value #>> '{}' ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' then (value #>> '{}')::uuid end
$$;

/* The departments that an appointment goes through. A phone that checks somebody in may leave it to us which is the first. */
create function appointment_steps(p_status text, p_departments jsonb)
  returns table (step integer, department uuid, step_status text, step_seen_at timestamptz, step_seen_by uuid) language sql stable as $$
  with named as (
    select ordinality::integer as step, id_of(value -> 'id') as department, coalesce(value ->> 'status', 'pending') as status,
      moment_of(value -> 'seen_at') as seen_at, id_of(value -> 'seen_by') as seen_by
    from jsonb_array_elements(p_departments) with ordinality where id_of(value -> 'id') is not null
  )
  select named.step, department,
    case when p_status = 'checked_in' and named.step = (select min(n.step) from named n where n.status = 'pending')
      and not exists (select from named n where n.status in ('checked_in', 'in_progress')) then 'checked_in' else status end,
    seen_at, seen_by
  from named
  union all
  select 0, null, case when p_status in ('checked_in', 'completed', 'cancelled') then p_status else 'pending' end, null, null
  where not exists (select from named)
$$;

create function follow_appointment_departments() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if not exists (select from new_rows n join old_rows o using (id)
        where (n.departments, n.status, n.clinic_id) is distinct from (o.departments, o.status, o.clinic_id)) then
      return null;
    end if;
    delete from appointment_departments d using new_rows n
      where d.appointment_id = n.id and not exists (select from appointment_steps(n.status, n.departments) where step = d.position);
  end if;
  insert into appointment_departments as d (appointment_id, position, department_id, clinic_id, status, waiting_since, seen_at, seen_by)
  select n.id, step, department, n.clinic_id, step_status, case when step_status = 'checked_in' then clock_timestamp() end,
    step_seen_at, step_seen_by
  from new_rows n cross join lateral appointment_steps(n.status, n.departments)
  on conflict (appointment_id, position) do update set
    department_id = excluded.department_id,
    clinic_id = excluded.clinic_id,
    -- without a department nothing but this row tells how far it has come
    status = case when excluded.department_id is null and excluded.status = 'checked_in' and d.status in ('in_progress', 'completed')
      then d.status else excluded.status end,
    waiting_since = case when excluded.status = 'pending' then null
      when excluded.status = 'checked_in' and d.status in ('pending', 'cancelled') then clock_timestamp()
      when excluded.status = 'checked_in' and excluded.department_id is not null and d.status <> 'checked_in' then clock_timestamp()
      else d.waiting_since end,
    passed_over_at = case when excluded.status <> 'pending' then d.passed_over_at end,
    called_at = case when excluded.status <> 'checked_in' or d.status in ('checked_in', 'in_progress') then d.called_at end,
    called_by = case when excluded.status <> 'checked_in' or d.status in ('checked_in', 'in_progress') then d.called_by end,
    seen_at = case when excluded.department_id is null then d.seen_at else excluded.seen_at end,
    seen_by = case when excluded.department_id is null then d.seen_by else excluded.seen_by end,
    finished_at = case when excluded.status = 'completed' then coalesce(d.finished_at, clock_timestamp())
      when excluded.department_id is null then d.finished_at end
  where (d.department_id, d.clinic_id, d.status, d.seen_at, d.seen_by)
    is distinct from (excluded.department_id, excluded.clinic_id, excluded.status, excluded.seen_at, excluded.seen_by);
  return null;
end $$;
create trigger departments_insert after insert on appointments referencing new table as new_rows
  for each statement execute function follow_appointment_departments();
create trigger departments_update after update on appointments referencing old table as old_rows new table as new_rows
  for each statement execute function follow_appointment_departments();

-- The number that somebody waits under, made when he is checked in: 1, 2, 3 in each clinic on each day.
create table queue_tokens (
  appointment_id uuid primary key references appointments on delete cascade,
  clinic_id      uuid not null references clinics,
  day            date not null,
  number         integer not null,
  checked_in_at  timestamptz(3) not null default clock_timestamp(),
  constraint queue_tokens_clinic_id_day_number_key unique (clinic_id, day, number)
);

-- The last number of a clinic's day: its row lock makes two counters take turns.
create table queue_days (
  clinic_id uuid not null references clinics,
  day       date not null,
  last      integer not null,
  primary key (clinic_id, day)
);

create function give_token() returns trigger language plpgsql as $$
declare
  -- when it happened at the device: what a phone tells a day later belongs to that day's queue
  arrival date := clinic_day(new.updated_at);
  held queue_tokens;
  given integer;
begin
  select * into held from queue_tokens where appointment_id = new.id;
  if held.clinic_id = new.clinic_id
     and (held.day = arrival or (tg_op = 'UPDATE' and old.status = 'checked_in' and not old.is_deleted)) then
    return null;
  end if;
  insert into queue_days as q (clinic_id, day, last) values (new.clinic_id, arrival, 1)
    on conflict (clinic_id, day) do update set last = q.last + 1 returning last into given;
  insert into queue_tokens (appointment_id, clinic_id, day, number, checked_in_at)
    values (new.id, new.clinic_id, arrival, given, least(new.updated_at, clock_timestamp()))
    on conflict (appointment_id) do update set clinic_id = excluded.clinic_id, day = excluded.day, number = excluded.number,
      checked_in_at = excluded.checked_in_at;
  return null;
end $$;
create trigger token after insert or update of status, clinic_id, is_deleted on appointments
  for each row when (new.status = 'checked_in' and not new.is_deleted) execute function give_token();

/* Nothing was recorded in the visit, in whatever table: one that a mistaken check-in opened can go again. */
create function visit_is_empty(p_visit uuid) returns boolean language plpgsql stable as $$
declare
  rule cascade_rules;
  found boolean;
begin
  for rule in select * from cascade_rules where parent = 'visits' and child <> 'appointments' loop
    execute format('select exists (select from %I where %I = $1 and not is_deleted)', rule.child, rule.child_column) into found using p_visit;
    if found then return false; end if;
  end loop;
  return true;
end $$;
