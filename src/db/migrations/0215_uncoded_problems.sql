-- A problem that was moved in with a label and a code of a system that Sanad does not know: kept as it was called.
alter table patient_problems
  drop constraint patient_problems_problem_code_system_check,
  add constraint patient_problems_problem_code_system_check
    check (problem_code_system in ('icd10cm', 'icd10', 'icd11', 'snomed', 'uncoded'));
