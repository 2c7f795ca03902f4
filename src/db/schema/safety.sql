-- Marks rows with medicines that the safety check has not read since they were written.

-- Without the columns that say nothing about the medicine: what follows from dispensing, and who
-- changed the row last.
create function medicine_of(p_row jsonb) returns jsonb language sql immutable as $$
  select p_row - array['quantity_dispensed', 'refills_used', 'item_status', 'status', 'position',
      'notes', 'unusual_from', 'filled_at', 'filled_by', 'updated_at', 'last_modified',
      'server_created_at', 'recorded_by_user_id', 'sent_by_user_id', 'event_type', 'status_reason']
    || jsonb_build_object(
      'is_open', coalesce(p_row ->> 'item_status', p_row ->> 'status', '') <> 'cancelled',
      -- of a form, the answers about medicines: another answer changes nothing that was checked
      'form_data', jsonb_path_query_array(p_row -> 'form_data', '$[*] ? (@.fieldType == "medicine")'))
$$;

/* Whether what was prescribed may be taken now. */
create function is_current_prescription(p_status text, p_prescribed_at timestamptz, p_expires timestamptz)
returns boolean language sql stable as $$
  select coalesce(p_status not in ('cancelled', 'not-picked-up'), true)
    and coalesce(p_prescribed_at > now() - interval '180 days', true)
    and coalesce(p_expires > now() - interval '1 day', true)
$$;

/*
 * Connects a table with medicines to the mark; a test finds a table with medicines that is not.
 * Arguments: the marked table, the column of its id, a condition on `n`, and what the order of the checks
 * needs: whether it may be taken now, when it happened, and what is joined to say so. Each table has a function of
 * its own, because PostgreSQL plans that once for each connection, and a push writes these tables.
 */
create function keep_unchecked(
  p_table regclass, p_marked text, p_column text, p_condition text,
  p_current text, p_happened text, p_join text default '')
returns void language plpgsql as $$
declare
  mark text := 'insert into unchecked_medicines (table_name, row_id, patient_id, is_current, happened_at)
      select distinct on (1, 2) %L, n.%I, n.patient_id, coalesce(%s, true), coalesce(%s, clock_timestamp())
      from new_rows n %s %s where not n.is_deleted and (%s) %s
      on conflict (table_name, row_id)
        do update set marked_at = excluded.marked_at, patient_id = excluded.patient_id,
          is_current = excluded.is_current, happened_at = excluded.happened_at;';
