-- The clinics of one patient. Without it a server that has no statistics yet (a first import) walks the whole index of a
-- clinic's patients for each of them: 100,000 people took seven minutes instead of half of one.
create index patient_links_open_idx on patient_links (patient_id, clinic_id) where until is null;

-- "Visited from … to …", whatever the clinic.
create index visits_at_idx on visits (check_in_timestamp, patient_id) where not is_deleted;
