-- Reads and refusals: one row for each operation that showed, or refused to show, records. Append-only,
-- partitioned by month (UTC), so that months beyond the time of keeping are dropped as a whole. The
-- partition of a month is made by src/db/schema/access.sql; a row of any other month is in the default
-- partition, so an insert never fails because of the clock.
create table access_log (
  -- UUID v7: entries of one time are neighbors in the indexes. uuidv7() exists from PostgreSQL 18
  id          uuid not null default encode(set_bit(set_bit(overlay(
    uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
    from 1 for 6), 52, 1), 53, 1), 'hex')::uuid,
  at          timestamptz(3) not null default clock_timestamp(),
  user_id     uuid,
  via         text not null check (via in ('web', 'trpc', 'phone', 'command', 'system')),
  operation   text not null,
  patient_ids uuid[] not null default '{}',
  clinic_id   uuid,
  outcome     text not null check (outcome in ('shown', 'refused', 'not_found')),
  -- of records shown, or of repeats
  count       integer not null default 1,
  request_id  text not null,
  -- the transaction that wrote the row, and the restore since which numbers of transactions are unique
  xid         xid8 not null default pg_current_xact_id(),
  epoch       integer not null default 0,
  primary key (at, id)
) partition by range (at);

create table access_log_default partition of access_log default;

create index access_log_sealing_idx on access_log (epoch, xid, id);
create index access_log_user_idx on access_log (user_id, at desc, id desc);
create index access_log_clinic_idx on access_log (clinic_id, at desc, id desc)
  where clinic_id is not null;
create index access_log_operation_idx on access_log (operation, at desc, id desc);
create index access_log_patients_idx on access_log using gin (patient_ids);
