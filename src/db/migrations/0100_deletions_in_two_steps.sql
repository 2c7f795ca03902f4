-- The snapshot up to which the device was told to remove deleted rows (docs/phone-sync.md,
-- "Guarantees", 8); `gone_snapshot` is about rows that left its scope.
alter table sync_pulls add column removed_snapshot pg_snapshot;
update sync_pulls set removed_snapshot = gone_snapshot;
