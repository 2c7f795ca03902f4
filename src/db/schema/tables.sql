-- Which table has what. This file is applied last, because it calls functions of the other files.

-- Records: timestamps, audit and change notifications (records.sql).
select keep_record('api_clients');
select keep_record('app_config');
select keep_record('appointments');
select keep_record('clinic_departments');
select keep_record('clinics');
select keep_record('dispensing_records');
select keep_record('drug_batches');
select keep_record('drug_catalogue');
select keep_record('emergency_accesses');
select keep_record('event_files');
select keep_record('event_forms');
select keep_record('events');
select keep_record('follow_up_schedules');
select keep_record('history_openings');
select keep_record('medicine_decisions');
select keep_record('message_texts');
select keep_record('patient_additional_attributes');
select keep_record('patient_allergies');
select keep_record('patient_documents');
select keep_record('patient_immunizations');
select keep_record('patient_medicines');
select keep_record('patient_pregnancies');
select keep_record('patient_problems');
select keep_record('patient_vitals');
select keep_record('patients');
select keep_record('prescription_items');
select keep_record('prescription_sets');
select keep_record('prescriptions');
select keep_record('program_enrollments');
select keep_record('referrals');
select keep_record('registration_forms');
select keep_record('related_persons');
select keep_record('report_bindings');
select keep_record('report_definitions');
select keep_record('report_manual_values');
select keep_record('moved_in_reviews');
select keep_record('safety_overrides');
select keep_record('safety_rules_off');
select keep_record('stock_shortfalls');
select keep_record('user_clinic_permissions');
select keep_record('users');
select keep_record('visits');

-- The stock has no audit triggers: the ledger says more.
create trigger stamp before insert or update on clinic_inventory
  for each row execute function stamp();

-- Change notifications alone.
select keep_news('appointment_departments');
select keep_news('backup_copies');
select keep_news('backups');
select keep_news('clinic_inventory');
select keep_news('contact_consents');
select keep_news('deletions');
select keep_news('dhis2_server');
select keep_news('external_codes');
select keep_news('follow_up_calls');
select keep_news('follow_up_items');
select keep_news('hub');
select keep_news('hub_phones');
select keep_news('imports');
select keep_news('medicine_checks');
select keep_news('message_gateway');
select keep_news('messages');
select keep_news('report_runs');
select keep_news('report_sendings');
select keep_news('sync_chains');
select keep_news('sync_conflicts');
select keep_news('sync_quarantine');

-- The user who created the row.
create trigger recorder before insert on drug_batches
  for each row execute function keep_recorder();
create trigger recorder before insert on drug_catalogue
  for each row execute function keep_recorder();
create trigger recorder before insert on medicine_decisions
  for each row execute function keep_recorder();
create trigger recorder before insert on patient_immunizations
  for each row execute function keep_recorder();
create trigger recorder before insert on patient_pregnancies
  for each row execute function keep_recorder();
create trigger recorder before insert on program_enrollments
  for each row execute function keep_recorder();
create trigger recorder before insert on referrals
  for each row execute function keep_recorder();
create trigger recorder before insert on related_persons
  for each row execute function keep_recorder();
create trigger recorder before insert on report_manual_values
  for each row execute function keep_recorder();

-- An audit function of its own for each table that devices write in bulk (audit.sql).
select keep_audit('appointments');
select keep_audit('dispensing_records');
select keep_audit('events');
select keep_audit('patient_additional_attributes');
select keep_audit('patient_problems');
select keep_audit('patient_vitals');
select keep_audit('patients');
select keep_audit('prescription_items');
select keep_audit('prescriptions');
select keep_audit('visits');

-- Read-only in an archived clinic (clinics.sql): the column that leads to the clinic.
select keep_archived_closed('appointments', 'clinic_id');
select keep_archived_closed('dispensing_records', 'clinic_id');
select keep_archived_closed('events', 'visit_id');
select keep_archived_closed('patient_immunizations', 'visit_id');
select keep_archived_closed('patient_problems', 'visit_id');
select keep_archived_closed('patient_vitals', 'visit_id');
select keep_archived_closed('prescriptions', 'pickup_clinic_id');
select keep_archived_closed('visits', 'clinic_id');

-- Links between patients and clinics (links.sql): source, patient, clinic.
select keep_links('appointments', 'appointment', 'patient_id', 'clinic_id');
select keep_links('history_openings', 'opened', 'patient_id', 'clinic_id');
select keep_links('patients', 'primary', 'id', 'primary_clinic_id');
select keep_links('prescriptions', 'prescription', 'patient_id', 'pickup_clinic_id');
select keep_links('visits', 'visit', 'patient_id', 'clinic_id');

