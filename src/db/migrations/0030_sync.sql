-- What phones are told and have told us (docs/decisions, "Sync"). Nothing here trusts a clock: what a phone has seen is
-- a snapshot of PostgreSQL, and whether it has seen a change is whether that change's transaction is visible in it.

-- What changed when ------------------------------------------------------------------------------------------------------

-- One row for each row of a synced table that was written since the epoch began. Beside the tables and not in them, so
-- that screens, trail and exports never meet it, and one index tells what is new in all of them.
create table sync_rows (
  table_name text not null,
  row_id     uuid not null,
  -- the transaction that wrote it last
  xid        xid8 not null,
  -- the one that made it; null: before the epoch
  born       xid8,
  -- {column: transaction that changed it last}
  columns    jsonb not null default '{}',
  -- it has belonged to another patient, clinic or person: whoever may not see it now may have it
  moved      boolean not null default false,
  primary key (table_name, row_id)
);
create index sync_rows_xid_idx on sync_rows (xid);

create function follow_for_sync() returns trigger language plpgsql as $$
declare
  now_xid xid8 := pg_current_xact_id();
  ours text[] := array['last_modified', 'server_created_at'];
  places text[] := array['patient_id', 'clinic_id', 'clinic_ids', 'user_id'];
begin
  if tg_op = 'INSERT' then
    insert into sync_rows (table_name, row_id, xid, born) select tg_table_name, id, now_xid, now_xid from new_rows
    on conflict (table_name, row_id) do update set xid = excluded.xid, born = excluded.born, columns = '{}';
  elsif tg_op = 'UPDATE' then
    insert into sync_rows as s (table_name, row_id, xid, columns, moved)
    select tg_table_name, n.id, now_xid, coalesce(c.columns, '{}'), coalesce(c.moved, false)
    from new_rows n join old_rows o on o.id = n.id
    cross join lateral (select to_jsonb(o) as before) old
    cross join lateral (
      select jsonb_object_agg(key, now_xid::text::numeric) as columns, bool_or(key = any(places)) as moved
      from jsonb_each(to_jsonb(n)) where key <> all(ours) and before -> key is distinct from value
    ) c
    on conflict (table_name, row_id) do update
      set xid = excluded.xid, columns = s.columns || excluded.columns, moved = s.moved or excluded.moved;
  else
    insert into sync_rows (table_name, row_id, xid, moved) select tg_table_name, id, now_xid, true from old_rows
    on conflict (table_name, row_id) do update set xid = excluded.xid, moved = true;
  end if;
  return null;
end $$;

-- Ties a table to the phones; src/sync/tables.ts says which of its columns they know.
create function keep_synced(p_table regclass) returns void language plpgsql as $$
begin
  execute format('create trigger sync_insert after insert on %s referencing new table as new_rows for each statement execute function follow_for_sync()', p_table);
  execute format('create trigger sync_update after update on %s referencing old table as old_rows new table as new_rows for each statement execute function follow_for_sync()', p_table);
  execute format('create trigger sync_delete after delete on %s referencing old table as old_rows for each statement execute function follow_for_sync()', p_table);
end $$;

select keep_synced('patients');
select keep_synced('patient_additional_attributes');
select keep_synced('visits');
select keep_synced('events');
select keep_synced('patient_vitals');
select keep_synced('patient_problems');
select keep_synced('appointments');
select keep_synced('prescriptions');
select keep_synced('prescription_items');
select keep_synced('dispensing_records');
select keep_synced('clinics');
select keep_synced('clinic_departments');
select keep_synced('registration_forms');
select keep_synced('event_forms');
select keep_synced('drug_catalogue');
select keep_synced('clinic_inventory');
select keep_synced('user_clinic_permissions');
select keep_synced('app_config');

-- Patients enter and leave a person's scope with their links.
alter table patient_links add column changed_xid xid8 not null default '0';
create index patient_links_changed_idx on patient_links (changed_xid);
create function stamp_link() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end $$;
create trigger stamp before insert or update on patient_links for each row execute function stamp_link();

