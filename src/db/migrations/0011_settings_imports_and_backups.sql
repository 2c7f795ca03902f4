-- Settings of the organization, as devices have them: a value is text, and `data_type` says how to
-- read it.
create table app_config (
  id                uuid primary key default gen_random_uuid(),
  namespace         text not null
    constraint app_config_namespace_check check (namespace <> '' and length(namespace) <= 100),
  key               text not null
    constraint app_config_key_check check (key <> '' and length(key) <= 100),
  value             text not null default ''
    constraint app_config_length_check check (length(value) <= 10000),
  data_type         text not null constraint app_config_data_type_check
                    check (data_type in ('string', 'number', 'boolean', 'json', 'array')),
  display_name      text,
  last_modified_by  uuid references users deferrable,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint app_config_value_check check (case
    when data_type = 'boolean' then value in ('true', 'false')
    when data_type = 'number' then value = '' or value ~ '^-?\d+(\.\d+)?$'
    when (namespace, key) = ('system', 'operation_mode') then value in ('online', 'offline', 'user_choice')
    when (namespace, key) = ('system', 'public-origin') then value = '' or value ~ '^https?://[^/\s]+$'
    else true end)
);
create unique index app_config_namespace_key_key on app_config (namespace, key);
-- Every setting has its row from the start, with the same id on every server.
insert into app_config (id, namespace, key, value, data_type, display_name) values
  ('018f2f00-0000-7000-8000-000000000001', 'organization', 'organization-name', '', 'string',
   'Organization name'),
  ('018f2f00-0000-7000-8000-000000000002', 'auth', 'disable-mobile-permissions-checking', 'false',
   'boolean', 'Disable permissions checking on mobile devices'),
  ('018f2f00-0000-7000-8000-000000000003', 'system', 'operation_mode', 'user_choice', 'string',
   'Operation mode'),
  ('018f2f00-0000-7000-8000-000000000004', 'system', 'public-origin', '', 'string', 'Public address'),
  ('018f2f00-0000-7000-8000-000000000005', 'system', 'time-zone', '', 'string', 'Time zone');

-- Files that administrators import. The records made from them are audited like any other; the file
-- itself is not, and it is deleted after a month.
create table imports (
  id             uuid primary key,
  file_name      text not null
    constraint imports_file_name_check check (file_name <> '' and length(file_name) <= 300),
  file_size      bigint not null
    constraint imports_file_size_check check (file_size between 1 and 2147483648),
  clinic_id      uuid not null constraint imports_clinic_id_fkey references clinics,
  -- heading -> field; null until a user confirmed it
  mapping        jsonb,
  key_column     text,
  date_format    text,
  encoding       text,
  -- waiting: until a process takes it. running: in progress, or left by a process that died; the
  -- next one takes it.
  status         text not null default 'uploading'
    check (status in ('uploading', 'ready', 'waiting', 'running', 'finished', 'stopped', 'failed')),
  task           text check (task in ('check', 'import')),
  is_stopping    boolean not null default false,
  bytes_done     bigint not null default 0,
  tally          jsonb,
  -- a key of the message files with its values
  failure        jsonb,
  -- no foreign key, as in the audit trail
  requested_by   uuid,
  created_at     timestamptz(3) not null default clock_timestamp(),
  started_at     timestamptz(3),
  finished_at    timestamptz(3),
  -- chosen by the user; null: guessed from the first line of the file
  delimiter      text
    constraint imports_delimiter_check check (delimiter in ('comma', 'semicolon', 'tab'))
);
create index imports_recent_idx on imports (created_at desc, id);
create index imports_due_idx on imports (created_at) where status in ('waiting', 'running');

-- In the database, because any process may run the import. No part is larger than a request.
create table import_parts (
  import_id uuid not null references imports on delete cascade,
  part      integer not null check (part >= 0),
  bytes     bytea not null,
  primary key (import_id, part)
);

create table import_rejections (
  import_id uuid not null references imports on delete cascade,
  line      integer not null,
  reason    jsonb not null,
  cells     text[] not null,
  primary key (import_id, line)
);

-- Rows whose patient may already be registered, found by a dry run.
create table import_duplicates (
  import_id  uuid not null references imports on delete cascade,
  line       integer not null,
  name       text not null,
  patient_id uuid not null references patients on delete cascade,
  reasons    text[] not null,
  strength   text not null default 'possible'
    constraint import_duplicates_strength_check check (strength in ('likely', 'possible')),
  primary key (import_id, line)
);
create index import_duplicates_patient_idx on import_duplicates (patient_id);

-- Backups, made or in progress. They name files of this machine, so a backup leaves this table out.
create table backups (
  id            uuid primary key,
  -- command: `npm run backup`, which writes the file where the user asked
  kind          text not null check (kind in ('daily', 'asked', 'command')),
  -- waiting: until a process takes it. running: in progress, or left by a process that died; the
  -- next one starts again.
  status        text not null default 'waiting'
    check (status in ('waiting', 'running', 'finished', 'failed')),
  -- 0 to 100
  percent       integer not null default 0,
  file_name     text,
  bytes         bigint,
  is_encrypted  boolean,
  -- a key of the message files with its values
  failure       jsonb,
  -- no foreign key, as in the audit trail
  requested_by  uuid,
  created_at    timestamptz(3) not null default clock_timestamp(),
  started_at    timestamptz(3),
  finished_at   timestamptz(3),
  constraint backups_file_check
    check (status <> 'finished' or (file_name is not null and bytes > 0 and finished_at is not null))
);
create index backups_recent_idx on backups (created_at desc, id);
create index backups_last_idx on backups (finished_at desc) where status = 'finished';
-- One at a time: a request during a backup gets that backup.
create unique index backups_due_key on backups ((true)) where status in ('waiting', 'running');
