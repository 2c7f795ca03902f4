-- A user with the role of a provider and no clinical permission in any clinic: an administrator allows emergency access
-- for a day.
create table emergency_grants (
  user_id    uuid primary key references users deferrable,
  granted_by uuid not null references users deferrable,
  until      timestamptz(3) not null,
  created_at timestamptz(3) not null default clock_timestamp()
);
create index emergency_grants_granted_by_idx on emergency_grants (granted_by);
create index emergency_accesses_recent_idx on emergency_accesses (created_at desc) where not is_deleted;
