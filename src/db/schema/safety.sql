-- Marks rows with medicines that the safety check has not read since they were written.

-- Without the columns that say nothing about the medicine: what follows from dispensing, and who
-- changed the row last.
create function medicine_of(p_row jsonb) returns jsonb language sql immutable as $$
  select p_row - array['quantity_dispensed', 'refills_used', 'item_status', 'status', 'position',
      'notes', 'unusual_from', 'filled_at', 'filled_by', 'updated_at', 'last_modified',
      'server_created_at', 'recorded_by_user_id', 'sent_by_user_id', 'event_type', 'status_reason']
    || jsonb_build_object(
      'is_open', coalesce(p_row ->> 'item_status', p_row ->> 'status', '') <> 'cancelled')
$$;

/* Marks the rows of a statement. Arguments: the marked table, the column of its id, a condition on `n`. */
create function mark_unchecked() returns trigger language plpgsql as $$
begin
  execute format(
    'insert into unchecked_medicines (table_name, row_id, patient_id)
     select distinct on (1, 2) %L, n.%I, n.patient_id
     from new_rows n %s where not n.is_deleted and (%s) %s
     on conflict (table_name, row_id)
       do update set marked_at = excluded.marked_at, patient_id = excluded.patient_id',
    tg_argv[0], tg_argv[1],
    case when tg_op = 'UPDATE' then 'join old_rows o on o.id = n.id' else '' end,
    tg_argv[2],
    case when tg_op = 'UPDATE'
      then 'and medicine_of(to_jsonb(n)) is distinct from medicine_of(to_jsonb(o))' else '' end);
  return null;
end $$;

/* Connects a table with medicines to the mark; a test finds a table with medicines that is not. */
create function keep_unchecked(p_table regclass, p_marked text, p_column text, p_condition text)
returns void language plpgsql as $$
begin
  execute format(
    'create trigger unchecked_insert after insert on %s referencing new table as new_rows
     for each statement execute function mark_unchecked(%L, %L, %L)',
    p_table, p_marked, p_column, p_condition);
  execute format(
    'create trigger unchecked_update after update on %s
     referencing old table as old_rows new table as new_rows
     for each statement execute function mark_unchecked(%L, %L, %L)',
    p_table, p_marked, p_column, p_condition);
end $$;

-- A new allergy, problem or answer about pregnancy can speak against what the patient already
-- takes. Whatever writes it, the open prescriptions and the medicines from elsewhere are marked,
-- and the check of marked rows is requested. A medicine from elsewhere is compared with everything
-- else by its own mark.
create function mark_what_is_taken() returns trigger language plpgsql as $$
begin
  execute format(
    'insert into unchecked_medicines (table_name, row_id, patient_id)
     with changed as (select distinct n.patient_id from new_rows n %s)
     select ''prescriptions'', p.id, p.patient_id
     from prescriptions p join changed using (patient_id)
     where not p.is_deleted and p.status <> ''cancelled''
       and p.prescribed_at > now() - interval ''180 days''
       and (p.expiration_date is null or p.expiration_date > now() - interval ''1 day'')
       and exists (select from prescription_items i where i.prescription_id = p.id
                   and not i.is_deleted and i.item_status in (''active'', ''partially_dispensed''))
     union all
     select ''patient_medicines'', m.id, m.patient_id
     from patient_medicines m join changed using (patient_id)
     where not m.is_deleted and (m.until is null or m.until >= now()::date - 1)
     on conflict (table_name, row_id)
       do update set marked_at = excluded.marked_at, patient_id = excluded.patient_id',
    case when tg_op = 'UPDATE' then
      'join old_rows o on o.id = n.id
       where to_jsonb(n) - array[''updated_at'', ''last_modified'', ''notes'']
         is distinct from to_jsonb(o) - array[''updated_at'', ''last_modified'', ''notes'']'
    else '' end);
  -- the schema of the background jobs exists once a server has run
  if found and to_regnamespace('graphile_worker') is not null then
    execute 'select graphile_worker.add_job(''check_medicines'', job_key => ''check_medicines'')';
  end if;
  return null;
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
