-- Outcomes of tuberculosis, HIV and acute malnutrition, in the words of their sources
-- (src/features/care/programs/programs.json).
alter table program_enrollments drop constraint program_enrollments_reason_check;
alter table program_enrollments add constraint program_enrollments_reason_check
  check (end_reason in ('died', 'moved', 'birth', 'completed', 'cured', 'refused', 'mistaken', 'other', 'failed', 'lost',
    'not_evaluated', 'transferred', 'stopped', 'recovered', 'defaulted', 'not_recovered'));

-- Five programs are new. In an installation with patients, their schedules count from this day: nobody is overdue because
-- of an upgrade.
insert into follow_up_schedules (code, program, body)
select code, program, jsonb_build_object('switched_on', jsonb_build_object('version', to_char(now(), 'YYYY-MM-DD')))
from (values
  ('hiv-review', 'hiv'),
  ('asthma-copd-review', 'asthma-copd'),
  ('epilepsy-review', 'epilepsy'),
  ('mental-health-review', 'mental-health'),
  ('malnutrition-review', 'malnutrition')) as added (code, program)
where exists (select from patients)
on conflict (code) do nothing;

-- Their problems enrol: these patients are settled again.
insert into follow_up_stale (patient_id)
select distinct patient_id from patient_problems where not is_deleted and problem_code is not null;
