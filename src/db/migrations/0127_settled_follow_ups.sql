-- An enrolment names the record that it comes from, whichever table holds it.
alter table program_enrollments add column origin_id uuid;
update program_enrollments set origin_id = problem_id;
drop index program_enrollments_problem_idx;
alter table program_enrollments drop column problem_id;
comment on column program_enrollments.origin_id is
  'the problem, or the dose of a child, that enrolled the patient; null: a user did';

-- Marks are only added and taken: writers of the same patient never wait for each other.
alter table follow_up_stale drop constraint follow_up_stale_pkey;
alter table follow_up_stale add column id bigint generated always as identity primary key;
create index follow_up_stale_patient_idx on follow_up_stale (patient_id);

alter table follow_up_items
  -- the first open step of its enrolment: lists show it alone
  add column is_lead boolean not null default false,
  -- from this day on the step is lost or ended without a further record
  add column expires_on date,
  -- the last call ended with an agreed date
  add column has_agreed boolean not null default false;
drop index follow_up_items_open_idx;
-- Lists: by risk and agreed date, then the fewest days; the other columns narrow them.
create index follow_up_items_list_idx on follow_up_items
  (is_high_risk, has_agreed, overdue_from desc, id)
  include (clinic_id, program, hidden_until, expires_on) where status = 'open' and is_lead;
create index follow_up_items_clinic_idx on follow_up_items (clinic_id);

-- Patients with problems that were recorded before: the job enrolls them.
insert into follow_up_stale (patient_id)
select distinct patient_id from patient_problems where not is_deleted;
