-- What every record table relies on: extensions, the audit trail, and deletes that can be undone.

create extension if not exists pg_trgm;
create extension if not exists unaccent;
create extension if not exists btree_gist;
create extension if not exists pgcrypto;
-- Sorts names by the rules of their language, the same on every server whatever its locale.
create collation if not exists names (provider = icu, locale = 'und-u-kn', deterministic = true);

-- The user who makes the request; null for the system and for commands of the server's owner. It is
-- here and not in src/db/schema because the default of a column calls it (0008).
create function acting_user() returns uuid language sql stable as $$
  select nullif(current_setting('sanad.user_id', true), '')::uuid
$$;

-- Audit trail ------------------------------------------------------------------------------------

-- One row for each record that a write changed. Append-only. `changes` is {column: [before,
-- after]}.
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
-- Without it, filtering by a rare action scans the whole trail.
create index audit_log_action_idx on audit_log (action, id desc);

-- Deletes that can be undone ---------------------------------------------------------------------

-- What a delete includes. `delete`: the child rows are deleted too. `unlink`: they stay without the
-- link.
create table cascade_rules (
  parent       text not null,
  child        text not null,
  child_column text not null,
  effect       text not null check (effect in ('delete', 'unlink')),
  primary key (parent, child, child_column)
);

-- The trash: one row for each delete request.
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
create unique index deletions_record_key
  on deletions (table_name, record_id) where restored_at is null;

-- Exactly what a delete included, so that an undo restores exactly that.
create table deletion_items (
  id           bigint generated always as identity primary key,
  deletion_id  uuid not null references deletions on delete cascade,
  table_name   text not null,
  record_id    uuid not null,
  unlinked_column text,
  unlinked_from   uuid
);
create index deletion_items_deletion_idx on deletion_items (deletion_id, id);
