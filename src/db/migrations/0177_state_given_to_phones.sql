-- An administrator gave a phone that waits after a restore the state of the server: its next pull sends everything
-- (docs/phone-sync.md, "Guarantees", 12).
alter table sync_chains add column given_state_at timestamptz(3);
