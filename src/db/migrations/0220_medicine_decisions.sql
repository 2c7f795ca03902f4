-- Medication reconciliation: what a user decided about one medicine that the patient takes, at a visit or outside of one.
-- A medicine without a row was not asked about. Phones do not know the table.
create table medicine_decisions (
  id                   uuid primary key,
  patient_id           uuid not null references patients deferrable,
  visit_id             uuid references visits deferrable,
  decision             text not null constraint medicine_decisions_decision_check
    check (decision in ('keep', 'stop', 'change')),
  -- the day of the visit, else the day on which it was recorded
  decided_on           date not null,
  -- the medicine, as it was listed: what is written otherwise today was not confirmed
  kind                 text not null constraint medicine_decisions_kind_check
    check (kind in ('prescribed', 'elsewhere', 'form', 'text')),
  prescription_item_id uuid references prescription_items deferrable,
  patient_medicine_id  uuid references patient_medicines deferrable,
  name                 text not null constraint medicine_decisions_name_check check (name <> ''),
  dose                 text,
  reason               text constraint medicine_decisions_reason_check check (reason <> ''),
  -- the prescription that takes its place
  replaced_by_id       uuid references prescriptions deferrable,
  -- how many medicines the list had
  listed               integer not null constraint medicine_decisions_listed_check check (listed > 0),
  recorded_clinic_id   uuid references clinics deferrable,
  recorded_by_user_id  uuid references users deferrable,
  metadata             jsonb not null default '{}',
  is_deleted           boolean not null default false,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  last_modified        timestamptz(3) not null default now(),
  server_created_at    timestamptz(3) not null default now(),
  deleted_at           timestamptz(3),
  constraint medicine_decisions_line_check check (
    case kind
      when 'prescribed' then patient_medicine_id is null
      when 'elsewhere' then patient_medicine_id is not null and prescription_item_id is null
      else patient_medicine_id is null and prescription_item_id is null
    end),
  -- only what can be ended here is stopped or changed, and why is said
  constraint medicine_decisions_stop_check check (
    decision = 'keep' or prescription_item_id is not null or patient_medicine_id is not null),
  constraint medicine_decisions_why_check check (
    (decision = 'stop') = (reason is not null) and (decision = 'change') = (replaced_by_id is not null))
);
create index medicine_decisions_patient_idx on medicine_decisions (patient_id, decided_on desc)
  where not is_deleted;
create index medicine_decisions_visit_idx on medicine_decisions (visit_id) where visit_id is not null;

insert into cascade_rules (parent, child, child_column, effect) values
  ('patients', 'medicine_decisions', 'patient_id', 'delete'),
  ('visits', 'medicine_decisions', 'visit_id', 'unlink');
