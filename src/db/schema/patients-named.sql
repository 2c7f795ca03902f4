/* The patients of the rows with these ids, deleted or not, and those who have one of the ids: for the access log. */
create function patients_named(ids uuid[]) returns setof uuid language sql stable as $$
  select id from patients where id = any(ids)
  union select patient_id from appointments where id = any(ids)
  union select patient_id from contact_consents where id = any(ids)
  union select patient_id from dispensing_records where id = any(ids)
  union select patient_id from emergency_accesses where id = any(ids)
  union select patient_id from event_files where id = any(ids)
  union select patient_id from events where id = any(ids)
  union select patient_id from follow_up_calls where id = any(ids)
  union select patient_id from follow_up_items where id = any(ids)
  union select patient_id from history_openings where id = any(ids)
  union select patient_id from messages where id = any(ids)
  union select patient_id from patient_additional_attributes where id = any(ids)
  union select patient_id from patient_allergies where id = any(ids)
  union select patient_id from patient_immunizations where id = any(ids)
  union select patient_id from patient_medicines where id = any(ids)
  union select patient_id from patient_pregnancies where id = any(ids)
  union select patient_id from patient_problems where id = any(ids)
  union select patient_id from patient_vitals where id = any(ids)
  union select patient_id from prescription_items where id = any(ids)
  union select patient_id from prescriptions where id = any(ids)
  union select patient_id from program_enrollments where id = any(ids)
  union select patient_id from referrals where id = any(ids)
  union select patient_id from safety_overrides where id = any(ids)
  union select patient_id from sync_conflicts where id = any(ids) and patient_id is not null
  union select patient_id from sync_quarantine where id = any(ids) and patient_id is not null
  union select patient_id from visits where id = any(ids)
$$;
