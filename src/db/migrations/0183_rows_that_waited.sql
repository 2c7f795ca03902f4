-- The push that brought a row of the quarantine, and the transaction in which the job applied it for its device: what
-- the device has sent since is newer than the row. Unknown for rows of before, and after a restore.
alter table sync_quarantine add column sent_xid xid8, add column applied_xid xid8;
alter table sync_quarantine alter column sent_xid set default pg_current_xact_id();
create index sync_quarantine_applied_idx on sync_quarantine (chain_id, applied_xid)
  where applied_xid is not null;
