-- Each restore of a backup: phones hold numbers of pulls, and rows, that the restored database does not
-- know (docs/phone-sync.md, "Guarantees", 12).
create table sync_epochs (
  id           bigint generated always as identity primary key,
  began_at     timestamptz(3) not null default clock_timestamp(),
  -- the numbers that the lost server can have given after the backup: from this one to below the next
  first_number bigint not null,
  next_number  bigint not null,
  -- sees everything that was restored, and nothing that was written since
  snapshot     pg_snapshot not null
);

-- The device was not sent what it may hold in a later version: until a push has followed (`push`), or
-- a forced upload (`upload`).
alter table sync_pulls add column withheld text check (withheld in ('push', 'upload'));
alter table sync_pushes add column is_upload boolean not null default false;
