-- What every table stands on: stamps, the audit trail, deletes that can be undone, news of changes.

create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists btree_gist;
create extension if not exists pgcrypto;

-- Names are sorted by people's rules, the same on every server, whatever its locale.
create collation if not exists names (provider = icu, locale = 'und-u-kn', deterministic = true);

-- Stamps ---------------------------------------------------------------------------------------------------------

-- server_created_at and last_modified belong to the database. last_modified always grows, even when the clock steps
-- back, because a save is refused by comparing it. Milliseconds, so that a JavaScript Date holds it exactly.
create function stamp() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.server_created_at := clock_timestamp();
    new.last_modified := new.server_created_at;
  else
    new.server_created_at := old.server_created_at;
    new.last_modified := greatest(clock_timestamp(), old.last_modified + interval '1 millisecond');
  end if;
  if new.is_deleted then
    new.deleted_at := coalesce(new.deleted_at, clock_timestamp());
  else
    new.deleted_at := null;
  end if;
  return new;
end $$;

-- Audit ----------------------------------------------------------------------------------------------------------

-- One row for each record that a write changed. `changes` is {column: [before, after]}.
create table audit_log (
  id          bigint generated always as identity primary key,
  at          timestamptz(3) not null default clock_timestamp(),
  user_id     uuid,
  action      text not null,
  via         text not null check (via in ('web', 'trpc', 'phone', 'command', 'system')),
  request_id  text not null,
  table_name  text not null,
  record_id   uuid,
  patient_id  uuid,
  clinic_id   uuid,
  changes     jsonb not null default '{}'
);
create index audit_log_record_idx on audit_log (table_name, record_id, id desc);
create index audit_log_patient_idx on audit_log (patient_id, id desc) where patient_id is not null;
create index audit_log_clinic_idx on audit_log (clinic_id, id desc) where clinic_id is not null;
create index audit_log_user_idx on audit_log (user_id, id desc);
create index audit_log_at_idx on audit_log using brin (at);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

-- Statement-level with transition tables: a push of 1,500 rows costs one insert, not 1,500.
-- Arguments: columns whose values are never written down (passwords, tokens).
create function audit_change() returns trigger language plpgsql as $$
declare
  hidden text[] := tg_argv::text[];
  technical text[] := array['id', 'created_at', 'updated_at', 'last_modified', 'server_created_at'];
  who uuid := nullif(current_setting('sanad.user_id', true), '')::uuid;
  action text := coalesce(nullif(current_setting('sanad.action', true), ''), 'database.' || lower(tg_op));
  way text := coalesce(nullif(current_setting('sanad.via', true), ''), 'system');
  request text := coalesce(current_setting('sanad.request_id', true), '');
begin
  if action = 'seed' then return null; end if;
  if tg_op = 'INSERT' then
    insert into audit_log (at, user_id, action, via, request_id, table_name, record_id, patient_id, clinic_id, changes)
    select audit_moment(j), who, action, way, request, tg_table_name, r.id, audit_patient(tg_table_name, j), audit_clinic(tg_table_name, j), coalesce(c.changes, '{}')
    from new_rows r
    cross join lateral (select to_jsonb(r) as j) json
    cross join lateral (
      select jsonb_object_agg(key, jsonb_build_array(null, case when key = any(hidden) then '"***"' else value end)) as changes
      from jsonb_each(j) where not key = any(technical) and value <> 'null'
    ) c;
  elsif tg_op = 'UPDATE' then
    insert into audit_log (at, user_id, action, via, request_id, table_name, record_id, patient_id, clinic_id, changes)
    select audit_moment(j), who, action, way, request, tg_table_name, r.id, audit_patient(tg_table_name, j), audit_clinic(tg_table_name, j), c.changes
    from new_rows r
    join old_rows o on o.id = r.id
    cross join lateral (select to_jsonb(r) as j, to_jsonb(o) as before) json
    cross join lateral (
      select jsonb_object_agg(key, case when key = any(hidden) then '["***", "***"]' else jsonb_build_array(before -> key, value) end) as changes
      from jsonb_each(j) where not key = any(technical) and before -> key is distinct from value
    ) c
    where c.changes is not null;
  else
    insert into audit_log (at, user_id, action, via, request_id, table_name, record_id, patient_id, clinic_id, changes)
    select clock_timestamp(), who, action, way, request, tg_table_name, r.id, audit_patient(tg_table_name, j), audit_clinic(tg_table_name, j), coalesce(c.changes, '{}')
    from old_rows r
    cross join lateral (select to_jsonb(r) as j) json
    cross join lateral (
      select jsonb_object_agg(key, jsonb_build_array(case when key = any(hidden) then '"***"' else value end, null)) as changes
      from jsonb_each(j) where not key = any(technical) and value <> 'null'
    ) c;
  end if;
  return null;
