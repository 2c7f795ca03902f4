-- Columns of a newer version of the phone app, by name: stored with the row and sent back as they came
-- (docs/phone-sync.md, "Guarantees", 1). Null if there are none.
alter table appointments add column unknown_columns jsonb;
alter table dispensing_records add column unknown_columns jsonb;
alter table events add column unknown_columns jsonb;
alter table patient_additional_attributes add column unknown_columns jsonb;
alter table patient_problems add column unknown_columns jsonb;
alter table patient_vitals add column unknown_columns jsonb;
alter table patients add column unknown_columns jsonb;
alter table prescription_items add column unknown_columns jsonb;
alter table prescriptions add column unknown_columns jsonb;
alter table visits add column unknown_columns jsonb;
