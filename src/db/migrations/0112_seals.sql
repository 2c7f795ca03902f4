-- Seals of both trails (docs/decisions/0025). Every entry knows the transaction that wrote it and the
-- epoch, within which numbers of transactions are unique. Entries from before this migration have the
-- transaction of the migration: a constant default rewrites no row.
alter table audit_log
  add column xid xid8 not null default pg_current_xact_id(),
  add column epoch integer not null default 0;
create index audit_log_sealing_idx on audit_log (epoch, xid, id);

-- An epoch ends when the database is restored, or moved to a server whose transactions have lower
-- numbers. The present one is also the default of `epoch` in both trails.
create table audit_epochs (
  epoch    integer primary key,
  began_at timestamptz(3) not null default clock_timestamp()
);
insert into audit_epochs (epoch) values (0);

-- One chain over both trails. A block seals the entries of one table after those of the table's block
-- before, up to and including (epoch, xid, id); all are of one month (UTC).
create table audit_blocks (
  no         bigint primary key check (no > 0),
  table_name text not null check (table_name in ('audit_log', 'access_log')),
  epoch      integer not null,
  xid        xid8 not null,
  id         text not null,
  month      date not null,
  first_at   timestamptz(3) not null,
  last_at    timestamptz(3) not null,
  count      integer not null check (count > 0),
  sealed_at  timestamptz(3) not null,
  -- of the block before; 32 zero bytes in the first
  previous   bytea not null check (octet_length(previous) = 32),
  hash       bytea not null check (octet_length(hash) = 32)
);
create index audit_blocks_table_idx on audit_blocks (table_name, no desc);

-- Months that reads and refusals are kept.
insert into app_config (id, namespace, key, value, data_type, display_name) values
  ('0190b3c4-7a00-7000-8000-00000000ca50', 'audit', 'access-log-months', '24', 'string',
    'Months of the access log');
alter table app_config add constraint app_config_access_log_months_check check (
  (namespace, key) <> ('audit', 'access-log-months') or value in ('12', '24', '36', '60', '120'));
