-- Reasons are kept for the warnings of every table of clinical rules, not of the first four alone.
alter table safety_overrides drop constraint safety_overrides_kind_check;
alter table safety_overrides add constraint safety_overrides_kind_check
  check (kind in ('allergy', 'duplicate', 'interaction', 'unchecked', 'age', 'pregnancy', 'kidney', 'condition', 'dose', 'monitoring'));
