-- Indexes of search parameters of FHIR (docs/exchange.md, "FHIR").
-- Condition: onset-date
create index patient_problems_onset_idx on patient_problems (onset_date);
-- MedicationDispense: performer
create index dispensing_records_by_idx on dispensing_records (dispensed_by);
-- Practitioner: _lastUpdated
create index users_modified_idx on users (last_modified, id);
-- Encounter: date; a visit that is open has no end
create index visits_end_idx on visits ((coalesce(closed_at, 'infinity'::timestamptz)));
