-- Allergies, prescriptions, what was dispensed, and the overrides of safety warnings.

create table patient_allergies (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- as users say it: 'Penicillin', 'peanuts'
  substance           text not null
    constraint patient_allergies_substance_check
    check (substance <> '' and length(substance) <= 200),
  -- 'ingredient' and 'drug_class' are checked against prescriptions; 'none_known' records that the
  -- patient was asked
  substance_kind      text not null constraint patient_allergies_substance_kind_check
                      check (substance_kind in ('ingredient', 'drug_class', 'other', 'none_known')),
  -- the ingredient's INN or the code of a class (src/features/safety)
  substance_code      text constraint patient_allergies_substance_code_check
    check ((substance_code is not null) = (substance_kind in ('ingredient', 'drug_class'))),
  reaction            text,
  severity            text
    constraint patient_allergies_severity_check check (severity in ('mild', 'moderate', 'severe')),
  status              text not null default 'active' constraint patient_allergies_status_check
                      check (status in ('active', 'inactive', 'refuted')),
  notes               text,
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3)
);
create index patient_allergies_patient_idx on patient_allergies (patient_id) where not is_deleted;

create table prescriptions (
  id                uuid primary key,
  patient_id        uuid not null references patients deferrable,
  provider_id       uuid references users deferrable,
  filled_by         uuid references users deferrable,
  pickup_clinic_id  uuid references clinics deferrable,
  visit_id          uuid,
  priority          text not null default 'normal' constraint prescriptions_priority_check
                    check (priority in ('low', 'normal', 'high', 'emergency')),
  expiration_date   timestamptz(3),
  prescribed_at     timestamptz(3) not null default now(),
  filled_at         timestamptz(3),
  status            text not null default 'pending' constraint prescriptions_status_check check
    (status in ('pending', 'prepared', 'picked-up', 'not-picked-up', 'partially-picked-up',
      'cancelled', 'other')),
  -- the status before an unusual change of the status; null after a usual one
  unusual_from      text,
  -- as devices send it, shown as free text; prescription_items is authoritative
  items             jsonb not null default '[]',
  notes             text not null default '',
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  -- why it was set to "picked up" although nothing was dispensed here; only on the server
  status_reason     text constraint prescriptions_status_reason_check
    check (length(trim(status_reason)) >= 3 and length(status_reason) <= 500),
  constraint prescriptions_id_patient_id_key unique (id, patient_id),
  constraint prescriptions_visit_id_fkey
    foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index prescriptions_recent_idx
  on prescriptions (prescribed_at desc, id) where not is_deleted;
create index prescriptions_patient_idx
  on prescriptions (patient_id, prescribed_at desc) where not is_deleted;
create index prescriptions_clinic_idx
  on prescriptions (pickup_clinic_id, status, prescribed_at desc) where not is_deleted;
create index prescriptions_status_idx
  on prescriptions (status, prescribed_at desc) where not is_deleted;
create index prescriptions_provider_idx
  on prescriptions (provider_id, prescribed_at desc) where not is_deleted;
create index prescriptions_visit_idx on prescriptions (visit_id) where visit_id is not null;
create index prescriptions_any_clinic_idx on prescriptions (pickup_clinic_id);
-- The prescription number, printed and searched for, is the end of the id
-- (src/features/prescriptions/number.ts).
create index prescriptions_number_idx on prescriptions (right(id::text, 10));

create table prescription_items (
  id                  uuid primary key,
  prescription_id     uuid not null,
  patient_id          uuid not null references patients deferrable,
  drug_id             uuid not null references drug_catalogue deferrable,
  clinic_id           uuid references clinics deferrable,
  dosage_instructions text not null default '',
  quantity_prescribed numeric not null default 1
    constraint prescription_items_quantity_prescribed_check check (quantity_prescribed >= 1),
  -- triggers calculate these two, and item_status once anything was dispensed, from
  -- dispensing_records
  quantity_dispensed  numeric not null default 0,
  refills_used        integer not null default 0,
  refills_authorized  integer not null default 0
    constraint prescription_items_refills_authorized_check check (refills_authorized >= 0),
  item_status         text not null default 'active' constraint prescription_items_item_status_check
    check (item_status in ('active', 'completed', 'cancelled', 'partially_dispensed')),
  notes               text,
  -- only on the server: the order of the cards on the form
  position            integer not null default 0,
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  -- The dose as numbers: amount and unit, how often, for how long. `text` is the sentence made of
  -- it for dosage_instructions, the only form that devices have; once a device writes another
  -- sentence, the numbers no longer count.
  dose                jsonb
    constraint prescription_items_dose_check
    check (jsonb_typeof(dose) = 'object' and dose ? 'text'),
  constraint prescription_items_id_patient_id_key unique (id, patient_id),
  constraint prescription_items_prescription_id_fkey
    foreign key (prescription_id, patient_id) references prescriptions (id, patient_id) deferrable
);
-- Deleted items are included: what was dispensed or reserved for an item is looked up by its
-- prescription.
create index prescription_items_prescription_idx on prescription_items (prescription_id, position);
create index prescription_items_patient_idx on prescription_items (patient_id) where not is_deleted;
create index prescription_items_drug_idx on prescription_items (drug_id);
create index prescription_items_clinic_idx on prescription_items (clinic_id);

-- Never changed or deleted, only reversed by a row of the opposite sign. A record that a device
-- deletes no longer counts.
create table dispensing_records (
  id                   uuid primary key,
  clinic_id            uuid not null references clinics deferrable,
  drug_id              uuid not null references drug_catalogue deferrable,
  batch_id             uuid references drug_batches deferrable,
  prescription_item_id uuid,
  patient_id           uuid not null references patients deferrable,
  quantity_dispensed   numeric not null,
  dosage_instructions  text,
  days_supply          numeric,
  dispensed_by         uuid references users deferrable,
  dispensed_at         timestamptz(3) not null default now(),
  -- only on the server: the record that this one reverses, and why
  reverses_id          uuid references dispensing_records deferrable,
  reason               text,
  recorded_by_user_id  uuid references users deferrable,
  metadata             jsonb not null default '{}',
  is_deleted           boolean not null default false,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  last_modified        timestamptz(3) not null default now(),
  server_created_at    timestamptz(3) not null default now(),
  deleted_at           timestamptz(3),
  -- as in prescription_items
  dose                 jsonb
    constraint dispensing_records_dose_check
    check (jsonb_typeof(dose) = 'object' and dose ? 'text'),
  constraint dispensing_records_quantity_dispensed_check
    check (case when reverses_id is null then quantity_dispensed > 0 else quantity_dispensed < 0 end),
  constraint dispensing_records_prescription_item_id_fkey
    foreign key (prescription_item_id, patient_id) references prescription_items (id, patient_id) deferrable
);
create unique index dispensing_records_reverses_id_key
  on dispensing_records (reverses_id) where reverses_id is not null;
create index dispensing_records_item_idx
  on dispensing_records (prescription_item_id) where prescription_item_id is not null;
create index dispensing_records_patient_idx on dispensing_records (patient_id, dispensed_at desc);
create index dispensing_records_clinic_idx on dispensing_records (clinic_id, dispensed_at desc);
create index dispensing_records_drug_idx on dispensing_records (drug_id, dispensed_at desc);
create index dispensing_records_batch_idx
  on dispensing_records (batch_id) where batch_id is not null;

-- Medicines that a patient takes from elsewhere.
create table patient_medicines (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- as on the package or as the patient says it; each safety check searches it for substances
  name                text not null
    constraint patient_medicines_name_check check (name <> '' and length(name) <= 200),
  -- the substances if the name does not identify them, by any name that the safety check knows
  ingredients         text[] not null default '{}',
  dose                text,
  source              text not null constraint patient_medicines_source_check
    check (source in ('other_clinic', 'pharmacy', 'brought', 'traditional', 'unknown')),
  since               date,
  until               date constraint patient_medicines_until_check check (until >= since),
  notes               text,
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3)
);
create index patient_medicines_patient_idx on patient_medicines (patient_id) where not is_deleted;

