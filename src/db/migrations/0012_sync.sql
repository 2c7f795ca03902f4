-- Sync with devices (docs/decisions/0007). Nothing here relies on a clock: what a device has is a
-- snapshot of PostgreSQL, and it has a change if the transaction of that change is visible in the
-- snapshot.

-- Changes ----------------------------------------------------------------------------------------

-- One row for each row of a synced table that was written since the epoch began. Separate from
-- those tables, so that screens, audit and exports never read it, and one index finds the changes
-- of all of them.
create table sync_rows (
  table_name text not null,
  row_id     uuid not null,
  -- the last transaction that wrote the row
  xid        xid8 not null,
  -- the transaction that inserted it; null: before the epoch
  born       xid8,
  -- {column: the last transaction that changed it}
  columns    jsonb not null default '{}',
  -- it belonged to another patient, clinic or user before: a device that may not see it now may
  -- have it
  moved      boolean not null default false,
  primary key (table_name, row_id)
);
create index sync_rows_xid_idx on sync_rows (xid);

-- Devices ----------------------------------------------------------------------------------------

-- One device, as far as the server can tell: a device does not identify itself, but always sends
-- the number of its last pull.
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
  -- the snapshot of its last push: deletions after it may reach the device without destroying an
  -- edit
  pushed_snapshot pg_snapshot,
  -- The newest pull that a push followed: what the device is sure to have. `base_before` is the
  -- value before that push, because a device that did not receive the answer sends the same push
  -- again.
  base_pull       bigint,
  base_before     bigint,
  -- {table: {id: {column: value}}} of its last push, to recognize the same values when they arrive
  -- again
  delivered       text not null default '{}'
);
create index sync_chains_user_idx on sync_chains (user_id, last_pull_at desc);
create index sync_chains_recent_idx on sync_chains (last_pull_at desc, id);
-- Compressing `delivered` takes longer than writing it.
alter table sync_chains alter column delivered set storage external;

-- The number of a pull is what the device receives as its `timestamp`. Numbers never go back,
-- whatever the clock does. The last twenty bits are random, so that no device guesses the number of
-- another. The devices' numbers hold 53 bits. The function is here and not in src/db/schema because
-- the default of a column calls it.
create sequence sync_pull_numbers as bigint;
create function sync_pull_number() returns bigint language sql volatile as $$
  select nextval('sync_pull_numbers') * 1048576 + floor(random() * 1048576)::bigint
$$;

create table sync_pulls (
  id            bigint primary key default sync_pull_number(),
  chain_id      uuid not null references sync_chains on delete cascade,
  user_id       uuid not null,
  at            timestamptz(3) not null default clock_timestamp(),
  -- the device received everything that this snapshot sees
  snapshot      pg_snapshot not null,
  -- the snapshot up to which it received tombstones; null: it may still have rows outside of its
  -- scope
  gone_snapshot pg_snapshot,
  -- {everything, known, history, clinics} of the user at that time, and what else the device may
  -- still have
  scope         jsonb not null,
  held          jsonb not null,
  schema_version integer
);
create index sync_pulls_chain_idx on sync_pulls (chain_id, id);

-- Each push that was applied.
create table sync_pushes (
  id         bigint generated always as identity primary key,
  chain_id   uuid references sync_chains on delete cascade,
  user_id    uuid not null,
  pull_id    bigint,
  -- null once its epoch has ended
  xid        xid8,
  at         timestamptz(3) not null default clock_timestamp(),
  rows       integer not null default 0,
  conflicts  integer not null default 0,
  refused    integer not null default 0
);
create index sync_pushes_chain_idx on sync_pushes (chain_id, id desc);
create index sync_pushes_at_idx on sync_pushes using brin (at);

-- The resend list: rows that a device must receive again although they did not change, because its
-- write lost a conflict or was refused. A row that does not exist is sent as deleted.
create table sync_again (
  chain_id   uuid not null references sync_chains on delete cascade,
  table_name text not null,
  row_id     uuid not null,
  xid        xid8 not null default pg_current_xact_id(),
  primary key (chain_id, table_name, row_id)
);