begin
  execute format(
    'create function unchecked_%s() returns trigger language plpgsql as %L', p_table, format('
begin
  if tg_op = ''INSERT'' then
    %s
  else
    %s
  end if;
  return null;
end ', format(mark, p_marked, p_column, p_current, p_happened, p_join, '', p_condition, ''),
      format(mark, p_marked, p_column, p_current, p_happened, p_join, 'join old_rows o on o.id = n.id', p_condition,
        'and medicine_of(to_jsonb(n)) is distinct from medicine_of(to_jsonb(o))')));
  execute format(
    'create trigger unchecked_insert after insert on %1$s referencing new table as new_rows
     for each statement execute function unchecked_%1$s()', p_table);
  execute format(
    'create trigger unchecked_update after update on %1$s
     referencing old table as old_rows new table as new_rows
     for each statement execute function unchecked_%1$s()', p_table);
end $$;

-- A new allergy, problem or answer about pregnancy can speak against what the patient already
-- takes. Whatever writes it, the open prescriptions and the medicines from elsewhere are marked,
-- and the check of marked rows is requested. A medicine from elsewhere is compared with everything
-- else by its own mark.
create function mark_what_is_taken() returns trigger language plpgsql as $$
declare
  unread text[] := array['updated_at', 'last_modified', 'notes'];
  changed uuid[];
begin
  if tg_op = 'INSERT' then
    changed := array(select distinct patient_id from new_rows);
  else
    changed := array(
      select distinct n.patient_id from new_rows n join old_rows o on o.id = n.id
      where to_jsonb(n) - unread is distinct from to_jsonb(o) - unread);
  end if;
  perform mark_taken_of(changed);
  return null;
end $$;

-- The same for a completed form that says something of a pregnancy (pregnancies.sql).
create function mark_after_pregnancy_form() returns trigger language plpgsql as $$
declare
  changed uuid[];
begin
  if tg_op = 'INSERT' then
    changed := array(select distinct patient_id from new_rows where form_id in (select form_id from pregnancy_forms));
  else
    changed := array(
      select distinct n.patient_id from new_rows n join old_rows o on o.id = n.id
      where n.form_id in (select form_id from pregnancy_forms)
        and (n.form_data, n.visit_id, n.form_id, n.patient_id, n.is_deleted)
          is distinct from (o.form_data, o.visit_id, o.form_id, o.patient_id, o.is_deleted));
  end if;
  perform mark_taken_of(changed);
  return null;
end $$;
create trigger recheck_insert after insert on events referencing new table as new_rows
  for each statement execute function mark_after_pregnancy_form();
create trigger recheck_update after update on events
  referencing old table as old_rows new table as new_rows
  for each statement execute function mark_after_pregnancy_form();

-- The same for an enrollment in antenatal care, which says that the patient is pregnant.
create function mark_after_antenatal_care() returns trigger language plpgsql as $$
declare
  changed uuid[];
begin
  if tg_op = 'INSERT' then
    changed := array(select distinct patient_id from new_rows where program = 'pregnancy');
  else
    changed := array(
      select distinct n.patient_id from new_rows n join old_rows o on o.id = n.id
      where n.program = 'pregnancy'
        and (n.enrolled_on, n.ended_on, n.end_reason, n.lmp, n.patient_id, n.origin_id, n.metadata, n.is_deleted)
          is distinct from
          (o.enrolled_on, o.ended_on, o.end_reason, o.lmp, o.patient_id, o.origin_id, o.metadata, o.is_deleted));
  end if;
  perform mark_taken_of(changed);
  return null;
end $$;
create trigger recheck_insert after insert on program_enrollments referencing new table as new_rows
  for each statement execute function mark_after_antenatal_care();
create trigger recheck_update after update on program_enrollments
  referencing old table as old_rows new table as new_rows
  for each statement execute function mark_after_antenatal_care();

/* Marks what these patients take, as the newest there is to check, and requests the check of what is marked. */
create function mark_taken_of(changed uuid[]) returns void language plpgsql as $$
begin
  if changed = '{}' then return; end if;
  insert into unchecked_medicines (table_name, row_id, patient_id)
  select 'prescriptions', p.id, p.patient_id
  from prescriptions p
  where p.patient_id = any(changed) and not p.is_deleted and p.status <> 'cancelled'
    and p.prescribed_at > now() - interval '180 days'
    and (p.expiration_date is null or p.expiration_date > now() - interval '1 day')
    and exists (select from prescription_items i where i.prescription_id = p.id
                and not i.is_deleted and i.item_status in ('active', 'partially_dispensed'))
  union all
  select 'patient_medicines', m.id, m.patient_id
  from patient_medicines m
  where m.patient_id = any(changed) and not m.is_deleted
    and (m.until is null or m.until >= now()::date - 1)
  on conflict (table_name, row_id)
    do update set marked_at = excluded.marked_at, patient_id = excluded.patient_id,
      is_current = excluded.is_current, happened_at = excluded.happened_at;
  -- the schema of the background jobs exists once a server has run
  if found and to_regnamespace('graphile_worker') is not null then
    execute 'select graphile_worker.add_job(''check_medicines'', job_key => ''check_medicines'')';
  end if;
end $$;

-- Connects a table whose rows can speak against a medicine to that mark.
create function keep_rechecked(p_table regclass) returns void language plpgsql as $$
begin
  execute format('create trigger recheck_insert after insert on %s
    referencing new table as new_rows
    for each statement execute function mark_what_is_taken()', p_table);
  execute format('create trigger recheck_update after update on %s
    referencing old table as old_rows new table as new_rows
    for each statement execute function mark_what_is_taken()', p_table);
end $$;
