-- When the last turn of the check ended: one that ended long ago says that the check does not run.
alter table medicine_checks
  add column progressed_at timestamptz(3) not null default clock_timestamp();
