-- Appointments and the queue.

/*
 * The calendar day at the clinics. Operations set the time zone (`sanad.time_zone`); a push of a device
 * does not, and then the zone of the organization counts.
 */
create function clinic_day(at timestamptz) returns date language plpgsql stable as $$
declare
  zone text := nullif(current_setting('sanad.time_zone', true), '');
begin
  if zone is null then
    select nullif(value, '') into zone from app_config
    where namespace = 'system' and key = 'time-zone' and not is_deleted;
  end if;
  return (at at time zone coalesce(zone, current_setting('TimeZone')))::date;
end $$;

-- Departments of an appointment ------------------------------------------------------------------

/* A time as a device writes it into JSON: milliseconds or ISO text; null for anything else. */
create function moment_of(value jsonb) returns timestamptz language plpgsql stable as $$
begin
  return case jsonb_typeof(value)
    when 'number' then to_timestamp((value #>> '{}')::float8 / 1000)
    when 'string' then nullif(value #>> '{}', '')::timestamptz end;
exception when data_exception then
  return null;
end $$;

/* An id as a device writes it into JSON; null if it is not one. */
create function id_of(value jsonb) returns uuid language sql immutable as $$
  select case
    when value #>> '{}' ~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
      then (value #>> '{}')::uuid end
$$;

/*
 * The departments of an appointment, in order. A device that checks a patient in may not say which department
 * waits: the first pending one does. The same if a device takes the end of an appointment back (`p_is_resumed`):
 * the end had cancelled the departments that were not visited, and they are pending again; without any, the last
 * department waits, so that the patient is in the queue. If a device has completed each department of a patient
 * who is checked in, no department waits.
 */
create function appointment_steps(p_status text, p_departments jsonb, p_is_resumed boolean)
returns table (
  step integer, department uuid, step_status text, step_seen_at timestamptz, step_seen_by uuid
) language sql stable as $$
  with named as (
    select ordinality::integer as step, id_of(value -> 'id') as department,
      case when p_is_resumed and value ->> 'status' = 'cancelled' then 'pending'
        else coalesce(value ->> 'status', 'pending') end as status,
      moment_of(value -> 'seen_at') as seen_at, id_of(value -> 'seen_by') as seen_by
    from jsonb_array_elements(p_departments) with ordinality where id_of(value -> 'id') is not null
  )
  select named.step, department,
    case
      when p_status = 'checked_in'
        and named.step = (select coalesce(min(n.step) filter (where n.status = 'pending'),
          case when p_is_resumed then max(n.step) end) from named n)
        and not exists (select from named n where n.status in ('checked_in', 'in_progress'))
        then 'checked_in'
      else status end,
    seen_at, seen_by
  from named
  union all
  select 0, null,
    case when p_status in ('checked_in', 'completed', 'cancelled') then p_status else 'pending' end,
    null, null
  where not exists (select from named)
$$;

-- Keeps appointment_departments equal to the column `departments`, and notes the times of each change.
create function follow_appointment_departments() returns trigger language plpgsql as $$
declare
  resumed uuid[] := '{}';
begin
  if tg_op = 'UPDATE' then
    if not exists (
      select from new_rows n join old_rows o using (id)
      where (n.departments, n.status, n.clinic_id)
        is distinct from (o.departments, o.status, o.clinic_id)
    ) then
      return null;
    end if;
    delete from appointment_departments d using new_rows n
      where d.appointment_id = n.id
        and not exists (
          select from appointment_steps(n.status, n.departments, false) where step = d.position);
    select coalesce(array_agg(n.id), '{}') into resumed
      from new_rows n join old_rows o using (id)
      where n.status = 'checked_in' and o.status in ('completed', 'cancelled');
    -- a completion was taken back: below, a row without a department would keep its progress
    update appointment_departments d set status = 'checked_in', waiting_since = clock_timestamp(),
        called_at = null, called_by = null, finished_at = null
      from new_rows n join old_rows o using (id)
      where d.appointment_id = n.id and d.department_id is null and d.status = 'completed'
        and n.status = 'checked_in' and o.status = 'completed';
  end if;
  insert into appointment_departments as d
    (appointment_id, position, department_id, clinic_id, status, waiting_since, seen_at, seen_by)
  select n.id, step, department, n.clinic_id, step_status,
    case when step_status = 'checked_in' then clock_timestamp() end, step_seen_at, step_seen_by
  from new_rows n
    cross join lateral appointment_steps(n.status, n.departments, n.id = any(resumed))
  on conflict (appointment_id, position) do update set
    department_id = excluded.department_id,
    clinic_id = excluded.clinic_id,
    -- without a department only this row records the progress
    status = case
      when excluded.department_id is null and excluded.status = 'checked_in'
        and d.status in ('in_progress', 'completed') then d.status
      else excluded.status end,
    waiting_since = case
      when excluded.status = 'pending' then null
      when excluded.status = 'checked_in' and d.status in ('pending', 'cancelled')
        then clock_timestamp()
      when excluded.status = 'checked_in' and excluded.department_id is not null
        and d.status <> 'checked_in' then clock_timestamp()
      else d.waiting_since end,
    passed_over_at = case when excluded.status <> 'pending' then d.passed_over_at end,
    called_at = case
      when excluded.status <> 'checked_in' or d.status in ('checked_in', 'in_progress')
        then d.called_at end,
    called_by = case
      when excluded.status <> 'checked_in' or d.status in ('checked_in', 'in_progress')
        then d.called_by end,
    seen_at = case when excluded.department_id is null then d.seen_at else excluded.seen_at end,
    seen_by = case when excluded.department_id is null then d.seen_by else excluded.seen_by end,
    finished_at = case
      when excluded.status = 'completed' then coalesce(d.finished_at, clock_timestamp())
      when excluded.department_id is null then d.finished_at end
  where (d.department_id, d.clinic_id, d.status, d.seen_at, d.seen_by)
    is distinct from (excluded.department_id, excluded.clinic_id, excluded.status, excluded.seen_at,
      excluded.seen_by);
  return null;
end $$;
create trigger departments_insert after insert on appointments referencing new table as new_rows
  for each statement execute function follow_appointment_departments();
create trigger departments_update after update on appointments
  referencing old table as old_rows new table as new_rows
  for each statement execute function follow_appointment_departments();

-- The queue --------------------------------------------------------------------------------------

-- Gives a patient who is checked in the next number of the clinic's day. The day is that of the device:
-- a check-in that arrives a day later belongs to the queue of its own day.
create function give_token() returns trigger language plpgsql as $$
declare
  arrival date := clinic_day(new.updated_at);
  held queue_tokens;
  given integer;
begin
  select * into held from queue_tokens where appointment_id = new.id;
  if held.clinic_id = new.clinic_id
     and (held.day = arrival
       or (tg_op = 'UPDATE' and old.status = 'checked_in' and not old.is_deleted)) then
    return null;
  end if;
  insert into queue_days as q (clinic_id, day, last) values (new.clinic_id, arrival, 1)
    on conflict (clinic_id, day) do update set last = q.last + 1 returning last into given;
  insert into queue_tokens (appointment_id, clinic_id, day, number, checked_in_at)
    values (new.id, new.clinic_id, arrival, given, least(new.updated_at, clock_timestamp()))
    on conflict (appointment_id) do update set clinic_id = excluded.clinic_id, day = excluded.day,
      number = excluded.number, checked_in_at = excluded.checked_in_at;
  return null;
end $$;
create trigger token after insert or update of status, clinic_id, is_deleted on appointments
  for each row when (new.status = 'checked_in' and not new.is_deleted) execute function give_token();

/* Whether a visit has no records in any table: one that a mistaken check-in opened can be deleted. */
create function visit_is_empty(p_visit uuid) returns boolean language plpgsql stable as $$
declare
  rule cascade_rules;
  found boolean;
begin
  for rule in select * from cascade_rules where parent = 'visits' and child <> 'appointments' loop
    execute format(
      'select exists (select from %I where %I = $1 and not is_deleted)',
      rule.child, rule.child_column) into found using p_visit;
    if found then return false; end if;
  end loop;
  return true;
end $$;

/* Of a visit that goes on or was closed because a later day came: check-in opened it, and nobody has done anything. */
create function visit_is_untouched(p_visit uuid) returns boolean language sql stable as $$
  select exists (
      select from appointments a join visits v on v.id = a.current_visit_id
      where a.current_visit_id = p_visit and not a.is_deleted
        and (a.status = 'checked_in' or (a.status = 'completed' and v.closed_as = 'last_entry')))
    and not exists (
      select from appointments a join appointment_departments d on d.appointment_id = a.id
      where a.current_visit_id = p_visit and not a.is_deleted
        and (d.status = 'in_progress'
          -- without departments, the one row is completed with the appointment
          or (d.status = 'completed'
            and (d.department_id is not null or d.seen_at is not null or a.status = 'checked_in'))))
    -- what most visits have is asked first: reports ask of each visit, and the rest is planned at each call
    and not exists (select from patient_vitals where visit_id = p_visit and not is_deleted)
    and not exists (select from events where visit_id = p_visit and not is_deleted)
    and not exists (select from prescriptions where visit_id = p_visit and not is_deleted)
    and not exists (select from patient_problems where visit_id = p_visit and not is_deleted)
    and visit_is_empty(p_visit)
$$;

/*
 * Whether nobody has seen the patient of a visit: no department has begun, nothing is recorded, and no user closed it.
 * Lists, registers and reports of who was seen ask this, with the row: of most visits its closing answers it.
 */
create function visit_only_waits(p_visit uuid, p_closed_at timestamptz, p_closed_as text)
returns boolean language sql stable as $$
  select (p_closed_at is null or p_closed_as is not distinct from 'last_entry') and visit_is_untouched(p_visit)
$$;

-- Urgency ----------------------------------------------------------------------------------------

/* 1 is the most urgent. A word that is not known is as urgent as routine. */
create function urgency_rank(urgency text) returns integer language sql immutable as $$
  select coalesce(array_position(array['emergency', 'priority'], urgency), 3)
$$;

create function more_urgent(a text, b text) returns text language sql immutable as $$
  select case when urgency_rank(b) < urgency_rank(a) then b else a end
$$;

/*
 * The urgency of a patient who is in a clinic's queue on a day: the highest of their numbers there, because a patient
 * with two bookings, or two records that were merged, is one patient.
 */
create function urgency_in_queue(p_patient uuid, p_clinic uuid, p_day date) returns text
language sql stable as $$
  select urgency from appointments a join queue_tokens t on t.appointment_id = a.id
  where a.patient_id = p_patient and a.clinic_id = p_clinic and t.day = p_day
    and a.status = 'checked_in' and not a.is_deleted
  order by urgency_rank(urgency) limit 1
$$;

/* The highest urgency that a triage form of the visit says; null without one. The bindings say which answer. */
create function triage_urgency(p_visit uuid) returns text language sql stable as $$
  select split_part(b.concept, '.', 2)
  from events e
    join report_bindings b on b.form_id = e.form_id and not b.is_deleted
      and b.concept in ('triage.emergency', 'triage.priority')
    join visits v on v.id = e.visit_id
    cross join jsonb_array_elements(e.form_data) answer
  where e.visit_id = p_visit and not e.is_deleted and (b.clinic_id is null or b.clinic_id = v.clinic_id)
    and answer ->> 'fieldId' = b.field_id
    and case when b.option is null then answer ->> 'value' <> '' else answer ->> 'value' = b.option end
  order by urgency_rank(split_part(b.concept, '.', 2)) limit 1
$$;

-- A triage form raises the urgency of the arrival whose visit it is of, and lowers none. The two may arrive in either
-- order: a device sends them in one push, and a form from paper can be typed in before the check-in.
create function raise_urgency() returns trigger language plpgsql as $$
begin
  update appointments a set urgency = triage_urgency(a.current_visit_id)
  from (select distinct visit_id from new_rows where visit_id is not null and not is_deleted) answered
  where a.current_visit_id = answered.visit_id and a.status = 'checked_in' and not a.is_deleted
    and urgency_rank(triage_urgency(a.current_visit_id)) < urgency_rank(a.urgency);
  return null;
end $$;
create trigger urgency_insert after insert on events referencing new table as new_rows
  for each statement execute function raise_urgency();

create function raise_urgency_of_changed() returns trigger language plpgsql as $$
begin
  update appointments a set urgency = triage_urgency(a.current_visit_id)
  from (select distinct n.visit_id from new_rows n join old_rows o using (id)
    where n.visit_id is not null and not n.is_deleted
      and (n.form_data, n.visit_id, n.form_id) is distinct from (o.form_data, o.visit_id, o.form_id)) answered
  where a.current_visit_id = answered.visit_id and a.status = 'checked_in' and not a.is_deleted
    and urgency_rank(triage_urgency(a.current_visit_id)) < urgency_rank(a.urgency);
  return null;
end $$;
create trigger urgency_update after update on events
  referencing old table as old_rows new table as new_rows
  for each statement execute function raise_urgency_of_changed();

create function raise_urgency_of_arrival() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.current_visit_id is distinct from old.current_visit_id then
    new.urgency := more_urgent(new.urgency, triage_urgency(new.current_visit_id));
  end if;
  return new;
end $$;
create trigger urgency before insert or update of current_visit_id on appointments
  for each row when (new.current_visit_id is not null) execute function raise_urgency_of_arrival();

-- Visits -----------------------------------------------------------------------------------------

/* When something was last recorded in a visit; its arrival if nothing was. */
create function visit_last_entry(p_visit uuid) returns timestamptz language sql stable as $$
  select greatest(v.check_in_timestamp, (
    select max(at) from unnest(array[
      (select max(timestamp) from patient_vitals where visit_id = v.id and not is_deleted),
      (select max(created_at) from events where visit_id = v.id and not is_deleted),
      (select max(created_at) from patient_problems where visit_id = v.id and not is_deleted),
      (select max(prescribed_at) from prescriptions where visit_id = v.id and not is_deleted),
      (select max(created_at) from patient_immunizations where visit_id = v.id and not is_deleted),
      (select max(created_at) from referrals where visit_id = v.id and not is_deleted)
    ]) entries (at) where at <= clock_timestamp()))
  from visits v where v.id = p_visit
$$;

-- A device does not know that a visit can be closed. Where it moves the arrival to after the closing, its row is
-- stored as sent, and the closing follows and is marked.
create function follow_arrival() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and new.closed_at is distinct from old.closed_at then return new; end if;
  new.closed_at := new.check_in_timestamp;
  new.closed_as := 'arrival';
  return new;
end $$;
create trigger follow_arrival before insert or update of check_in_timestamp on visits
  for each row when (new.closed_at < new.check_in_timestamp) execute function follow_arrival();
