-- The list of appointments that are not over reads a week of earlier ones: their ends and clinics come from the index.
drop index appointments_timestamp_idx;
create index appointments_timestamp_idx on appointments (timestamp, id) include (duration, clinic_id)
  where not is_deleted;
drop index appointments_clinic_idx;
create index appointments_clinic_idx on appointments (clinic_id, timestamp, id) include (duration)
  where not is_deleted;
