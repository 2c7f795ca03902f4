-- What other clinics recorded is opened with a reason (docs/rules.md, "Care across clinics").

alter table patient_links drop constraint patient_links_source_check;
alter table patient_links add constraint patient_links_source_check check (source in
  ('primary', 'visit', 'appointment', 'prescription', 'explicit', 'registered', 'opened'));
-- the clinics that read the other clinics' rows of a patient
create index patient_links_opened_idx on patient_links (patient_id, clinic_id)
  where source = 'opened' and until is null;

-- An opening: a clinic reads what other clinics recorded of a patient. A closed one is deleted; it stays for the review.
-- While it is open, patient_links has a row `opened`.
create table history_openings (
  id                uuid primary key,
  patient_id        uuid not null references patients deferrable,
  clinic_id         uuid not null references clinics deferrable,
  -- null: before the update that asked for a reason
  opened_by         uuid references users deferrable,
  reason            text not null constraint history_openings_reason_check
    check (reason in ('here', 'referral', 'emergency', 'other', 'before_update')),
  -- in words, where the reason is `other`
  reason_text       text constraint history_openings_reason_text_check
    check ((reason = 'other') <= (length(trim(reason_text)) >= 3) and length(reason_text) <= 500),
  -- 90 days after the clinic's last visit with the patient
  until             timestamptz(3) not null,
  -- null while open, and if its time ended
  closed_by         uuid references users deferrable,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint history_openings_opened_by_check check ((opened_by is null) = (reason = 'before_update'))
);
create unique index history_openings_open_key on history_openings (patient_id, clinic_id)
  where not is_deleted;
create index history_openings_until_idx on history_openings (until) where not is_deleted;
create index history_openings_review_idx on history_openings (created_at desc, id desc);
create index history_openings_patient_idx on history_openings (patient_id);

-- Clinics that shared a patient before the update keep sight of the whole history for 90 days, or for 90 days after
-- their last visit; then they state a reason like everyone else.
do $$ begin
  create temporary table recorded on commit drop as
    select patient_id, recorded_clinic_id as clinic_id from visits where recorded_clinic_id is not null
    union select patient_id, recorded_clinic_id from events where recorded_clinic_id is not null
    union select patient_id, recorded_clinic_id from patient_vitals where recorded_clinic_id is not null
    union select patient_id, recorded_clinic_id from patient_problems where recorded_clinic_id is not null
    union select patient_id, recorded_clinic_id from prescriptions where recorded_clinic_id is not null
    union select patient_id, recorded_clinic_id from dispensing_records where recorded_clinic_id is not null
    union select patient_id, recorded_clinic_id from patient_medicines where recorded_clinic_id is not null;
  create temporary table shared on commit drop as
    select distinct l.patient_id, l.clinic_id
    from patient_links l join recorded r on r.patient_id = l.patient_id and r.clinic_id <> l.clinic_id
    where l.until is null and l.source <> 'explicit';
  insert into history_openings (id, patient_id, clinic_id, reason, until)
    select gen_random_uuid(), patient_id, clinic_id, 'before_update', now() + interval '90 days' from shared;
  -- a link of long ago for devices, which hold these rows already
  alter table patient_links disable trigger user;
  insert into patient_links (patient_id, clinic_id, source) select patient_id, clinic_id, 'opened' from shared;
  alter table patient_links enable trigger user;
end $$;

-- Emergency access: one user reads the whole record of a patient for four hours. It stays in the review until an
-- administrator has looked at it.
create table emergency_accesses (
  id                uuid primary key,
  patient_id        uuid not null references patients deferrable,
  user_id           uuid not null references users deferrable,
  -- of the user, where the emergency is
  clinic_id         uuid references clinics deferrable,
  reason            text not null constraint emergency_accesses_reason_check
    check (length(trim(reason)) >= 10 and length(reason) <= 500),
  until             timestamptz(3) not null,
  reviewed_by       uuid references users deferrable,
  reviewed_at       timestamptz(3),
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create index emergency_accesses_user_idx on emergency_accesses (user_id, until);
create index emergency_accesses_patient_idx on emergency_accesses (patient_id);
create index emergency_accesses_review_idx on emergency_accesses (created_at desc, id desc)
  where reviewed_at is null;

-- Look-ups: a user opened the details of a patient of other clinics. They are counted for the hour; the audit trail
-- says whose.
create table identity_lookups (
  id         uuid primary key,
  user_id    uuid not null,
  at         timestamptz(3) not null default clock_timestamp()
);
create index identity_lookups_user_idx on identity_lookups (user_id, at desc);

insert into app_config (id, namespace, key, value, data_type, display_name) values
  ('0190b3c4-7a00-7000-8000-00000000ca4e', 'care', 'share-history', 'ask', 'string', 'Sharing of histories');
alter table app_config add constraint app_config_share_history_check check (
  (namespace, key) <> ('care', 'share-history') or value in ('ask', 'organization'));
