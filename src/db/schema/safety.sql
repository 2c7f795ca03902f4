-- Marks rows with medicines that the safety check has not read since they were written.

-- Without the columns that say nothing about the medicine: what follows from dispensing, and who
-- changed the row last.
create function medicine_of(p_row jsonb) returns jsonb language sql immutable as $$
  select p_row - array['quantity_dispensed', 'refills_used', 'item_status', 'status', 'position',
      'notes', 'unusual_from', 'filled_at', 'filled_by', 'updated_at', 'last_modified',
      'server_created_at', 'recorded_by_user_id', 'event_type', 'status_reason']
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
