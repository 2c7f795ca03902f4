-- The id that the row of a conflict had on the phone, if it was redirected: to the remaining record of a merge, or to
-- an older answer to the same question. When the merge is undone, the conflict goes back with the row.
alter table sync_conflicts add column sent_as uuid;
create index sync_conflicts_sent_as_idx on sync_conflicts (sent_as) where settled_at is null;
