-- The side of a problem. Server-only: the writes of phones leave it as it is.
alter table patient_problems add column laterality text constraint patient_problems_laterality_check
  check (laterality in ('left', 'right', 'both'));
