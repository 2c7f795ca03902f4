-- Bulk export by FHIR, and the index of `_lastUpdated` on what it exports (docs/exchange.md, "FHIR").

create table fhir_exports (
  id               uuid primary key,
  user_id          uuid not null constraint fhir_exports_user_id_fkey references users deferrable,
  -- the address that was asked for, as the manifest repeats it
  request          text not null,
  -- below which the resources have their addresses
  base             text not null,
  scope            text not null
    constraint fhir_exports_scope_check check (scope in ('system', 'patient', 'group')),
  -- the clinic of a group
  clinic_id        uuid,
  -- empty: every type of the scope
  types            text[] not null default '{}',
  since            timestamptz(3),
  status           text not null default 'waiting'
    constraint fhir_exports_status_check check (status in ('waiting', 'running', 'done', 'failed')),
  -- for people: which type, and how many resources so far
  progress         text not null default '',
  -- the moment of which the files show the records
  transaction_time timestamptz(3),
  -- [{"type": "Patient", "lines": 1000}]: the file of this number
  files            jsonb not null default '[]',
  created_at       timestamptz(3) not null default now(),
  ended_at         timestamptz(3)
);
create index fhir_exports_created_idx on fhir_exports (created_at);

create index visits_modified_idx on visits (last_modified, id);
create index patient_vitals_modified_idx on patient_vitals (last_modified, id);
create index patient_problems_modified_idx on patient_problems (last_modified, id);
create index patient_allergies_modified_idx on patient_allergies (last_modified, id);
create index prescription_items_modified_idx on prescription_items (last_modified, id);
create index dispensing_records_modified_idx on dispensing_records (last_modified, id);
create index patient_immunizations_modified_idx on patient_immunizations (last_modified, id);
create index appointments_modified_idx on appointments (last_modified, id);
create index events_modified_idx on events (last_modified, id);
