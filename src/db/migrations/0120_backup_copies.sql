-- The second folder for backups: a USB disk or a network mount, with the state of the copies in it. The settings are in
-- each backup, so that copying goes on after a restore.
create table backup_copies (
  -- written to a file in the folder: the disk that carries it is the chosen one
  id             uuid primary key default gen_random_uuid(),
  -- an absolute path; null: no copies are made
  folder         text constraint backup_copies_folder_check check (length(folder) between 1 and 500),
  -- after how many days without a good copy its state is an error
  old_after_days integer not null default 2
    constraint backup_copies_days_check check (old_after_days between 1 and 90),
  last_modified  timestamptz(3) not null default clock_timestamp(),
  chosen_at      timestamptz(3),
  -- the newest copy that was read back and equals its backup
  file_name      text,
  bytes          bigint,
  made_at        timestamptz(3),
  copied_at      timestamptz(3),
  -- the folder is on the disk of the records or of the first backups
  is_same_disk   boolean not null default false,
  -- requested by a user, and not yet tried
  asked_at       timestamptz(3),
  begun_at       timestamptz(3),
  -- why the last attempt failed: a key of the message files with its values
  failure        jsonb,
  failed_at      timestamptz(3),
  -- the log has said that the last good copy is too old
  reported_at    timestamptz(3),
  is_only        boolean not null default true constraint backup_copies_only_one unique check (is_only)
);
insert into backup_copies default values;
