-- The side of a problem. Phones do not know it: it is not among the synced columns, so that their writes leave it as it is.
alter table patient_problems add column laterality text constraint patient_problems_laterality_check
  check (laterality in ('left', 'right', 'both'));
select keep_audit('patient_problems');
