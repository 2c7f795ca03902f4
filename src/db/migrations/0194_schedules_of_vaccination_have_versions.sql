-- The schedule of children's doses has versions. An installation with patients keeps the one it followed, until an
-- administrator chooses the newer: nobody is overdue because of an upgrade. A new installation follows the newer one.
insert into follow_up_schedules (code, program, body)
select 'epi', 'child-immunization', '{"version": "2026-11"}'
where exists (select from patients)
on conflict (code) do update
  set body = follow_up_schedules.body || '{"version": "2026-11"}', updated_at = now();
