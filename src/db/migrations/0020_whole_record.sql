-- What speaks of all clinical tables at once, now that they are there.

-- A clinic with records, even deleted ones, is archived and never deleted.
create or replace function clinic_has_records(p_clinic uuid) returns boolean language sql stable as $$
  select exists (select from patients where primary_clinic_id = p_clinic)
      or exists (select from visits where clinic_id = p_clinic)
      or exists (select from appointments where clinic_id = p_clinic)
      or exists (select from prescriptions where pickup_clinic_id = p_clinic)
      or exists (select from prescription_items where clinic_id = p_clinic)
      or exists (select from dispensing_records where clinic_id = p_clinic)
      or exists (select from inventory_transactions where clinic_id = p_clinic)
$$;

-- What happened to a patient. An appointment is a plan: what became of it is the visit.
create or replace view patient_timeline as
  select patient_id, check_in_timestamp as at, 'visits' as kind, id from visits where not is_deleted
  union all
  select patient_id, timestamp as at, 'patient_vitals' as kind, id from patient_vitals where not is_deleted
  union all
  select patient_id, coalesce(onset_date, created_at) as at, 'patient_problems' as kind, id from patient_problems where not is_deleted
  union all
  select patient_id, created_at as at, 'events' as kind, id from events where not is_deleted
  union all
  select patient_id, prescribed_at as at, 'prescriptions' as kind, id from prescriptions where not is_deleted;
