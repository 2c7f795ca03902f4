-- Phones bring rows by the thousand: what was done for each row is done for each statement.

-- Audit -------------------------------------------------------------------------------------------------------------------

/* SQL for {column: [before, after]} of `r`, and of `o`, as it was, where a row is changed. Columns that only the machine keeps are left out. */
create function audit_changes_sql(p_table oid, operation text, hidden text[]) returns text language sql stable as $$
  select '(''{'' || substr(concat(' || string_agg(case operation
      when 'UPDATE' then format('case when %1$s is distinct from %2$s then concat('',%3$s:['', %4$s, '','', %5$s, '']'') end', was, is_now, key, was_json, now_json)
      when 'INSERT' then format('case when %1$s is not null then concat('',%2$s:[null,'', %3$s, '']'') end', is_now, key, now_json)
      else format('case when %1$s is not null then concat('',%2$s:['', %3$s, '',null]'') end', is_now, key, now_json)
    end, ', ' order by attnum) || '), 2) || ''}'')::jsonb'
  from pg_attribute,
    -- a JSON null is nothing, as a null is; the key stands within quotes
    lateral (select format(case when atttypid = 'jsonb'::regtype then 'nullif(o.%I, ''null'')' else 'o.%I' end, attname) as was,
      format(case when atttypid = 'jsonb'::regtype then 'nullif(r.%I, ''null'')' else 'r.%I' end, attname) as is_now,
      replace(to_json(attname)::text, '''', '''''') as key) named,
    lateral (select case when attname = any(hidden) then '''"***"''' else format('coalesce(to_json(%s)::text, ''null'')', was) end as was_json,
      case when attname = any(hidden) then '''"***"''' else format('coalesce(to_json(%s)::text, ''null'')', is_now) end as now_json) shown
  where attrelid = p_table and attnum > 0 and not attisdropped
    and attname <> all(array['id', 'created_at', 'updated_at', 'last_modified', 'server_created_at'])
$$;

/* SQL for the first of these columns of `r` that the table has and that holds something; null where it has none. */
create function audit_first_sql(p_table oid, variadic names text[]) returns text language sql stable as $$
  select coalesce('coalesce(' || string_agg(format('r.%I', attname), ', ' order by array_position(names, attname::text)) || ')', 'null')
  from pg_attribute where attrelid = p_table and attname = any(names) and not attisdropped
$$;

-- As in 0001, for a third of the work on each row: the columns are named in the statement instead of being taken out of JSON row by row.
create or replace function audit_change() returns trigger language plpgsql as $$
declare
  hidden text[] := tg_argv::text[];
  who uuid := nullif(current_setting('sanad.user_id', true), '')::uuid;
  action text := coalesce(nullif(current_setting('sanad.action', true), ''), 'database.' || lower(tg_op));
  way text := coalesce(nullif(current_setting('sanad.via', true), ''), 'system');
  request text := coalesce(current_setting('sanad.request_id', true), '');
begin
  if action = 'seed' then return null; end if;
  execute format(
    'insert into audit_log (at, user_id, action, via, request_id, table_name, record_id, patient_id, clinic_id, changes)
     select coalesce(%1$s, clock_timestamp()), $1, $2, $3, $4, %2$L, r.id, (%3$s)::uuid, (%4$s)::uuid, c.changes
     from %5$s, lateral (select %6$s as changes offset 0) c %7$s',
    -- the moment that the row itself was stamped with: whoever read that version has seen this change
    case tg_op when 'DELETE' then 'null' else audit_first_sql(tg_relid, 'last_modified') end,
    tg_table_name,
    case tg_table_name when 'patients' then 'r.id' else audit_first_sql(tg_relid, 'patient_id') end,
    case tg_table_name when 'clinics' then 'r.id' else audit_first_sql(tg_relid, 'clinic_id', 'primary_clinic_id', 'pickup_clinic_id') end,
    case tg_op when 'INSERT' then 'new_rows r' when 'UPDATE' then 'new_rows r join old_rows o on o.id = r.id' else 'old_rows r' end,
    audit_changes_sql(tg_relid, tg_op, hidden),
    case tg_op when 'UPDATE' then 'where c.changes <> ''{}''' else '' end) using who, action, way, request;
  return null;
end $$;

-- Archived clinics ----------------------------------------------------------------------------------------------------------

-- As in 0010, for all rows of a statement together.
create function refuse_in_archived_visits() returns trigger language plpgsql as $$
begin
  if current_setting('sanad.merging', true) = 'on' then return null; end if;
  if exists (select from new_rows n join visits v on v.id = n.visit_id join clinics c on c.id = v.clinic_id
             where not v.is_deleted and c.is_archived and not c.is_deleted) then
    raise exception 'this clinic is archived' using errcode = 'restrict_violation', constraint = 'clinics_archived';
  end if;
  return null;
end $$;

create function keep_archived_visits_closed(p_table regclass) returns void language plpgsql as $$
begin
  execute format('drop trigger archived on %s', p_table);
  execute format('create trigger archived_insert after insert on %s referencing new table as new_rows for each statement execute function refuse_in_archived_visits()', p_table);
  execute format('create trigger archived_update after update on %s referencing new table as new_rows for each statement execute function refuse_in_archived_visits()', p_table);
end $$;
select keep_archived_visits_closed('events');
select keep_archived_visits_closed('patient_vitals');
select keep_archived_visits_closed('patient_problems');

-- Pulls ---------------------------------------------------------------------------------------------------------------------

-- As the default of sync_pulls.id, for a statement that has to know it beforehand.
create function sync_pull_number() returns bigint language sql volatile as $$
  select nextval('sync_pull_numbers') * 1048576 + floor(random() * 1048576)::bigint
$$;
alter table sync_pulls alter column id set default sync_pull_number();

-- Links ---------------------------------------------------------------------------------------------------------------------

-- As in 0005. New rows are reason enough for their links, without looking for others; of changed ones each is looked up by
-- its patient, where a join would read the whole table for some hundred rows.
create or replace function follow_links() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    execute format(
      'insert into patient_links (patient_id, clinic_id, source)
       select distinct %1$I, %2$I, %3$L from new_rows where %2$I is not null and not is_deleted
       on conflict (patient_id, clinic_id, source) do update set until = null, since = clock_timestamp()
       where patient_links.until is not null', tg_argv[1], tg_argv[2], tg_argv[0]);
    return null;
  end if;
  execute format(
    'with pairs as (select distinct %1$I as patient, %2$I as clinic from (%4$s) rows where %2$I is not null),
          known as materialized (select patient, clinic, coalesce(
            (select true from %5$I r where r.%1$I = patient and r.%2$I = clinic and not r.is_deleted limit 1), false) as is_living from pairs),
          opened as (insert into patient_links (patient_id, clinic_id, source) select patient, clinic, %3$L from known where is_living
                     on conflict (patient_id, clinic_id, source) do update set until = null, since = clock_timestamp()
                     where patient_links.until is not null)
     update patient_links set until = clock_timestamp()
     from known where patient_id = patient and clinic_id = clinic and source = %3$L and until is null and not is_living',
    tg_argv[1], tg_argv[2], tg_argv[0],
    case tg_op when 'DELETE' then 'select * from old_rows' else 'select * from new_rows union all select * from old_rows' end, tg_table_name);
  return null;
end $$;
