-- The problem of the patient that a prescription is for. Phones do not know the column: a row that they write keeps it.
alter table prescriptions add column problem_id uuid
  constraint prescriptions_problem_id_fkey references patient_problems deferrable;
create index prescriptions_problem_idx on prescriptions (problem_id) where problem_id is not null;
