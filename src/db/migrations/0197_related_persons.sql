-- Family and contact persons of a patient: another patient, or a name with a telephone. A link between two patients is
-- one row, which both records show. Phones do not know the table.
create table related_persons (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- what the person is to the patient
  relationship        text not null constraint related_persons_relationship_check
    check (relationship in ('mother', 'father', 'child', 'spouse', 'guardian', 'ward', 'contact')),
  related_patient_id  uuid references patients deferrable,
  name                text constraint related_persons_name_check check (name <> '' and length(name) <= 200),
  phone               text constraint related_persons_phone_check check (phone <> '' and length(phone) <= 100),
  notes               text,
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  -- the name and the telephone of a patient are in that record
  constraint related_persons_one_check check (
    (related_patient_id is null) <> (name is null) and (related_patient_id is null or phone is null)),
  -- a merge of two linked records leaves a deleted row
  constraint related_persons_self_check check (is_deleted or related_patient_id <> patient_id)
);
create index related_persons_patient_idx on related_persons (patient_id) where not is_deleted;
create unique index related_persons_link_key
  on related_persons (related_patient_id, patient_id, relationship) where not is_deleted;

insert into cascade_rules (parent, child, child_column, effect) values
  ('patients', 'related_persons', 'patient_id', 'delete'),
  ('patients', 'related_persons', 'related_patient_id', 'delete');
