-- A conflict ends, too, when its phone has stored a newer value of the same field.
alter table sync_conflicts drop constraint sync_conflicts_outcome_check;
alter table sync_conflicts add constraint sync_conflicts_outcome_check
  check (outcome in ('phone', 'server', 'other', 'superseded'));
create index sync_conflicts_chain_idx on sync_conflicts (chain_id, row_id) where settled_at is null;
