-- Sync with devices (docs/decisions/0007): which transaction changed what, and the row caches.

-- Changes ----------------------------------------------------------------------------------------

-- Writes into sync_rows which transaction wrote each row, and each of its columns. A connection keeps the plan that it
-- made for a few rows: with nested loops, 20,000 deleted rows would be compared each with each, for minutes.
create function follow_for_sync() returns trigger language plpgsql set enable_nestloop = off as $$
declare
  now_xid xid8 := pg_current_xact_id();
  ours text[] := array['last_modified', 'server_created_at'];
  places text[] := array['patient_id', 'clinic_id', 'clinic_ids', 'user_id'];
begin
  if tg_op = 'INSERT' then
    insert into sync_rows (table_name, row_id, xid, born)
    select tg_table_name, id, now_xid, now_xid from new_rows
    on conflict (table_name, row_id)
      do update set xid = excluded.xid, born = excluded.born, columns = '{}';
  elsif tg_op = 'UPDATE' then
    insert into sync_rows as s (table_name, row_id, xid, columns, moved)
    select tg_table_name, n.id, now_xid, coalesce(c.columns, '{}'), coalesce(c.moved, false)
    from new_rows n join old_rows o on o.id = n.id
    -- offset: without it the old row becomes JSON once for each column of the new one
    cross join lateral (select to_jsonb(o) as before offset 0) old
    cross join lateral (
      select jsonb_object_agg(key, now_xid::text::numeric) as columns,
        bool_or(key = any(places)) as moved
      from jsonb_each(to_jsonb(n))
      where key <> all(ours) and before -> key is distinct from value
    ) c
    on conflict (table_name, row_id) do update
      set xid = excluded.xid, columns = s.columns || excluded.columns,
        moved = s.moved or excluded.moved;
  else
    insert into sync_rows (table_name, row_id, xid, moved)
    select tg_table_name, id, now_xid, true from old_rows
    on conflict (table_name, row_id) do update set xid = excluded.xid, moved = true;
  end if;
  return null;
end $$;

-- Pulls ------------------------------------------------------------------------------------------

/*
 * The next number of a pull, which the device receives as its `timestamp`: the later of the clock, in milliseconds at
 * the end of the second, and the last number, and then 1 to 1024 by chance, so that numbers grow whatever the clock
 * does. The end of the second, because the app takes rows that changed after the number for unsent. Runs as the owner
 * of the sequence.
 */
create function next_pull_number() returns bigint language plpgsql
security definer set search_path from current as $$
declare
  number bigint;
begin
  perform pg_advisory_xact_lock(hashtext('sanad.next_pull_number'));
  select greatest(last_value, ceil(extract(epoch from clock_timestamp()))::bigint * 1000)
    into number from sync_pull_times;
  loop
    number := number + 1 + floor(random() * 1024)::bigint;
    exit when not exists (select from sync_pulls where id = number);
  end loop;
  perform setval('sync_pull_times', number);
  return number;
end $$;