-- Rows that a device has exactly as its own push left them: they are not sent back. One row for
-- each table of a push.
create table sync_echoes (
  chain_id   uuid not null references sync_chains on delete cascade,
  table_name text not null,
  -- the transaction of the push
  xid        xid8 not null,
  row_ids    uuid[] not null,
  primary key (chain_id, table_name, xid)
);

-- Conflicts and quarantine -----------------------------------------------------------------------

-- A value that arrived after another user had changed the same column. The server's value stays
-- until a user resolves it.
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
  -- both in the form of the devices; the server has no value of a deleted row
  phone_value   jsonb,
  server_value  jsonb,
  is_deleted    boolean not null default false,
  -- when it was changed, by the clock of the device
  edited_at     timestamptz(3),
  outcome       text check (outcome in ('phone', 'server', 'other')),
  settled_value jsonb,
  settled_by    uuid,
  settled_at    timestamptz(3)
);
create index sync_conflicts_open_idx
  on sync_conflicts (received_at desc, id) where settled_at is null;
create index sync_conflicts_row_idx on sync_conflicts (table_name, row_id);
create index sync_conflicts_user_idx on sync_conflicts (user_id, received_at desc);
create unique index sync_conflicts_value_key on sync_conflicts (
  table_name, row_id, column_name, user_id,
  md5(coalesce(phone_value::text, '')), md5(coalesce(server_value::text, ''))
) where settled_at is null;

-- A whole row that could not be applied, with the reason.
create table sync_quarantine (
  id          uuid primary key default gen_random_uuid(),
  chain_id    uuid references sync_chains on delete set null,
  user_id     uuid not null,
  received_at timestamptz(3) not null default clock_timestamp(),
  table_name  text not null,
  row_id      uuid,
  operation   text not null check (operation in ('save', 'delete')),
  -- JSON as received; text, because jsonb refuses some of it
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
create unique index sync_quarantine_row_key
  on sync_quarantine (user_id, table_name, operation, md5(row));
create index sync_quarantine_open_idx
  on sync_quarantine (received_at desc, id) where settled_at is null;
create index sync_quarantine_row_idx on sync_quarantine (table_name, row_id);
create index sync_quarantine_user_idx on sync_quarantine (user_id, received_at desc);

-- The audit trail of the devices, as they sent it. Append-only.
create table event_logs (
  id             uuid primary key,
  chain_id       uuid references sync_chains on delete set null,
  received_from  uuid not null,
  received_at    timestamptz(3) not null default clock_timestamp(),
  row            text not null
);
create index event_logs_received_idx on event_logs (received_from, received_at desc);

-- The row caches ---------------------------------------------------------------------------------

-- wire_<table> holds the live rows of a synced table in the form that devices receive, so that a
-- full pull only reads: composing the rows for each device took four fifths of the time of a pull.
-- Triggers keep it (src/db/schema/sync.sql).
do $$
declare
  synced text;
begin
  foreach synced in array array[
    'app_config', 'appointments', 'clinic_departments', 'clinic_inventory', 'clinics',
    'dispensing_records', 'drug_catalogue', 'event_forms', 'events',
    'patient_additional_attributes', 'patient_problems', 'patient_vitals', 'patients',
    'prescription_items', 'prescriptions', 'registration_forms', 'user_clinic_permissions', 'visits'
  ] loop
    -- a row of some kilobytes stays in its page, where a pull reads it in passing
    execute format(
      'create table wire_%s (row_id uuid primary key, patient_id uuid, text text not null)
       with (toast_tuple_target = 8160)', synced);
    execute format(
      'create index wire_%1$s_patient_idx on wire_%1$s (patient_id) where patient_id is not null', synced);
    -- rows of forms with pictures are sent one by one: several would outgrow a text
    execute format(
      'create index wire_%1$s_long_idx on wire_%1$s (row_id) where octet_length(text) >= 16384', synced);
  end loop;
end $$;
