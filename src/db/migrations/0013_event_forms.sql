-- What a visit records: forms that clinics design themselves, and every version that was ever filled in.

create table event_forms (
  id                uuid primary key,
  name              text not null constraint event_forms_name_check check (name <> '' and length(name) <= 200),
  description       text not null default '' constraint event_forms_description_check check (length(description) <= 2000),
  language          text not null default 'en' constraint event_forms_language_check check (language in ('en', 'ar', 'es')),
  is_editable       boolean not null default true,
  is_snapshot_form  boolean not null default false,
  form_fields       jsonb not null default '[]' constraint event_forms_form_fields_check check (jsonb_typeof(form_fields) = 'array'),
  metadata          jsonb not null default '{}',
  -- none: every clinic. A clinic that is gone stays in the list, because an emptied list would show the form to all.
  clinic_ids        uuid[] not null default '{}',
  translations      jsonb not null default '[]' constraint event_forms_translations_check check (jsonb_typeof(translations) = 'array'),
  -- of what is asked; set by the database alone
  version           integer not null default 1,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create index event_forms_name_idx on event_forms (name collate names, id) where not is_deleted;
create index event_forms_clinics_idx on event_forms using gin (clinic_ids);
select keep_record('event_forms');

-- An answer is shown with the version that it was given on, so a version never changes. Every save that changes what is
-- asked makes one, whether or not the last has answers yet: somebody may be filling it in, and a phone that is away
-- may come back with an answer.
create table event_form_versions (
  form_id      uuid not null references event_forms deferrable,
  version      integer not null,
  name         text not null,
  description  text not null,
  language     text not null,
  form_fields  jsonb not null,
  translations jsonb not null,
  saved_by     uuid,
  saved_at     timestamptz(3) not null default clock_timestamp(),
  primary key (form_id, version)
);
create trigger event_form_versions_append_only before update or delete or truncate on event_form_versions
  for each statement execute function refuse_change();

create function number_event_form() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.version := 1;
  else
    new.version := old.version + (
      (new.name, new.description, new.language, new.form_fields, new.translations)
      is distinct from (old.name, old.description, old.language, old.form_fields, old.translations))::int;
  end if;
  return new;
end $$;
create trigger number_version before insert or update on event_forms for each row execute function number_event_form();

create function keep_event_form_version() returns trigger language plpgsql as $$
begin
  insert into event_form_versions (form_id, version, name, description, language, form_fields, translations, saved_by)
  values (new.id, new.version, new.name, new.description, new.language, new.form_fields, new.translations,
    nullif(current_setting('sanad.user_id', true), '')::uuid)
  on conflict do nothing;
  return null;
end $$;
create trigger keep_first_version after insert on event_forms for each row execute function keep_event_form_version();
create trigger keep_next_version after update on event_forms for each row
  when (new.version <> old.version) execute function keep_event_form_version();
