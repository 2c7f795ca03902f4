-- Deletions of patients with so many records that a request would wait for them: a background job runs them.
create table large_deletions (
  id           uuid primary key,
  -- no foreign key, as in the audit trail
  requested_by uuid not null,
  requested_at timestamptz(3) not null default clock_timestamp(),
  -- [{"id": patient, "label": name, "deletionId": the deletion that the job will make}]
  patients     jsonb not null check (jsonb_typeof(patients) = 'array'),
  -- records that the request counted, and those that the transaction of the job has marked so far
  total        integer not null,
  done         integer not null default 0,
  status       text not null default 'waiting'
    check (status in ('waiting', 'running', 'finished', 'stopped', 'failed')),
  is_stopping  boolean not null default false,
  -- a key of the message files with its values
  failure      jsonb,
  finished_at  timestamptz(3)
);
create index large_deletions_due_idx on large_deletions (requested_at) where status in ('waiting', 'running');
