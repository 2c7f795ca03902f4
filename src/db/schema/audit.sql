-- The audit trail. The triggers run once for each statement, with transition tables: a push of 1,500
-- rows costs one insert into audit_log. The statement names every column of the table, because taking
-- the values out of JSON row by row takes three times as long.

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

-- For tables whose rows change but are never removed.
create function refuse_removal() returns trigger language plpgsql as $$
begin
  raise exception '% keeps its rows', tg_table_name using errcode = 'restrict_violation';
end $$;

/* The patient of a row, whatever the table calls the column. */
create function audit_patient(table_name text, record jsonb) returns uuid
language sql immutable as $$
  select nullif(
    case when table_name = 'patients' then record ->> 'id' else record ->> 'patient_id' end,
    '')::uuid
$$;

/* The clinic of a row, whatever the table calls the column. */
create function audit_clinic(table_name text, record jsonb) returns uuid
language sql immutable as $$
  select nullif(
    case when table_name = 'clinics' then record ->> 'id'
      else coalesce(
        record ->> 'clinic_id', record ->> 'primary_clinic_id', record ->> 'pickup_clinic_id')
    end, '')::uuid
$$;

-- SQL of the audit insert ------------------------------------------------------------------------

/*
 * SQL for a value as JSON text; null if the value is null. A type that never needs quotes or escapes is
 * cast to text, which is faster.
 */
create function audit_value_sql(p_value text, p_type oid) returns text language sql immutable as $$
  select case
    when p_type = 'uuid'::regtype then format('(''"'' || %s || ''"'')', p_value)
    when p_type in ('boolean'::regtype, 'smallint'::regtype, 'integer'::regtype, 'bigint'::regtype,
                    'jsonb'::regtype)
      then format('(%s)::text', p_value)
    -- JSON has neither NaN nor infinity: they are written in quotes
    when p_type = 'numeric'::regtype
      then format(
        'case when %1$s > ''-infinity'' and %1$s < ''infinity'''
        ' then (%1$s)::text else to_json(%1$s)::text end', p_value)
    else format('to_json(%s)::text', p_value)
  end
$$;

/*
 * SQL for {column: [before, after]} of the new row `r` and the old row `o`. Columns that only the
 * database writes are left out. A JSON null counts as null.
 */