-- The clinic that recorded a row (recorded-clinics.sql).
select keep_recorded_clinic('appointments', 'record_clinic');
select keep_recorded_clinic('dispensing_records', 'record_clinic');
select keep_recorded_clinic('event_files', 'record_clinic_of_visit');
select keep_recorded_clinic('events', 'record_clinic_of_visit');
select keep_recorded_clinic('medicine_decisions', 'record_clinic_of_visit');
select keep_recorded_clinic('patient_allergies', 'record_clinic_of_sender');
select keep_recorded_clinic('patient_documents', 'record_clinic_of_sender');
select keep_recorded_clinic('patient_immunizations', 'record_clinic_of_visit');
select keep_recorded_clinic('patient_medicines', 'record_clinic_of_sender');
select keep_recorded_clinic('patient_pregnancies', 'record_clinic_of_sender');
select keep_recorded_clinic('patient_problems', 'record_clinic_of_visit');
select keep_recorded_clinic('patient_vitals', 'record_clinic_of_visit');
select keep_recorded_clinic('prescription_items', 'record_clinic_of_prescription');
select keep_recorded_clinic('prescriptions', 'record_clinic_of_visit');
select keep_recorded_clinic('program_enrollments', 'record_clinic_of_sender');
select keep_recorded_clinic('referrals', 'record_clinic_of_visit');
select keep_recorded_clinic('visits', 'record_clinic');

-- Medicines for the safety check (safety.sql): marked table, column of its id, condition; for the order of the checks,
-- whether it may be taken now, when it happened, and what is joined to say so.
select keep_unchecked('prescriptions', 'prescriptions', 'id', $$n.status <> 'cancelled' and
  (n.items <> '[]' or exists (select from prescription_items i where i.prescription_id = n.id))$$,
  'is_current_prescription(n.status, n.prescribed_at, n.expiration_date)', 'n.prescribed_at');
select keep_unchecked('prescription_items', 'prescriptions', 'prescription_id',
  $$n.item_status in ('active', 'partially_dispensed')$$,
  'is_current_prescription(p.status, p.prescribed_at, p.expiration_date)', 'p.prescribed_at',
  'left join prescriptions p on p.id = n.prescription_id');
select keep_unchecked('events', 'events', 'id', $$n.form_data @> '[{"fieldType": "medicine"}]'$$,
  $$coalesce(v.check_in_timestamp, n.created_at) > now() - interval '180 days'$$,
  'coalesce(v.check_in_timestamp, n.created_at)', 'left join visits v on v.id = n.visit_id');
-- what was dispensed comes after its prescription, which keeps the warnings of both
select keep_unchecked('dispensing_records', 'dispensing_records', 'id', $$n.reverses_id is null$$,
  $$case when p.id is null then n.dispensed_at > now() - interval '180 days'
    else is_current_prescription(p.status, p.prescribed_at, p.expiration_date) end$$,
  'coalesce(p.prescribed_at, n.dispensed_at)',
  'left join prescription_items i on i.id = n.prescription_item_id
    left join prescriptions p on p.id = i.prescription_id');
select keep_unchecked('patient_medicines', 'patient_medicines', 'id', 'true',
  'n.until is null or n.until >= now()::date - 1', 'clock_timestamp()');

-- A change there rechecks what the patient takes (safety.sql).
select keep_rechecked('patient_allergies');
select keep_rechecked('patient_problems');
select keep_rechecked('patient_pregnancies');

-- A change there makes the follow-up of the patient stale (follow-up.sql).
select keep_followed('appointments');
select keep_followed('events');
select keep_followed('follow_up_calls');
select keep_followed('patient_immunizations', true);
select keep_followed('patient_pregnancies');
select keep_followed('patient_problems', true);
select keep_followed('patient_vitals');
select keep_followed('program_enrollments');
-- a row here shows that the patient of a visit was seen
select keep_followed('medicine_decisions');
select keep_followed('prescriptions');
select keep_followed('referrals');
select keep_followed('visits');

-- Synced with devices (sync.sql).
select keep_synced('app_config');
select keep_synced('appointments');
select keep_synced('clinic_departments');
select keep_synced('clinic_inventory');
select keep_synced('clinics');
select keep_synced('dispensing_records');
select keep_synced('drug_catalogue');
select keep_synced('event_forms');
select keep_synced('events');
select keep_synced('patient_additional_attributes');
select keep_synced('patient_problems');
select keep_synced('patient_vitals');
select keep_synced('patients');
select keep_synced('prescription_items');
select keep_synced('prescriptions');
select keep_synced('registration_forms');
select keep_synced('user_clinic_permissions');
select keep_synced('visits');

-- The trails (trail.sql).
select open_trail();
