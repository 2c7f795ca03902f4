-- Backups that were made, or are being made. They speak of files of this machine, so a backup leaves this table out.
create table backups (
  id            uuid primary key,
  -- command: `npm run backup`, whose file lies wherever it was asked for
  kind          text not null check (kind in ('daily', 'asked', 'command')),
  -- waiting: until a process takes it. running: in hand, or left behind by one that died; then the next begins anew.
  status        text not null default 'waiting' check (status in ('waiting', 'running', 'finished', 'failed')),
  -- 0 to 100
  percent       integer not null default 0,
  file_name     text,
  bytes         bigint,
  is_encrypted  boolean,
  -- a sentence of the message files
  failure       jsonb,
  -- no foreign key, as in the audit trail
  requested_by  uuid,
  created_at    timestamptz(3) not null default clock_timestamp(),
  started_at    timestamptz(3),
  finished_at   timestamptz(3),
  constraint backups_file_check check (status <> 'finished' or (file_name is not null and bytes > 0 and finished_at is not null))
);
create index backups_recent_idx on backups (created_at desc, id);
create index backups_last_idx on backups (finished_at desc) where status = 'finished';
-- one at a time: whoever asks while one is under way gets that one
create unique index backups_due_key on backups ((true)) where status in ('waiting', 'running');
create trigger tell after insert or update or delete on backups for each statement execute function tell_change();