-- What the server knows of the device that pulled under this number (src/sync/pull/plan.ts): the present snapshot,
-- the last restore, and the device's last pull, null for an unknown number. In plpgsql, so that each connection keeps
-- the plan. A device that waits after a restore receives everything once an administrator gives it the server's state.
-- `isLost`: the number is later than the backup. The clock of the last lost server may have been ahead of this one.
-- `is_former`: the number is a time in milliseconds, from 2017 on, of a server that was imported, up to the last run.
create function known_of_pull(p_number bigint)
returns table (snapshot text, epoch json, cursor json, is_former boolean) language plpgsql stable as $$
begin
  return query select pg_current_snapshot()::text,
    (select json_build_object('snapshot', e.snapshot::text, 'isLost', exists (
       select from sync_epochs l where p_number >= l.first_number
         and p_number < l.next_number + case l.id when e.id then 315576000000 else 0 end))
     from sync_epochs e order by e.id desc limit 1),
    (select row_to_json(c) from (
     select p.chain_id, p.user_id, p.snapshot::text as snapshot, p.withheld,
       p.withheld is not null and (c.given_state_at is not null
         or exists (select from sync_pushes q where q.is_upload and q.user_id = p.user_id
           and coalesce(q.chain_id, c.id) = c.id
           and q.at > (select max(began_at) from sync_epochs))) as is_uploaded,
       p.gone_snapshot::text as gone_snapshot,
       p.removed_snapshot::text as removed_snapshot, p.scope, p.held,
       c.pushed_snapshot::text as pushed_snapshot, c.base_pull,
       coalesce((select b.ordinal >= p.ordinal from sync_pulls b
         where b.id = c.base_pull and b.chain_id = c.id), false) as is_followed,
       -- of another chain of the same phone, if the phone pushed there in between
       (select s.snapshot::text from sync_pulls s where s.id = c.base_before) as settled_snapshot,
       (select s.snapshot::text from sync_pulls s
        where s.id = c.base_pull and s.chain_id = c.id and not pg_visible_in_snapshot((
          select q.xid from sync_pushes q where q.chain_id = c.id order by q.id desc limit 1),
          p.snapshot)) as followed_snapshot,
       (select q.xid::text from sync_pushes q
        where q.chain_id = c.id order by q.id desc limit 1) as last_push
     from sync_pulls p join sync_chains c on c.id = p.chain_id where p.id = p_number) c),
    p_number >= 1500000000000 and p_number <= coalesce((
      select ceil(extract(epoch from max(ended_at)) * 1000)::bigint from import_runs
      where source = 'hikma'), 0);
end $$;

-- Row caches -------------------------------------------------------------------------------------

-- wire_<table> holds the live rows of a table as devices receive them. The function
-- write_down_<table>() keeps it; src/sync/pull/row-cache.server.ts writes that function from
-- src/sync/schema/tables.ts when the server starts, and fills the cache. It is the one function that
-- outlives a change of db/schema, so that the caches need not be filled again.

create function forget_written_down() returns trigger language plpgsql as $$
begin
  execute format(
    'delete from wire_%s w using old_rows o where w.row_id = o.id', tg_table_name);
  return null;
end $$;

/*
 * Connects a table to sync; src/sync/schema/tables.ts says which of its columns devices have. Its table
 * wire_<table> comes from a migration.
 */
