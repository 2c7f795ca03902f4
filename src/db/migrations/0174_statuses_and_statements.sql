-- Problems of other systems are inactive, or say their status in a word that Sanad does not know.
alter table patient_problems drop constraint patient_problems_clinical_status_check;
alter table patient_problems add constraint patient_problems_clinical_status_check
  check (clinical_status in ('active', 'unknown', 'remission', 'inactive', 'resolved'));

-- Exports and searches by the last change read medicines from elsewhere as MedicationStatement.
create index patient_medicines_modified_idx on patient_medicines (last_modified, id);
