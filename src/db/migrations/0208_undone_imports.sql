-- Patients that an undo of an import deleted: the same file imported again restores them instead of
-- leaving them out, because the id of a row is always the same. The row goes with the patient.
create table undone_patients (
  patient_id  uuid primary key references patients on delete cascade,
  deletion_id uuid not null
);