-- Safety -----------------------------------------------------------------------------------------

-- Safety warnings that a user overrode, with the reason. Only the review changes a row.
create table safety_overrides (
  id                   uuid primary key,
  patient_id           uuid not null references patients deferrable,
  -- The next three are null for a warning about a medicine that was not prescribed here. It may
  -- have no clinic, no medicine of the catalogue and, if it arrived from a device or an import, no
  -- user who gave a reason.
  clinic_id            uuid references clinics deferrable,
  prescription_id      uuid references prescriptions deferrable,
  prescription_item_id uuid references prescription_items deferrable,
  drug_id              uuid references drug_catalogue deferrable,
  stage                text not null
    constraint safety_overrides_stage_check
    check (stage in ('prescribing', 'dispensing', 'recording', 'arrived')),
  kind                 text not null constraint safety_overrides_kind_check
    check (kind in ('allergy', 'duplicate', 'interaction', 'unchecked', 'age', 'pregnancy',
      'kidney',
                         'condition', 'dose', 'monitoring')),
  -- what was shown: the rule, the substances, the other medicine
  warning              jsonb not null,
  reason               text
    constraint safety_overrides_reason_check
    check (length(trim(reason)) >= 3 and length(reason) <= 1000),
  overridden_by        uuid references users deferrable,
  overridden_at        timestamptz(3) not null default clock_timestamp(),
  reviewed_by          uuid references users deferrable,
  reviewed_at          timestamptz(3),
  review_note          text,
  is_deleted           boolean not null default false,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  last_modified        timestamptz(3) not null default now(),
  server_created_at    timestamptz(3) not null default now(),
  deleted_at           timestamptz(3),
  reason_code          text not null default 'other' constraint safety_overrides_reason_code_check
    check (reason_code in ('tolerated', 'benefit', 'record_error', 'monitored', 'other')),
  event_id             uuid references events deferrable,
  patient_medicine_id  uuid references patient_medicines deferrable,
  dispensing_record_id uuid references dispensing_records deferrable,
  -- a code of its own requires a text that adds something
  constraint safety_overrides_reason_length_check
    check (reason_code = 'other' or length(trim(reason)) >= 10),
  constraint safety_overrides_arrived_check check ((reason is null) = (stage = 'arrived'))
);
create index safety_overrides_clinic_idx on safety_overrides (clinic_id, overridden_at desc);
create index safety_overrides_recent_idx on safety_overrides (overridden_at desc, id);
create index safety_overrides_open_idx
  on safety_overrides (overridden_at desc, id) where reviewed_at is null;
