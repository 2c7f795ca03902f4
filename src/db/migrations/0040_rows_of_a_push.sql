-- A push of a thousand rows in less work: what PostgreSQL had to plan anew for each statement it plans once for each
-- connection, and what it asked for each row it asks for each statement.

-- Audit -------------------------------------------------------------------------------------------------------------------

/* SQL for a value as the text of JSON; null where it is null. What cannot need a quote or an escape is its own text. */
create function audit_value_sql(p_value text, p_type oid) returns text language sql immutable as $$
  select case
    when p_type = 'uuid'::regtype then format('(''"'' || %s || ''"'')', p_value)
    when p_type in ('boolean'::regtype, 'smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'jsonb'::regtype)
      then format('(%s)::text', p_value)
    -- JSON knows neither NaN nor infinity: they stand within quotes
    when p_type = 'numeric'::regtype
      then format('case when %1$s > ''-infinity'' and %1$s < ''infinity'' then (%1$s)::text else to_json(%1$s)::text end', p_value)
    else format('to_json(%s)::text', p_value)
  end
$$;

-- As in 0031, with fewer steps for each value.
create or replace function audit_changes_sql(p_table oid, operation text, hidden text[]) returns text language sql stable as $$
  select '(''{'' || substr(concat(' || string_agg(case operation
      when 'UPDATE' then format('case when %1$s is distinct from %2$s then concat('',%3$s:['', coalesce(%4$s, ''null''), '','', coalesce(%5$s, ''null''), '']'') end',
        was, is_now, key, was_json, now_json)
      when 'INSERT' then format('case when %1$s is not null then concat('',%2$s:[null,'', %3$s, '']'') end', is_now, key, now_json)
      else format('case when %1$s is not null then concat('',%2$s:['', %3$s, '',null]'') end', is_now, key, now_json)
    end, ', ' order by attnum) || '), 2) || ''}'')::jsonb'
  from pg_attribute,
    -- a JSON null is nothing, as a null is; the key stands within quotes
    lateral (select format(case when atttypid = 'jsonb'::regtype then 'nullif(o.%I, ''null'')' else 'o.%I' end, attname) as was,
      format(case when atttypid = 'jsonb'::regtype then 'nullif(r.%I, ''null'')' else 'r.%I' end, attname) as is_now,
      replace(to_json(attname)::text, '''', '''''') as key) named,
    lateral (select case when attname = any(hidden) then '''"***"''' else audit_value_sql(was, atttypid) end as was_json,
      case when attname = any(hidden) then '''"***"''' else audit_value_sql(is_now, atttypid) end as now_json) shown
  where attrelid = p_table and attnum > 0 and not attisdropped
    and attname <> all(array['id', 'created_at', 'updated_at', 'last_modified', 'server_created_at'])
$$;

/* SQL that writes down what a statement did to a table. `said`: SQL for who did it, as what action, by which way, in which request. */
create function audit_sql(p_table oid, operation text, hidden text[], variadic said text[]) returns text language sql stable as $$
  select format(
    'insert into audit_log (at, user_id, action, via, request_id, table_name, record_id, patient_id, clinic_id, changes)
     select coalesce(%1$s, clock_timestamp()), %8$s, %2$L, r.id, (%3$s)::uuid, (%4$s)::uuid, c.changes
     from %5$s, lateral (select %6$s as changes offset 0) c %7$s',
    -- the moment that the row itself was stamped with: whoever read that version has seen this change
    case operation when 'DELETE' then 'null' else audit_first_sql(p_table, 'last_modified') end,
    relname,
    case relname when 'patients' then 'r.id' else audit_first_sql(p_table, 'patient_id') end,
    case relname when 'clinics' then 'r.id' else audit_first_sql(p_table, 'clinic_id', 'primary_clinic_id', 'pickup_clinic_id') end,
    case operation when 'INSERT' then 'new_rows r' when 'UPDATE' then 'new_rows r join old_rows o on o.id = r.id' else 'old_rows r' end,
    audit_changes_sql(p_table, operation, hidden),
    case operation when 'UPDATE' then 'where c.changes <> ''{}''' else '' end,
    array_to_string(said, ', '))
  from pg_class where oid = p_table
$$;

create or replace function audit_change() returns trigger language plpgsql as $$
declare
  who uuid := nullif(current_setting('sanad.user_id', true), '')::uuid;
  action text := coalesce(nullif(current_setting('sanad.action', true), ''), 'database.' || lower(tg_op));
  way text := coalesce(nullif(current_setting('sanad.via', true), ''), 'system');
  request text := coalesce(current_setting('sanad.request_id', true), '');
begin
  if action = 'seed' then return null; end if;
  -- many updates find nothing to do, and to look is quicker than to plan
  if tg_op = 'UPDATE' then
    if not exists (select from new_rows) then return null; end if;
  end if;
  execute audit_sql(tg_relid, tg_op, tg_argv::text[], '$1', '$2', '$3', '$4') using who, action, way, request;
  return null;
end $$;

/* The body of a table's own function for its new rows: as audit_change(), with all columns named in it. */
create function audit_insert_source(p_table oid, hidden text[]) returns text language sql stable as $$
  select format('
<<said>>
declare
  who uuid := nullif(current_setting(''sanad.user_id'', true), '''')::uuid;
  action text := coalesce(nullif(current_setting(''sanad.action'', true), ''''), ''database.insert'');
  way text := coalesce(nullif(current_setting(''sanad.via'', true), ''''), ''system'');
  request text := coalesce(current_setting(''sanad.request_id'', true), '''');
begin
  if action = ''seed'' then return null; end if;
  %s;
  return null;
end ', audit_sql(p_table, 'INSERT', hidden, 'said.who', 'said.action', 'said.way', 'said.request'))
$$;

-- Gives a table such a function: PostgreSQL plans it once for each connection, and audit_change() for each statement. A
-- migration that changes the table's columns calls this again; a test says so.
create function keep_audit(p_table regclass, variadic hidden text[] default '{}') returns void language plpgsql as $$
begin
  execute format('create or replace function audit_%s_insert() returns trigger language plpgsql as %L', p_table, audit_insert_source(p_table, hidden));
  execute format('create or replace trigger audit_insert after insert on %1$s referencing new table as new_rows for each statement execute function audit_%1$s_insert()', p_table);
end $$;
select keep_audit('patients');
select keep_audit('patient_additional_attributes');
select keep_audit('visits');
select keep_audit('events');
select keep_audit('patient_vitals');
select keep_audit('patient_problems');
select keep_audit('appointments');
select keep_audit('prescriptions');
select keep_audit('prescription_items');
select keep_audit('dispensing_records');

-- Links -------------------------------------------------------------------------------------------------------------------

-- As in 0031, for new rows: a function for each table, for the same reason.
create function keep_new_links(p_table regclass, source text, patient_column text, clinic_column text) returns void language plpgsql as $$
begin
  execute format('create function links_%s_insert() returns trigger language plpgsql as %L', p_table, format('
begin
  insert into patient_links (patient_id, clinic_id, source)
  select distinct %1$I, %2$I, %3$L from new_rows where %2$I is not null and not is_deleted
  on conflict (patient_id, clinic_id, source) do update set until = null, since = clock_timestamp()
  where patient_links.until is not null;
  return null;
end ', patient_column, clinic_column, source));
  execute format('create or replace trigger links_insert after insert on %1$s referencing new table as new_rows for each statement execute function links_%1$s_insert()', p_table);
end $$;
select keep_new_links('patients', 'primary', 'id', 'primary_clinic_id');
select keep_new_links('visits', 'visit', 'patient_id', 'clinic_id');
select keep_new_links('appointments', 'appointment', 'patient_id', 'clinic_id');
select keep_new_links('prescriptions', 'prescription', 'patient_id', 'pickup_clinic_id');

-- Archived clinics ----------------------------------------------------------------------------------------------------------

-- As in 0010 and 0016, for all rows of a statement together.
create function refuse_in_archived_clinics() returns trigger language plpgsql as $$
begin
  if current_setting('sanad.merging', true) = 'on' then return null; end if;
  if exists (select from new_rows n join clinics c on c.id = n.clinic_id where c.is_archived and not c.is_deleted) then
    raise exception 'this clinic is archived' using errcode = 'restrict_violation', constraint = 'clinics_archived';
  end if;
  return null;
end $$;
create function refuse_at_archived_pickups() returns trigger language plpgsql as $$
begin
  if current_setting('sanad.merging', true) = 'on' then return null; end if;
  if exists (select from new_rows n join clinics c on c.id = n.pickup_clinic_id where c.is_archived and not c.is_deleted) then
    raise exception 'this clinic is archived' using errcode = 'restrict_violation', constraint = 'clinics_archived';
  end if;
  return null;
end $$;
create function keep_archived_closed(p_table regclass, p_function text) returns void language plpgsql as $$
begin
  execute format('drop trigger archived on %s', p_table);
  execute format('create trigger archived_insert after insert on %s referencing new table as new_rows for each statement execute function %I()', p_table, p_function);
  execute format('create trigger archived_update after update on %s referencing new table as new_rows for each statement execute function %I()', p_table, p_function);
end $$;
select keep_archived_closed('visits', 'refuse_in_archived_clinics');
select keep_archived_closed('appointments', 'refuse_in_archived_clinics');
select keep_archived_closed('dispensing_records', 'refuse_in_archived_clinics');
select keep_archived_closed('prescriptions', 'refuse_at_archived_pickups');

-- Forms -------------------------------------------------------------------------------------------------------------------

-- As in 0014. The form itself knows its newest version.
create or replace function newest_form_version() returns trigger language plpgsql as $$
begin
  select version into new.form_version from event_forms where id = new.form_id;
  return new;
end $$;
