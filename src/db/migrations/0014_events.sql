-- Answered event forms: what a visit recorded. Columns are those that phones know, and the version that was answered.

create table events (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  visit_id            uuid,
  form_id             uuid constraint events_form_id_fkey references event_forms deferrable,
  -- ours alone: phones do not know that forms have versions
  form_version        integer,
  -- what the form was called when it was filled in
  event_type          text,
  -- [{fieldId, name, inputType, fieldType, value}], as phones write and read it
  form_data           jsonb not null default '[]',
  metadata            jsonb not null default '{}',
  recorded_by_user_id uuid constraint events_recorded_by_user_id_fkey references users deferrable,
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint events_form_data_check check (jsonb_typeof(form_data) = 'array'),
  constraint events_visit_id_fkey foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable,
  constraint events_form_version_fkey foreign key (form_id, form_version)
    references event_form_versions (form_id, version) deferrable
);
create index events_patient_idx on events (patient_id, created_at desc, id) where not is_deleted;
create index events_visit_idx on events (visit_id) where visit_id is not null;
create index events_form_idx on events (form_id, created_at desc, id) where not is_deleted;
-- "has a form answers of this version?", deleted ones too
create index events_form_version_idx on events (form_id, form_version);
create index events_recorded_by_idx on events (recorded_by_user_id) where recorded_by_user_id is not null;
create index events_form_data_idx on events using gin (form_data jsonb_path_ops) where not is_deleted;

-- Whoever does not say which version he answered (a phone) had the newest. Filled in before the row is checked.
create function newest_form_version() returns trigger language plpgsql as $$
begin
  new.form_version := (select max(version) from event_form_versions where form_id = new.form_id);
  return new;
end $$;
create trigger form_version before insert on events
  for each row when (new.form_version is null and new.form_id is not null) execute function newest_form_version();
create trigger form_changed before update of form_id on events
  for each row when (new.form_id is distinct from old.form_id) execute function newest_form_version();

select keep_record('events');
create trigger archived before insert or update on events
  for each row when (new.visit_id is not null) execute function refuse_in_archived_visit();

insert into cascade_rules values
  ('patients', 'events', 'patient_id', 'delete'),
  ('visits', 'events', 'visit_id', 'delete');

/* The value of one answer, whatever its type; null when the field was not answered. */
create function answer_value(form_data jsonb, field_id text) returns jsonb language sql immutable parallel safe as $$
  select jsonb_path_query_first(form_data, '$[*] ? (@.fieldId == $id).value', jsonb_build_object('id', field_id))
$$;

/* An answer as a number, however it was typed; null when it is none. */
create function answer_number(value jsonb) returns numeric language plpgsql immutable parallel safe as $$
declare
  text text := translate(value #>> '{}', '٠١٢٣٤٥٦٧٨٩٫', '0123456789.');
begin
  if text ~ '^\s*[-+]?(\d{1,30}\.?\d{0,30}|\.\d{1,30})(e[-+]?\d{1,2})?\s*$' then return text::numeric; end if;
  return null;
end $$;

-- The files that answers name. A file is sent before its form is saved, so the event need not exist yet.
create table event_files (
  id                uuid primary key,
  patient_id        uuid not null references patients deferrable,
  event_id          uuid not null,
  visit_id          uuid not null,
  field_id          text not null,
  name              text not null constraint event_files_name_check check (name <> '' and length(name) <= 200),
  mime_type         text not null constraint event_files_mime_type_check
                    check (mime_type in ('image/png', 'image/jpeg', 'application/pdf')),
  size              integer not null,
  sent_by_user_id   uuid references users deferrable,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint event_files_visit_id_fkey foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index event_files_event_idx on event_files (event_id);
create index event_files_patient_idx on event_files (patient_id);
select keep_record('event_files');
insert into cascade_rules values ('events', 'event_files', 'event_id', 'delete');
