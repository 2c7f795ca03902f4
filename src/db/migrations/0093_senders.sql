-- The user whose phone sent a record that names another user as its author: phones are shared, and paper
-- is typed in later. Null: recorded on a screen, or sent before this. It has no foreign key, because the
-- sender is the user of the transaction, and a push writes thousands of rows.
alter table events add column sent_by_user_id uuid;
alter table patient_vitals add column sent_by_user_id uuid;
alter table patient_problems add column sent_by_user_id uuid;
alter table prescriptions add column sent_by_user_id uuid;
alter table prescription_items add column sent_by_user_id uuid;
alter table dispensing_records add column sent_by_user_id uuid;

-- The patients whose photo is this file: one that another row names is not deleted.
create index patients_photo_idx on patients (right(photo_url, 36)) where photo_url is not null;
