-- Files that administrators bring in through the browser. What they become is audited like every other record; a file is
-- none: it is read, and a month later it is gone.
create table imports (
  id             uuid primary key,
  file_name      text not null constraint imports_file_name_check check (file_name <> '' and length(file_name) <= 300),
  file_size      bigint not null constraint imports_file_size_check check (file_size between 1 and 2147483648),
  clinic_id      uuid not null constraint imports_clinic_id_fkey references clinics,
  -- heading -> field; null until somebody looked it over
  mapping        jsonb,
  key_column     text,
  date_format    text,
  encoding       text,
  -- waiting: until a process takes it. running: in hand, or left behind by one that died; then the next takes it.
  status         text not null default 'uploading'
                 check (status in ('uploading', 'ready', 'waiting', 'running', 'finished', 'stopped', 'failed')),
  task           text check (task in ('check', 'import')),
  is_stopping    boolean not null default false,
  bytes_done     bigint not null default 0,
  tally          jsonb,
  -- a sentence of the message files
  failure        jsonb,
  -- no foreign key, as in the audit trail
  requested_by   uuid,
  created_at     timestamptz(3) not null default clock_timestamp(),
  started_at     timestamptz(3),
  finished_at    timestamptz(3)
);
create index imports_recent_idx on imports (created_at desc, id);
create index imports_due_idx on imports (created_at) where status in ('waiting', 'running');
create trigger tell after insert or update or delete on imports for each statement execute function tell_change();

-- In the database, because whichever process runs the import must be able to read it. No part is larger than a request.
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

-- Rows whose person may be registered already, as a dry run found them.
create table import_duplicates (
  import_id  uuid not null references imports on delete cascade,
  line       integer not null,
  name       text not null,
  patient_id uuid not null references patients on delete cascade,
  reasons    text[] not null,
  primary key (import_id, line)
);
create index import_duplicates_patient_idx on import_duplicates (patient_id);