create function audit_changes_sql(p_table oid, operation text, hidden text[]) returns text
language sql stable as $$
  select '(''{'' || substr(concat(' || string_agg(
    case operation
      when 'UPDATE' then format(
        'case when %1$s is distinct from %2$s then concat('',%3$s:['','
        ' coalesce(%4$s, ''null''), '','', coalesce(%5$s, ''null''), '']'') end',
        was, is_now, key, was_json, now_json)
      when 'INSERT' then format(
        'case when %1$s is not null then concat('',%2$s:[null,'', %3$s, '']'') end',
        is_now, key, now_json)
      else format(
        'case when %1$s is not null then concat('',%2$s:['', %3$s, '',null]'') end',
        was, key, was_json)
    end, ', ' order by attnum) || '), 2) || ''}'')::jsonb'
  from pg_attribute,
    lateral (
      select case when atttypid = 'jsonb'::regtype then 'nullif(%s.%I, ''null'')' else '%s.%I' end
        as pattern
    ) value,
    lateral (
      -- a delete has only old rows, which its statement calls `r`
      select format(pattern, case operation when 'DELETE' then 'r' else 'o' end, attname) as was,
        format(pattern, 'r', attname) as is_now,
        -- the key is part of a quoted string
        replace(to_json(attname)::text, '''', '''''') as key
    ) named,
    lateral (
      select case when attname = any(hidden) then '''"***"''' else audit_value_sql(was, atttypid) end
          as was_json,
        case when attname = any(hidden) then '''"***"''' else audit_value_sql(is_now, atttypid) end
          as now_json
    ) shown
  where attrelid = p_table and attnum > 0 and not attisdropped
    and attname <> all(array['id', 'created_at', 'updated_at', 'last_modified', 'server_created_at',
      -- the user of the entry is the sender
      'sent_by_user_id', 'recorded_clinic_id',
      -- numbers of transactions, and ids on phones
      'sent_xid', 'applied_xid', 'sent_as'])
$$;

/* SQL for the first of these columns of `r` that is not null; null if the table has none of them. */
create function audit_first_sql(p_table oid, variadic names text[]) returns text
language sql stable as $$
  select coalesce(
    'coalesce(' || string_agg(
      format('r.%I', attname), ', ' order by array_position(names, attname::text)) || ')',
    'null')
  from pg_attribute
  where attrelid = p_table and attname = any(names) and not attisdropped
$$;

/*
 * SQL that writes the changes of a statement into the audit trail. `said`: SQL for the user, the action,
 * the channel and the request id.
 */
create function audit_sql(p_table oid, operation text, hidden text[], variadic said text[])
returns text language sql stable as $$
  select format(
    -- with the schema: a temporary table of that name must not take the entries
    'insert into %9$s.audit_log (at, user_id, action, via, request_id, table_name, record_id, patient_id,
       clinic_id, changes)
     select coalesce(%1$s, clock_timestamp()), %8$s, %2$L, r.id, (%3$s)::uuid, (%4$s)::uuid, c.changes
     from %5$s, lateral (select %6$s as changes offset 0) c %7$s',
    -- the timestamp of the row itself: a user who read this version has seen the change
    case operation when 'DELETE' then 'null' else audit_first_sql(p_table, 'last_modified') end,
    relname,
    case relname when 'patients' then 'r.id' else audit_first_sql(p_table, 'patient_id') end,
    case relname when 'clinics' then 'r.id'
      else audit_first_sql(p_table, 'clinic_id', 'primary_clinic_id', 'pickup_clinic_id') end,
    case operation
      when 'INSERT' then 'new_rows r'
      when 'UPDATE' then 'new_rows r join old_rows o on o.id = r.id'
      else 'old_rows r' end,
    audit_changes_sql(p_table, operation, hidden),
    case operation when 'UPDATE' then 'where c.changes <> ''{}''' else '' end,
    array_to_string(said, ', '), relnamespace::regnamespace)
  from pg_class where oid = p_table
$$;

-- Triggers ---------------------------------------------------------------------------------------

-- Arguments: columns whose values are masked (passwords, tokens).
create function audit_change() returns trigger language plpgsql as $$
declare
  who uuid := nullif(current_setting('sanad.user_id', true), '')::uuid;
  action text := coalesce(
    nullif(current_setting('sanad.action', true), ''), 'database.' || lower(tg_op));
  way text := coalesce(nullif(current_setting('sanad.via', true), ''), 'system');
  request text := coalesce(current_setting('sanad.request_id', true), '');
begin
  -- many statements change no row; looking first is faster than planning the insert
  if tg_op = 'DELETE' then
    if not exists (select from old_rows) then return null; end if;
  elsif not exists (select from new_rows) then
    return null;
  end if;
  execute audit_sql(tg_relid, tg_op, tg_argv::text[], '$1', '$2', '$3', '$4')
    using who, action, way, request;
  return null;
end $$;

/* The body of a table's own function for inserted rows: as audit_change(), with every column named. */
create function audit_insert_source(p_table oid, hidden text[]) returns text
language sql stable as $$
  select format('
<<said>>
declare
  who uuid := nullif(current_setting(''sanad.user_id'', true), '''')::uuid;
  action text := coalesce(nullif(current_setting(''sanad.action'', true), ''''), ''database.insert'');
  way text := coalesce(nullif(current_setting(''sanad.via'', true), ''''), ''system'');
  request text := coalesce(current_setting(''sanad.request_id'', true), '''');
begin
  %s;
  return null;
end ', audit_sql(p_table, 'INSERT', hidden, 'said.who', 'said.action', 'said.way', 'said.request'))
$$;

/*
 * Gives a table that devices write its own function for inserted rows. PostgreSQL plans it once for each
 * connection; audit_change() is planned for each statement.
 */
create function keep_audit(p_table regclass, variadic hidden text[] default '{}') returns void
language plpgsql as $$
begin
  execute format(
    'create or replace function audit_%s_insert() returns trigger language plpgsql as %L',
    p_table, audit_insert_source(p_table, hidden));
  execute format(
    'create or replace trigger audit_insert after insert on %1$s referencing new table as new_rows
     for each statement execute function audit_%1$s_insert()', p_table);
end $$;
