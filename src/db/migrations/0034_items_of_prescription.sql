-- Deleted items, too: what was handed out of one, and what is held for it, is sought by its prescription. Without it each
-- prescription that something was handed out for walked through all items there are.
drop index prescription_items_prescription_idx;
create index prescription_items_prescription_idx on prescription_items (prescription_id, position);
