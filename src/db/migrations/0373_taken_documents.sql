-- Documents from elsewhere of which lines were taken over, and the rows that each has added: what a wrong document has
-- added is taken back at once. Phones do not know the tables.
create table patient_documents (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- as the document says it; null: it does not
  written_by          text,
  written_on          text,
  file_name           text not null constraint patient_documents_file_name_check check (file_name <> ''),
  -- who took the lines over
  recorded_by_user_id uuid references users deferrable,
  recorded_clinic_id  uuid references clinics deferrable,
  -- `digest`: SHA-256 of its text; none if it was taken before this table
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3)
);
create index patient_documents_patient_idx on patient_documents (patient_id);

create table patient_document_rows (
  document_id uuid not null references patient_documents deferrable,
  table_name  text not null constraint patient_document_rows_table_check check (table_name in (
    'patient_allergies', 'patient_problems', 'patient_medicines', 'patient_immunizations', 'patient_vitals')),
  row_id      uuid not null,
  primary key (table_name, row_id)
);
create index patient_document_rows_document_idx on patient_document_rows (document_id);

insert into cascade_rules (parent, child, child_column, effect) values
  ('patients', 'patient_documents', 'patient_id', 'delete');

-- What was taken before: a document is what one user took for one patient under one mark.
create temporary table taken on commit drop as
  select r.*, dense_rank() over (
      order by patient_id, written_by, written_on, file_name, recorded_by_user_id, recorded_clinic_id) as document
  from (
    select 'patient_allergies' as table_name, id, patient_id, recorded_by_user_id, recorded_clinic_id, created_at,
      metadata -> 'document' ->> 'from' as written_by, metadata -> 'document' ->> 'on' as written_on,
      coalesce(nullif(metadata -> 'document' ->> 'file', ''), '—') as file_name
    from patient_allergies where jsonb_typeof(metadata -> 'document' -> 'entries') = 'array'
    union all
    select 'patient_problems', id, patient_id, recorded_by_user_id, recorded_clinic_id, created_at,
      metadata -> 'document' ->> 'from', metadata -> 'document' ->> 'on',
      coalesce(nullif(metadata -> 'document' ->> 'file', ''), '—')
    from patient_problems where jsonb_typeof(metadata -> 'document' -> 'entries') = 'array'
    union all
    select 'patient_medicines', id, patient_id, recorded_by_user_id, recorded_clinic_id, created_at,
      metadata -> 'document' ->> 'from', metadata -> 'document' ->> 'on',
      coalesce(nullif(metadata -> 'document' ->> 'file', ''), '—')
    from patient_medicines where jsonb_typeof(metadata -> 'document' -> 'entries') = 'array'
    union all
    select 'patient_immunizations', id, patient_id, recorded_by_user_id, recorded_clinic_id, created_at,
      metadata -> 'document' ->> 'from', metadata -> 'document' ->> 'on',
      coalesce(nullif(metadata -> 'document' ->> 'file', ''), '—')
    from patient_immunizations where jsonb_typeof(metadata -> 'document' -> 'entries') = 'array'
    union all
    select 'patient_vitals', id, patient_id, recorded_by_user_id, recorded_clinic_id, created_at,
      metadata -> 'document' ->> 'from', metadata -> 'document' ->> 'on',
      coalesce(nullif(metadata -> 'document' ->> 'file', ''), '—')
    from patient_vitals where jsonb_typeof(metadata -> 'document' -> 'entries') = 'array') r;
create temporary table documents on commit drop as
  select document, gen_random_uuid() as id, patient_id, written_by, written_on, file_name, recorded_by_user_id,
    recorded_clinic_id, min(created_at) as created_at
  from taken
  group by document, patient_id, written_by, written_on, file_name, recorded_by_user_id, recorded_clinic_id;
insert into patient_documents
  (id, patient_id, written_by, written_on, file_name, recorded_by_user_id, recorded_clinic_id, created_at)
select id, patient_id, written_by, written_on, file_name, recorded_by_user_id, recorded_clinic_id, created_at
from documents;
insert into patient_document_rows (document_id, table_name, row_id)
select d.id, t.table_name, t.id from taken t join documents d using (document);
