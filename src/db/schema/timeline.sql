-- The events of a patient's history by date: which row of which table. An appointment is only a plan;
-- the visit is what happened.
create view patient_timeline as
  select patient_id, recorded_clinic_id, check_in_timestamp as at, 'visits' as kind, id
  from visits where not is_deleted
  union all
  select patient_id, recorded_clinic_id, timestamp as at, 'patient_vitals' as kind, id
  from patient_vitals where not is_deleted
  union all
  select p.patient_id, p.recorded_clinic_id, coalesce(p.onset_date, v.check_in_timestamp, p.created_at) as at,
    'patient_problems' as kind, p.id
  from patient_problems p left join visits v on v.id = p.visit_id where not p.is_deleted
  union all
  -- what is typed from paper belongs to the day of its visit
  select e.patient_id, e.recorded_clinic_id,
    case when clinic_day(v.check_in_timestamp) <> clinic_day(e.created_at) then v.check_in_timestamp
      else e.created_at end as at,
    'events' as kind, e.id
  from events e left join visits v on v.id = e.visit_id where not e.is_deleted
  union all
  -- a day, shown as such: noon in UTC is that day at most clinics
  select patient_id, recorded_clinic_id, (given_on + time '12:00') at time zone 'UTC' as at,
    'patient_immunizations' as kind, id
  from patient_immunizations where not is_deleted
  union all
  select patient_id, recorded_clinic_id, prescribed_at as at, 'prescriptions' as kind, id
  from prescriptions where not is_deleted;