create function keep_synced(p_table regclass) returns void language plpgsql as $$
begin
  execute format(
    'create trigger sync_insert after insert on %s referencing new table as new_rows
     for each statement execute function follow_for_sync()', p_table);
  execute format(
    'create trigger sync_update after update on %s
     referencing old table as old_rows new table as new_rows
     for each statement execute function follow_for_sync()', p_table);
  execute format(
    'create trigger sync_delete after delete on %s referencing old table as old_rows
     for each statement execute function follow_for_sync()', p_table);

  if to_regproc(format('write_down_%s', p_table)) is null then
    execute format(
      'create function write_down_%s() returns trigger language plpgsql as
       ''begin return null; end''', p_table);
  end if;
  execute format(
    'create trigger wire_insert after insert on %1$s referencing new table as new_rows
     for each statement execute function write_down_%1$s()', p_table);
  execute format(
    'create trigger wire_update after update on %1$s referencing new table as new_rows
     for each statement execute function write_down_%1$s()', p_table);
  execute format(
    'create trigger wire_delete after delete on %s referencing old table as old_rows
     for each statement execute function forget_written_down()', p_table);
end $$;

-- Registration forms -----------------------------------------------------------------------------

create function keep_shown_columns() returns trigger language plpgsql as $$
declare
  now_shown text[] := case when not new.is_deleted then array(
    select f ->> 'column' from jsonb_array_elements(new.fields) f
    where f -> 'visible' = 'true' and f -> 'deleted' is distinct from 'true' and f ? 'column'
    order by 1) end;
begin
  insert into registration_form_columns (form_id, shown)
  select new.id, now_shown
  where not exists (
    select from (
      select shown from registration_form_columns where form_id = new.id order by id desc limit 1) last
    where last.shown is not distinct from now_shown);
  return null;
end $$;

create trigger shown_columns after insert or update on registration_forms
  for each row execute function keep_shown_columns();

/*
 * Those of the columns that a registration form hides, in force or in a version that a device may have: the newest that
 * the snapshot sees, or a later one; without a snapshot, any.
 */
create function hidden_columns(p_columns text[], p_snapshot pg_snapshot)
returns text[] language sql stable as $$
  select array(select c from unnest(p_columns) c where exists (
    select from registration_form_columns f
    where f.shown is not null and c <> all(f.shown) and f.id >= coalesce((
      select max(o.id) from registration_form_columns o
      where o.form_id = f.form_id and pg_visible_in_snapshot(o.xid, p_snapshot)), 0)))
$$;

-- Quarantine -------------------------------------------------------------------------------------

-- Rows that were refused because a record that they name was unknown or deleted. `detail` is the id
-- of that record; `missing` the same as a uuid.
create view waiting_rows as
  select *, case when detail ~ '^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$' then detail::uuid end
    as missing
  from sync_quarantine
  where settled_at is null and operation = 'save' and reason in (
    'sync.reason_unknownPatient', 'sync.reason_unknownVisit', 'sync.reason_unknownReference',
    'sync.reason_deletedPatient', 'sync.reason_deletedVisit', 'sync.reason_deletedPrescription');

-- Audit of what users resolve --------------------------------------------------------------------

create trigger audit_insert after insert on sync_conflicts referencing new table as new_rows
  for each statement execute function audit_change();
create trigger audit_update after update on sync_conflicts
  referencing old table as old_rows new table as new_rows
  for each statement execute function audit_change();
create trigger audit_insert after insert on sync_quarantine referencing new table as new_rows
  for each statement execute function audit_change('row');
create trigger audit_update after update on sync_quarantine
  referencing old table as old_rows new table as new_rows
  for each statement execute function audit_change('row');

-- The audit trail that devices send.
create trigger append_only before update or delete or truncate on event_logs
  for each statement execute function refuse_change();

-- After a restore --------------------------------------------------------------------------------

/*
 * Starts a new epoch. A restored database counts its transactions from the beginning, and devices have
 * more than it does. An edit made elsewhere before counts as one that the device has not seen.
 */
create function begin_sync_epoch() returns void language plpgsql as $$
declare
  last_number bigint := (select last_value from sync_pull_times);
  clock bigint := ceil(extract(epoch from clock_timestamp()))::bigint * 1000;
  -- under load, the numbers of the lost server ran ahead of the clock
  next_number bigint := greatest(last_number, clock) + 60000;
begin
  update sync_rows set xid = pg_current_xact_id(),
    born = case when born is null then null else pg_current_xact_id() end,
    columns = (
      select coalesce(jsonb_object_agg(key, pg_current_xact_id()::text::numeric), '{}')
      from jsonb_object_keys(columns) key)
    where xid <> pg_current_xact_id();
  update patient_links set changed_xid = pg_current_xact_id()
    where changed_xid <> pg_current_xact_id();
  update sync_pushes set xid = null where xid is not null;
  update sync_quarantine set sent_xid = null, applied_xid = null
    where sent_xid is not null or applied_xid is not null;
  update sync_chains
    set pushed_snapshot = null, base_pull = null, base_before = null, delivered = '{}';
  update registration_form_columns set xid = pg_current_xact_id()
    where xid <> pg_current_xact_id();
  delete from import_transactions;
  delete from sync_again;
  delete from sync_echoes;
  delete from sync_pulls;
  perform setval('sync_pull_times', next_number);
  -- Numbers of a lost server of an earlier version: those after its last, of which the last twenty bits were random.
  -- They end where numbers near the clock begin.
  insert into sync_epochs (first_number, next_number, snapshot)
  select first, case when first < 1500000000000 then 1500000000000 else first + 17592186044416 end,
    format('%1$s:%1$s:', pg_current_xact_id()::text::numeric + 1)::pg_snapshot
  from (select (last_value + 1) * 1048576 as first from sync_pull_numbers where is_called) earlier;
  insert into sync_epochs (first_number, next_number, snapshot)
  values (last_number + 1, next_number,
    format('%1$s:%1$s:', pg_current_xact_id()::text::numeric + 1)::pg_snapshot);
end $$;