create index safety_overrides_patient_idx on safety_overrides (patient_id);
create index safety_overrides_prescription_idx
  on safety_overrides (prescription_id) where prescription_id is not null;
create index safety_overrides_event_idx on safety_overrides (event_id) where event_id is not null;
create index safety_overrides_patient_medicine_idx
  on safety_overrides (patient_medicine_id) where patient_medicine_id is not null;
create index safety_overrides_dispensing_record_idx
  on safety_overrides (dispensing_record_id) where dispensing_record_id is not null;

-- Each time that an administrator switched a safety rule off, and on again.
create table safety_rules_off (
  id                uuid primary key,
  rule_table        text not null
    constraint safety_rules_off_table_check check (rule_table ~ '^[a-z_]{1,40}$'),
  rule              text not null
    constraint safety_rules_off_rule_check check (rule ~ '^\S{1,200}$'),
  reason            text not null
    constraint safety_rules_off_reason_check
    check (length(trim(reason)) >= 10 and length(reason) <= 1000),
  switched_off_by   uuid references users deferrable,
  switched_off_at   timestamptz(3) not null default clock_timestamp(),
  switched_on_by    uuid references users deferrable,
  switched_on_at    timestamptz(3),
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint safety_rules_off_order_check check (switched_on_at >= switched_off_at)
);
-- A rule is switched off at most once at a time.
create unique index safety_rules_off_key
  on safety_rules_off (rule_table, rule) where switched_on_at is null and not is_deleted;

-- Rows with medicines that were not checked since they were written. Triggers mark each write,
-- whatever its source; only a safety check removes the mark.
create table unchecked_medicines (
  table_name text not null,
  row_id     uuid not null,
  -- no foreign key: a merge changes the marked row, which marks it again with the remaining patient
  patient_id uuid not null,
  marked_at  timestamptz(3) not null default clock_timestamp(),
  primary key (table_name, row_id)
);
create index unchecked_medicines_patient_idx on unchecked_medicines (patient_id);
create index unchecked_medicines_oldest_idx on unchecked_medicines (marked_at);

insert into cascade_rules (parent, child, child_column, effect) values
  ('patients', 'patient_allergies', 'patient_id', 'delete'),
  ('patients', 'prescriptions', 'patient_id', 'delete'),
  ('prescriptions', 'prescription_items', 'prescription_id', 'delete'),
  ('visits', 'prescriptions', 'visit_id', 'unlink'),
  ('patients', 'patient_medicines', 'patient_id', 'delete');
