-- The form whose answers a row of vital signs holds: written, changed and deleted with that form.
-- Server-only: phones read the row and its event_id as before, and a row that a phone links to an
-- event of its own is not touched.
alter table patient_vitals add column form_event_id uuid references events deferrable;
create unique index patient_vitals_form_event_id_key
  on patient_vitals (form_event_id) where form_event_id is not null;
insert into cascade_rules values ('events', 'patient_vitals', 'form_event_id', 'delete');