end $$;

-- The moment that the row itself was stamped with: whoever read that version has seen this change.
create function audit_moment(record jsonb) returns timestamptz language sql volatile as $$
  select coalesce((record ->> 'last_modified')::timestamptz, clock_timestamp())
$$;

-- Which patient and which clinic a row is about, whatever the table calls them.
create function audit_patient(table_name text, record jsonb) returns uuid language sql immutable as $$
  select nullif(case when table_name = 'patients' then record ->> 'id' else record ->> 'patient_id' end, '')::uuid
$$;
create function audit_clinic(table_name text, record jsonb) returns uuid language sql immutable as $$
  select nullif(case when table_name = 'clinics' then record ->> 'id'
    else coalesce(record ->> 'clinic_id', record ->> 'primary_clinic_id', record ->> 'pickup_clinic_id') end, '')::uuid
$$;

-- News of changes --------------------------------------------------------------------------------------------------

-- Every process of Sanad listens on `sanad_changes`, and tells the screens that show this table. Names only, no data.
create function tell_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('sanad_changes', tg_table_name);
  return null;
end $$;

-- Deletes that can be undone -----------------------------------------------------------------------------------------

-- What a delete takes along. `delete`: the children go too. `unlink`: they stay, without the link.
create table cascade_rules (
  parent       text not null,
  child        text not null,
  child_column text not null,
  effect       text not null check (effect in ('delete', 'unlink')),
  primary key (parent, child, child_column)
);

-- One row for each delete that somebody asked for: the trash.
create table deletions (
  id          uuid primary key default gen_random_uuid(),
  table_name  text not null,
  record_id   uuid not null,
  label       text not null,
  patient_id  uuid,
  clinic_id   uuid,
  deleted_by  uuid,
  deleted_at  timestamptz(3) not null default clock_timestamp(),
  restored_by uuid,
  restored_at timestamptz(3)
);
create index deletions_open_idx on deletions (deleted_at desc, id) where restored_at is null;
create unique index deletions_record_key on deletions (table_name, record_id) where restored_at is null;

-- Exactly what it took along, so that undoing it brings back exactly that.
create table deletion_items (
  id           bigint generated always as identity primary key,
  deletion_id  uuid not null references deletions on delete cascade,
  table_name   text not null,
  record_id    uuid not null,
  unlinked_column text,
  unlinked_from   uuid
);
create index deletion_items_deletion_idx on deletion_items (deletion_id, id);

/* Marks the record and what hangs on it as deleted. Returns the id of the deletion, or null when there was no such live record. */
create function soft_delete(p_table text, p_id uuid, p_label text, p_by uuid) returns uuid language plpgsql as $$
declare
  deletion uuid;
  gone jsonb;
  parents jsonb := jsonb_build_array(jsonb_build_object('t', p_table, 'ids', jsonb_build_array(p_id)));
  above jsonb;
  rule cascade_rules;
  ids uuid[];
  taken uuid[];
