-- The system of the medical record number (patients.external_patient_id) in FHIR; '' for none.
insert into app_config (id, namespace, key, value, data_type, display_name) values
  ('0190b3c4-7a00-7000-8000-00000000ca51', 'exchange', 'medical-record-system', '', 'string',
    'System of the medical record number');
alter table app_config add constraint app_config_medical_record_system_check check (
  (namespace, key) <> ('exchange', 'medical-record-system') or value ~ '^([A-Za-z][A-Za-z0-9+.-]*:\S+)?$');
