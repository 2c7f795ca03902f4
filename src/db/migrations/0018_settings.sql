-- What an organization sets once for everybody, as phones know it: a value is a text, and `data_type` says how to read it.
create table app_config (
  id                uuid primary key default gen_random_uuid(),
  namespace         text not null constraint app_config_namespace_check check (namespace <> '' and length(namespace) <= 100),
  key               text not null constraint app_config_key_check check (key <> '' and length(key) <= 100),
  value             text not null default '' constraint app_config_length_check check (length(value) <= 10000),
  data_type         text not null constraint app_config_data_type_check
                    check (data_type in ('string', 'number', 'boolean', 'json', 'array')),
  display_name      text,
  last_modified_by  uuid references users deferrable,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint app_config_value_check check (case
    when data_type = 'boolean' then value in ('true', 'false')
    when data_type = 'number' then value = '' or value ~ '^-?\d+(\.\d+)?$'
    when (namespace, key) = ('system', 'operation_mode') then value in ('online', 'offline', 'user_choice')
    when (namespace, key) = ('system', 'public-origin') then value = '' or value ~ '^https?://[^/\s]+$'
    else true end)
);
create unique index app_config_namespace_key_key on app_config (namespace, key);

-- Every setting there is has its row from the start, the same on every server: nobody has to create one.
insert into app_config (id, namespace, key, value, data_type, display_name) values
  ('018f2f00-0000-7000-8000-000000000001', 'organization', 'organization-name', '', 'string', 'Organization name'),
  ('018f2f00-0000-7000-8000-000000000002', 'auth', 'disable-mobile-permissions-checking', 'false', 'boolean', 'Disable permissions checking on mobile devices'),
  ('018f2f00-0000-7000-8000-000000000003', 'system', 'operation_mode', 'user_choice', 'string', 'Operation mode'),
  ('018f2f00-0000-7000-8000-000000000004', 'system', 'public-origin', '', 'string', 'Public address'),
  ('018f2f00-0000-7000-8000-000000000005', 'system', 'time-zone', '', 'string', 'Time zone');
select keep_record('app_config');

create function keep_config_author() returns trigger language plpgsql as $$
begin
  new.last_modified_by := coalesce((select id from users where id = acting_user()), new.last_modified_by);
  return new;
end $$;
create trigger author before insert or update on app_config for each row execute function keep_config_author();

-- What a person has waved away on his own screens: the first-day checklist. No record: no trail, no phone.
create table dismissals (
  user_id      uuid not null references users on delete cascade,
  notice       text not null check (notice <> '' and length(notice) <= 100),
  dismissed_at timestamptz(3) not null default clock_timestamp(),
  primary key (user_id, notice)
);

-- A password that somebody else knows, because he made it, has to be changed by its owner first.
alter table credentials add column must_change boolean not null default false;
