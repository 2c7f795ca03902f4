-- Reports that leave Sanad: codes of the receiving system, its address, and what was sent to it.

-- What DHIS2 calls a clinic, a report, and the rows, columns and cells of a report.
create table external_codes (
  id            uuid primary key default gen_random_uuid(),
  -- a clinic: its orgUnit
  clinic_id     uuid references clinics deferrable,
  -- a report: its data set; with a row, a column or both: what that place is called
  definition_id uuid references report_definitions deferrable,
  section       text,
  row_id        text,
  column_id     text,
  -- orgUnit, data set, data element (a row, a cell) or category option combination (a column)
  code          text not null constraint external_codes_code_check check (length(code) between 1 and 230),
  -- of a row or a cell: its category option combination
  option_code   text constraint external_codes_option_check check (length(option_code) between 1 and 230),
  -- whether the receiving system stores a zero (DHIS2: zeroIsSignificant)
  sends_zero    boolean not null default false,
  constraint external_codes_place_check check (
    (clinic_id is null) <> (definition_id is null)
    and (section is not null) = (row_id is not null or column_id is not null)
    and (definition_id is not null or section is null)
    and (row_id is not null or option_code is null and not sends_zero))
);
create unique index external_codes_unique on external_codes
  (coalesce(clinic_id, definition_id), coalesce(section, ''), coalesce(row_id, ''), coalesce(column_id, ''));
create index external_codes_clinic_idx on external_codes (clinic_id);
create index external_codes_definition_idx on external_codes (definition_id);

-- The one server that reports are sent to.
create table dhis2_server (
  is_the_one    boolean primary key default true constraint dhis2_server_one_check check (is_the_one),
  -- as `https://dhis2.example.org/path`, without `/api`
  address       text not null,
  -- null: the secret is a personal access token
  username      text,
  -- password or token, encrypted with the instance key; null after a restore from an unsealed backup
  sealed_secret bytea,
  last_modified timestamptz(3) not null default clock_timestamp()
);

-- Each sending of a closed run, with the answer.
create table report_sendings (
  id           uuid primary key,
  run_id       uuid not null references report_runs deferrable,
  -- the server checks the values and stores none
  is_dry_run   boolean not null,
  status       text not null default 'queued' constraint report_sendings_status_check
               check (status in ('queued', 'sent', 'rejected', 'failed', 'cancelled')),
  -- the JSON as it is sent
  payload      text not null,
  value_count  integer not null,
  attempts     integer not null default 0,
  -- the next attempt; during one, when another process may take the sending over
  due_at       timestamptz(3) not null default clock_timestamp(),
  http_status  integer,
  -- imported, updated, ignored, deleted
  counts       jsonb,
  -- objects with `object` and `value`, up to 100
  conflicts    jsonb not null default '[]',
  -- why the last attempt failed: a key of `sendings.error_*`
  error        text,
  requested_by uuid references users deferrable,
  requested_at timestamptz(3) not null default clock_timestamp(),
  finished_at  timestamptz(3),
  constraint report_sendings_finished_check check ((status = 'queued') = (finished_at is null))
);
create index report_sendings_run_idx on report_sendings (run_id, requested_at);
create index report_sendings_queued_idx on report_sendings (due_at) where status = 'queued';
-- one at a time: a second press of the button sends nothing more
create unique index report_sendings_one_queued on report_sendings (run_id, is_dry_run) where status = 'queued';
