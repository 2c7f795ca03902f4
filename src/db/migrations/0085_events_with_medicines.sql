-- The safety check reads the forms of a patient that hold medicines, at every check. Most forms hold none: without this
-- index PostgreSQL reads all answers of the patient to find that out.
create index events_medicines_idx on events (patient_id, created_at desc, id desc)
  where not is_deleted and form_data @> '[{"fieldType": "medicine"}]';
