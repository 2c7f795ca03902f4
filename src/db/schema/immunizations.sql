-- The doses that an event form records: whatever writes the event (a screen, a phone, an import), its doses follow.

/*
 * A day as forms store it: a day, its noon in UTC (as Sanad writes it), or the moment at which a phone's user
 * chose it; null for anything else.
 */
create function answer_day(value jsonb) returns date language plpgsql stable as $$
declare
  text text := value #>> '{}';
begin
  if jsonb_typeof(value) = 'string' and text ~ '^\d{4}-\d{2}-\d{2}(T12:00:00\.000Z)?$' then
    return left(text, 10)::date;
  end if;
  return clinic_day(moment_of(value));
exception when data_exception then
  return null;
end $$;

/*
 * One row for each vaccine that a form asks for and that is answered; an answer that is taken back deletes the row, and
 * an event takes its doses along into the trash (cascade_rules). `rules.vaccine` of a choice names the vaccine, and the
 * digits of the answer are the number of the dose; of a text it is the batch number; of a day it says when the vaccine
 * was given, or `all`: when those without a day of their own were. Without a day it is the day of the visit.
 */
create function keep_doses() returns trigger language plpgsql as $$
declare
  changed uuid[];
begin
  if tg_op = 'INSERT' then
    changed := array(select id from new_rows where form_id is not null and not is_deleted);
  else
    changed := array(
      select n.id from new_rows n join old_rows o on o.id = n.id
      where n.form_id is not null and not n.is_deleted
        and (n.form_data, n.visit_id, n.form_id) is distinct from (o.form_data, o.visit_id, o.form_id));
  end if;
  if changed = '{}' then return null; end if;
  -- most forms ask for no vaccine; looking first is faster than planning the rest
  if not exists (
      select from (select distinct form_id, form_version from new_rows) f
        join event_form_versions v on v.form_id = f.form_id and v.version = f.form_version
      where jsonb_path_exists(v.form_fields, '$[*] ? (exists (@.rules.vaccine))'))
    and (tg_op = 'INSERT' or not exists (select from patient_immunizations where event_id = any(changed)))
  then
    return null;
  end if;

  with asked as materialized (
    select v.form_id, v.version, field ->> 'id' as field_id, field ->> 'fieldType' as kind,
      field -> 'rules' ->> 'vaccine' as vaccine
    from (select distinct form_id, form_version from new_rows where id = any(changed)) f
      join event_form_versions v on v.form_id = f.form_id and v.version = f.form_version,
      jsonb_path_query(v.form_fields, '$[*] ? (exists (@.rules.vaccine))') field
  ), answered as (
    select n.id, asked.vaccine, asked.kind, value
    from new_rows n join asked on asked.form_id = n.form_id and asked.version = n.form_version,
      answers_of(n.form_data) a, lateral (select a.answers -> asked.field_id as value) given
    where n.id = any(changed) and jsonb_typeof(value) in ('string', 'number') and btrim(value #>> '{}') <> ''
  ), doses as (
    select distinct on (n.id, d.vaccine) n.id as event_id, n.patient_id, n.visit_id, d.vaccine,
      coalesce(v.clinic_id, n.recorded_clinic_id) as clinic_id, n.recorded_by_user_id,
      least(coalesce(
          (select answer_day(a.value) from answered a
           where a.id = n.id and a.kind = 'date' and a.vaccine in (d.vaccine, 'all')
           order by a.vaccine = 'all' limit 1),
          clinic_day(coalesce(v.check_in_timestamp, n.created_at))),
        (now() at time zone 'UTC')::date + 1) as given_on,
      least(substring(d.value #>> '{}' from '[0-9]{1,2}')::integer, 20) as dose_number,
      (select left(btrim(a.value #>> '{}'), 100) from answered a
       where a.id = n.id and a.kind = 'free-text' and a.vaccine = d.vaccine limit 1) as lot
    from answered d join new_rows n on n.id = d.id left join visits v on v.id = n.visit_id
    -- an answer without a number ("not given") is no dose
    where d.kind = 'options' and d.value #>> '{}' ~ '[0-9]'
    order by n.id, d.vaccine
  ), kept as (
    insert into patient_immunizations as kept (id, patient_id, visit_id, event_id, clinic_id, vaccine, given_on,
      dose_number, lot, recorded_by_user_id)
    select gen_random_uuid(), patient_id, visit_id, event_id, clinic_id, vaccine, given_on, dose_number, lot,
      recorded_by_user_id
    from doses
    on conflict (event_id, vaccine) where event_id is not null do update
      set visit_id = excluded.visit_id, clinic_id = excluded.clinic_id, given_on = excluded.given_on,
        dose_number = excluded.dose_number, lot = excluded.lot, is_deleted = false, updated_at = now()
      where (kept.visit_id, kept.clinic_id, kept.given_on, kept.dose_number, kept.lot, kept.is_deleted)
        is distinct from (excluded.visit_id, excluded.clinic_id, excluded.given_on, excluded.dose_number,
          excluded.lot, false)
  )
  update patient_immunizations recorded set is_deleted = true, updated_at = now()
  where recorded.event_id = any(changed) and not recorded.is_deleted
    and not exists (
      select from doses where doses.event_id = recorded.event_id and doses.vaccine = recorded.vaccine);
  return null;
end $$;
create trigger doses_insert after insert on events referencing new table as new_rows
  for each statement execute function keep_doses();
create trigger doses_update after update on events
  referencing old table as old_rows new table as new_rows
  for each statement execute function keep_doses();
