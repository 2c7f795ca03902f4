-- A reason why a medicine was given although nobody had asked about allergies, and warnings that were overridden in an
-- emergency: these have no reason until an administrator or the provider closes them.
alter table safety_overrides
  drop constraint safety_overrides_kind_check,
  add constraint safety_overrides_kind_check
    check (kind in ('allergy', 'duplicate', 'interaction', 'unchecked', 'age', 'pregnancy', 'kidney', 'condition',
      'dose', 'monitoring', 'not_asked')),
  drop constraint safety_overrides_reason_code_check,
  add constraint safety_overrides_reason_code_check
    check (reason_code in ('tolerated', 'benefit', 'record_error', 'monitored', 'emergency', 'other')),
  drop constraint safety_overrides_arrived_check,
  add constraint safety_overrides_arrived_check
    check ((reason is null) = (stage = 'arrived' or reason_code = 'emergency'));
create index safety_overrides_not_asked_idx on safety_overrides (patient_id, overridden_at desc)
  where kind = 'not_asked';
create index safety_overrides_emergency_idx on safety_overrides (overridden_at desc, id)
  where reason_code = 'emergency' and reviewed_at is null;