-- Phones ------------------------------------------------------------------------------------------------------------------

-- A phone, as far as we can tell one from another: it names no device, but always the last thing that we gave it.
create table sync_chains (
  id              uuid primary key default gen_random_uuid(),
  user_id         uuid not null references users on delete cascade,
  opened_at       timestamptz(3) not null default clock_timestamp(),
  schema_version  integer,
  user_agent      text not null default '',
  address         text not null default '',
  last_pull_at    timestamptz(3),
  last_push_at    timestamptz(3),
  rows_pulled     bigint not null default 0,
  rows_pushed     bigint not null default 0,
  -- what everybody had done when its last push came: from then on a deletion may reach it without destroying an edit
  pushed_snapshot pg_snapshot,
  -- the newest pull that a push has followed: what its person has seen for certain. `base_before` is what it was before
  -- that push, because a phone that never heard our answer sends the same again.
  base_pull       bigint,
  base_before     bigint,
  -- {table: {id: {column: digest}}} of its last push, to know the same values when they come again
  delivered       text not null default '{}'
);
create index sync_chains_user_idx on sync_chains (user_id, last_pull_at desc);
create index sync_chains_recent_idx on sync_chains (last_pull_at desc, id);

-- Each pull, by the number that the phone was given as its `timestamp`. Numbers never go back, whatever the clock does; the
-- last twenty bits are chance, so that nobody guesses another phone's. A phone's own numbers hold 53 bits.
create sequence sync_pull_numbers as bigint;
create table sync_pulls (
  id            bigint primary key default nextval('sync_pull_numbers') * 1048576 + floor(random() * 1048576)::bigint,
  chain_id      uuid not null references sync_chains on delete cascade,
  user_id       uuid not null,
  at            timestamptz(3) not null default clock_timestamp(),
  -- what it was told: everything that this snapshot sees
  snapshot      pg_snapshot not null,
  -- up to where it was told what to forget; null: it may still hold what its person may not have
  gone_snapshot pg_snapshot,
  -- {everything, known, history, clinics} of the person then, and what else the phone may still hold from before
  scope         jsonb not null,
  held          jsonb not null,
  schema_version integer
);
create index sync_pulls_chain_idx on sync_pulls (chain_id, id);

-- Each push that was taken in.
create table sync_pushes (
  id         bigint generated always as identity primary key,
  chain_id   uuid references sync_chains on delete cascade,
  user_id    uuid not null,
  pull_id    bigint,
  -- null once an epoch is over
  xid        xid8,
  at         timestamptz(3) not null default clock_timestamp(),
  rows       integer not null default 0,
  conflicts  integer not null default 0,
  refused    integer not null default 0
);
create index sync_pushes_chain_idx on sync_pushes (chain_id, id desc);
create index sync_pushes_at_idx on sync_pushes using brin (at);

-- Rows that a phone must be told again though nobody changed them: it lost a conflict, or was refused. One that is not
-- there (any more) is told as deleted.
create table sync_again (
  chain_id   uuid not null references sync_chains on delete cascade,
  table_name text not null,
  row_id     uuid not null,
  xid        xid8 not null default pg_current_xact_id(),
  primary key (chain_id, table_name, row_id)
);

-- Rows that a phone has exactly as that transaction left them, because it sent them so: they are not told back.
create table sync_echoes (
  chain_id   uuid not null references sync_chains on delete cascade,
  table_name text not null,
  row_id     uuid not null,
  xid        xid8 not null,
  primary key (chain_id, table_name, row_id)
);

-- What people settle --------------------------------------------------------------------------------------------------------