begin
  execute format('update %I set is_deleted = true where id = $1 and not is_deleted returning to_jsonb(%I.*)', p_table, p_table)
    into gone using p_id;
  if gone is null then return null; end if;
  insert into deletions (table_name, record_id, label, patient_id, clinic_id, deleted_by)
    values (p_table, p_id, p_label, audit_patient(p_table, gone), audit_clinic(p_table, gone), p_by) returning id into deletion;
  insert into deletion_items (deletion_id, table_name, record_id) values (deletion, p_table, p_id);

  while jsonb_array_length(parents) > 0 loop
    above := parents -> 0;
    parents := parents - 0;
    ids := array(select jsonb_array_elements_text(above -> 'ids')::uuid);
    for rule in select * from cascade_rules where parent = above ->> 't' order by effect desc, child, child_column loop
      if rule.effect = 'unlink' then
        execute format(
          'with gone as (select id, %2$I as was from %1$I where %2$I = any($1) and not is_deleted for update),
                cut as (update %1$I set %2$I = null from gone where %1$I.id = gone.id)
           insert into deletion_items (deletion_id, table_name, record_id, unlinked_column, unlinked_from)
           select $2, %1$L, id, %2$L, was from gone', rule.child, rule.child_column) using ids, deletion;
      else
        execute format(
          'with gone as (update %1$I set is_deleted = true where %2$I = any($1) and not is_deleted returning id),
                kept as (insert into deletion_items (deletion_id, table_name, record_id) select $2, %1$L, id from gone)
           select array_agg(id) from gone', rule.child, rule.child_column) into taken using ids, deletion;
        if taken is not null then
          parents := parents || jsonb_build_array(jsonb_build_object('t', rule.child, 'ids', to_jsonb(taken)));
        end if;
      end if;
    end loop;
  end loop;
  return deletion;
end $$;

/* Undoes exactly that delete. False when it is not in the trash (any more). */
create function undo_deletion(p_deletion uuid, p_by uuid) returns boolean language plpgsql as $$
declare
  deletion deletions;
  item record;
  above text;
begin
  update deletions set restored_at = clock_timestamp(), restored_by = p_by
    where id = p_deletion and restored_at is null returning * into deletion;
  if deletion.id is null then return false; end if;

  -- A record does not come back without what it hangs on: that one has to be restored first.
  for item in select parent, child_column from cascade_rules where child = deletion.table_name and effect = 'delete' loop
    execute format('select p.id::text from %1$I c join %2$I p on p.id = c.%3$I where c.id = $1 and p.is_deleted',
      deletion.table_name, item.parent, item.child_column) into above using deletion.record_id;
    if above is not null then
      raise exception 'the parent is deleted' using errcode = 'restrict_violation', constraint = 'deletions_parent_deleted';
    end if;
  end loop;

  -- children first: while the parent is still deleted, its own rules (an archived clinic is read-only) do not bind them
  for item in select table_name, array_agg(record_id) as ids from deletion_items
    where deletion_id = p_deletion and unlinked_column is null group by table_name order by max(id) desc loop
    execute format('update %I set is_deleted = false where id = any($1) and is_deleted', item.table_name) using item.ids;
  end loop;
  for item in select * from deletion_items where deletion_id = p_deletion and unlinked_column is not null loop
    execute format('update %1$I set %2$I = $1 where id = $2 and %2$I is null', item.table_name, item.unlinked_column)
      using item.unlinked_from, item.record_id;
  end loop;
  return true;
end $$;

-- Ties a table to all of the above. Tables that phones or people keep records in call it once.
create function keep_record(p_table regclass, variadic hidden text[] default '{}') returns void language plpgsql as $$
declare
  hide text := (select coalesce(string_agg(quote_literal(h), ', '), '') from unnest(hidden) h);
begin
  execute format('create trigger stamp before insert or update on %s for each row execute function stamp()', p_table);
  execute format('create trigger audit_insert after insert on %s referencing new table as new_rows for each statement execute function audit_change(%s)', p_table, hide);
  execute format('create trigger audit_update after update on %s referencing old table as old_rows new table as new_rows for each statement execute function audit_change(%s)', p_table, hide);
  execute format('create trigger audit_delete after delete on %s referencing old table as old_rows for each statement execute function audit_change(%s)', p_table, hide);
  execute format('create trigger tell after insert or update or delete on %s for each statement execute function tell_change()', p_table);
end $$;
