-- Rows in quarantine that can be applied once the record that they name is here (view waiting_rows in
-- src/db/schema/sync.sql). `retried_at`: refused again although that record was here.
alter table sync_quarantine add column retried_at timestamptz(3);
create index sync_quarantine_waiting_idx on sync_quarantine (detail)
  where settled_at is null and operation = 'save' and reason in (
    'sync.reason_unknownPatient', 'sync.reason_unknownVisit', 'sync.reason_unknownReference',
    'sync.reason_deletedPatient', 'sync.reason_deletedVisit', 'sync.reason_deletedPrescription');
