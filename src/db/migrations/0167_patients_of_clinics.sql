-- The patients of each clinic, once each and in the order of the list, where patient_links has a row for each reason:
-- a count or a page of one clinic's patients reads as many rows as it counts or passes. Triggers of patient_search keep
-- it (search.sql), so it has patients who are not deleted and the clinics that patient_search has.
create table clinic_patients (
  patient_id uuid not null references patient_search on delete cascade deferrable,
  clinic_id  uuid not null,
  -- that of the patient
  created_at timestamptz(3) not null,
  primary key (patient_id, clinic_id)
);
insert into clinic_patients (patient_id, clinic_id, created_at)
select patient_id, clinic_id, created_at
from patient_search, unnest(clinics) clinic_id, patients where patients.id = patient_id
order by clinic_id, created_at desc, patient_id;
create index clinic_patients_registered_idx on clinic_patients (clinic_id, created_at desc, patient_id);

-- Filters by age and sex read the index alone.
create index patients_born_idx on patients (date_of_birth, id) include (sex) where not is_deleted;
drop index patients_date_of_birth_idx;
alter index patients_born_idx rename to patients_date_of_birth_idx;

-- The patients with a visit at a clinic in a range of days.
create index visits_recorded_idx on visits (recorded_clinic_id, check_in_timestamp, patient_id) where not is_deleted;
-- The number of all visits is that of the rows without these.
create index visits_deleted_idx on visits (id) where is_deleted;

-- The prescriptions that a clinic recorded, and those that it dispenses, in the order of the list.
create index prescriptions_recorded_idx on prescriptions (recorded_clinic_id, prescribed_at desc, id)
  include (patient_id) where not is_deleted;
create index prescriptions_pickup_idx on prescriptions (pickup_clinic_id, prescribed_at desc, id);
drop index prescriptions_any_clinic_idx;
alter index prescriptions_pickup_idx rename to prescriptions_any_clinic_idx;