-- A value that arrived after somebody else had changed the same column. The server's stays until a person decides.
create table sync_conflicts (
  id            uuid primary key default gen_random_uuid(),
  chain_id      uuid references sync_chains on delete set null,
  user_id       uuid not null,
  received_at   timestamptz(3) not null default clock_timestamp(),
  table_name    text not null,
  row_id        uuid not null,
  column_name   text not null,
  patient_id    uuid,
  clinic_id     uuid,
  -- both as phones know them; of a deleted row the server has none
  phone_value   jsonb,
  server_value  jsonb,
  is_deleted    boolean not null default false,
  -- when it was changed on the phone, by the phone's clock
  edited_at     timestamptz(3),
  outcome       text check (outcome in ('phone', 'server', 'other')),
  settled_value jsonb,
  settled_by    uuid,
  settled_at    timestamptz(3)
);
create index sync_conflicts_open_idx on sync_conflicts (received_at desc, id) where settled_at is null;
create index sync_conflicts_row_idx on sync_conflicts (table_name, row_id);
create index sync_conflicts_user_idx on sync_conflicts (user_id, received_at desc);
create unique index sync_conflicts_value_key on sync_conflicts (table_name, row_id, column_name, user_id, md5(coalesce(phone_value::text, '')), md5(coalesce(server_value::text, ''))) where settled_at is null;

-- A row that could not be applied, whole, with the reason.
create table sync_quarantine (
  id          uuid primary key default gen_random_uuid(),
  chain_id    uuid references sync_chains on delete set null,
  user_id     uuid not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  table_name  text not null,
  row_id      uuid,
  operation   text not null check (operation in ('save', 'delete')),
  -- JSON as it came: text, because it may hold what jsonb refuses
  row         text not null,
  reason      text not null,
  -- the column, the constraint or the missing record
  detail      text,
  patient_id  uuid,
  clinic_id   uuid,
  outcome     text check (outcome in ('applied', 'rejected', 'superseded')),
  settled_by  uuid,
  settled_at  timestamptz(3)
);
create unique index sync_quarantine_row_key on sync_quarantine (user_id, table_name, operation, md5(row));
create index sync_quarantine_open_idx on sync_quarantine (received_at desc, id) where settled_at is null;
create index sync_quarantine_row_idx on sync_quarantine (table_name, row_id);
create index sync_quarantine_user_idx on sync_quarantine (user_id, received_at desc);

create trigger audit_insert after insert on sync_quarantine referencing new table as new_rows for each statement execute function audit_change('row');
create trigger audit_update after update on sync_quarantine referencing old table as old_rows new table as new_rows for each statement execute function audit_change('row');
create trigger audit_insert after insert on sync_conflicts referencing new table as new_rows for each statement execute function audit_change();
create trigger audit_update after update on sync_conflicts referencing old table as old_rows new table as new_rows for each statement execute function audit_change();
create trigger tell after insert or update or delete on sync_quarantine for each statement execute function tell_change();
create trigger tell after insert or update or delete on sync_conflicts for each statement execute function tell_change();
create trigger tell after insert or update or delete on sync_chains for each statement execute function tell_change();

-- The phones' own audit trail, as they sent it.
create table event_logs (
  id             uuid primary key,
  chain_id       uuid references sync_chains on delete set null,
  received_from  uuid not null,
  received_at    timestamptz(3) not null default clock_timestamp(),
  row            text not null
);
create index event_logs_received_idx on event_logs (received_from, received_at desc);

-- A restored database counts its transactions anew, and phones know more than it does. Whoever restores calls this once:
-- every phone then gets everything in its scope, and an edit made elsewhere before counts as one that it has not seen.
create function begin_sync_epoch() returns void language plpgsql as $$
begin
  update sync_rows set xid = pg_current_xact_id(), born = case when born is null then null else pg_current_xact_id() end,
    columns = (select coalesce(jsonb_object_agg(key, pg_current_xact_id()::text::numeric), '{}') from jsonb_object_keys(columns) key);
  update patient_links set changed_xid = pg_current_xact_id();
  update sync_pushes set xid = null where xid is not null;
  update sync_chains set pushed_snapshot = null, base_pull = null, base_before = null, delivered = '{}';
  delete from sync_again;
  delete from sync_echoes;
  delete from sync_pulls;
  -- further than any number that the lost server can have given
  perform setval('sync_pull_numbers', (select last_value from sync_pull_numbers) + 16777216);
end $$;
