-- Finds the few visits that were moved to another clinic than the one that recorded them.
create index visits_moved_idx on visits (recorded_clinic_id)
  where recorded_clinic_id <> clinic_id;
