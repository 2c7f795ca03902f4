create table clinics (
  id                uuid primary key,
  name              text not null constraint clinics_name_check check (name <> '' and length(name) <= 200),
  is_archived       boolean not null default false,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create unique index clinics_name_key on clinics (lower(name)) where not is_deleted;
select keep_record('clinics');

-- An archived clinic is read-only: its history stays visible, nothing is added or changed. Deleting the clinic itself
-- takes its rows along: then it is already marked as deleted here.
create function refuse_in_archived_clinic() returns trigger language plpgsql as $$
begin
  if exists (select from clinics where id = new.clinic_id and is_archived and not is_deleted) then
    raise exception 'this clinic is archived' using errcode = 'restrict_violation', constraint = 'clinics_archived';
  end if;
  return new;
end $$;

create table clinic_departments (
  id                       uuid primary key,
  clinic_id                uuid not null references clinics,
  name                     text not null constraint clinic_departments_name_check check (name <> '' and length(name) <= 200),
  code                     text,
  description              text,
  status                   text not null default 'active' check (status in ('active', 'inactive', 'maintenance')),
  can_dispense_medications boolean not null default false,
  can_perform_labs         boolean not null default false,
  can_perform_imaging      boolean not null default false,
  additional_capabilities  text[] not null default '{}',
  metadata                 jsonb not null default '{}',
  is_deleted               boolean not null default false,
  created_at               timestamptz(3) not null default now(),
  updated_at               timestamptz(3) not null default now(),
  last_modified            timestamptz(3) not null default now(),
  server_created_at        timestamptz(3) not null default now(),
  deleted_at               timestamptz(3)
);
create index clinic_departments_clinic_idx on clinic_departments (clinic_id) where not is_deleted;
create unique index clinic_departments_name_key on clinic_departments (clinic_id, lower(name)) where not is_deleted;
select keep_record('clinic_departments');
create trigger archived before insert or update on clinic_departments for each row execute function refuse_in_archived_clinic();
insert into cascade_rules values ('clinics', 'clinic_departments', 'clinic_id', 'delete');

-- active <-> inactive, active <-> maintenance (decided): what is out of use becomes active before it goes into repair.
create function refuse_department_move() returns trigger language plpgsql as $$
begin
  if old.status <> new.status and old.status <> 'active' and new.status <> 'active' then
    raise exception 'from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'clinic_departments_status_move';
  end if;
  return new;
end $$;
create trigger status_move before update of status on clinic_departments for each row execute function refuse_department_move();

-- E-mail addresses are kept in lower case and stay reserved when the person is deleted.
create table users (
  id                uuid primary key,
  name              text not null constraint users_name_check check (name <> '' and length(name) <= 200),
  email             text not null constraint users_email_check check (email = lower(email) and length(email) <= 254),
  role              text not null check (role in ('registrar', 'provider', 'admin', 'super_admin')),
  clinic_id         uuid references clinics,
  instance_url      text,
  language          text not null default 'en' check (language in ('en', 'ar', 'es')),
  theme             text not null default 'system' check (theme in ('light', 'dark', 'system')),
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3)
);
create unique index users_email_key on users (email);
create index users_clinic_idx on users (clinic_id) where not is_deleted;
create index users_name_idx on users (name collate names, id) where not is_deleted;
select keep_record('users');

-- Somebody must always be able to let others in. The lock makes two administrators who demote each other wait in line.
create function keep_a_super_admin() returns trigger language plpgsql as $$
begin
  if old.role = 'super_admin' and not old.is_deleted and (new.role <> 'super_admin' or new.is_deleted) then
    perform pg_advisory_xact_lock(hashtext('sanad.super_admin'));
    if not exists (select from users where role = 'super_admin' and not is_deleted and id <> old.id) then
      raise exception 'the last super_admin' using errcode = 'restrict_violation', constraint = 'users_last_super_admin';
    end if;
  end if;
  return new;
end $$;
create trigger super_admin before update of role, is_deleted on users for each row execute function keep_a_super_admin();

-- A row for each person and clinic; admins need none. Withdrawing everything keeps the row: phones learn of it by its change.
create table user_clinic_permissions (
  id                            uuid primary key default gen_random_uuid(),
  user_id                       uuid not null references users,
  clinic_id                     uuid not null references clinics,
  can_register_patients         boolean not null default false,
  can_view_history              boolean not null default false,
  can_edit_records              boolean not null default false,
  can_delete_records            boolean not null default false,
  is_clinic_admin               boolean not null default false,
  can_edit_other_provider_event boolean not null default false,
  can_download_patient_reports  boolean not null default false,
  can_prescribe_medications     boolean not null default false,
  can_dispense_medications      boolean not null default false,
  can_delete_patient_visits     boolean not null default false,
  can_delete_patient_records    boolean not null default false,
  created_by                    uuid references users,
  last_modified_by              uuid references users,
  is_deleted                    boolean not null default false,
  created_at                    timestamptz(3) not null default now(),
  updated_at                    timestamptz(3) not null default now(),
  last_modified                 timestamptz(3) not null default now(),
  server_created_at             timestamptz(3) not null default now(),
  deleted_at                    timestamptz(3),
  constraint user_clinic_permissions_user_id_clinic_id_key unique (user_id, clinic_id)
);
create index user_clinic_permissions_clinic_idx on user_clinic_permissions (clinic_id);
select keep_record('user_clinic_permissions');
insert into cascade_rules values ('users', 'user_clinic_permissions', 'user_id', 'delete');
insert into cascade_rules values ('clinics', 'user_clinic_permissions', 'clinic_id', 'delete');

-- Archiving and deleting a clinic. Later tables with records of a clinic replace clinic_has_records().
create function clinic_has_records(p_clinic uuid) returns boolean language sql stable as $$
  select false
$$;
create function refuse_closing_clinic() returns trigger language plpgsql as $$
begin
  if (new.is_archived and not old.is_archived or new.is_deleted and not old.is_deleted)
     and exists (select from users where clinic_id = new.id and not is_deleted) then
    raise exception 'users are assigned' using errcode = 'restrict_violation', constraint = 'clinics_has_users';
  end if;
  if new.is_deleted and not old.is_deleted and clinic_has_records(new.id) then
    raise exception 'records exist' using errcode = 'restrict_violation', constraint = 'clinics_has_records';
  end if;
  return new;
end $$;
create trigger closing before update of is_archived, is_deleted on clinics for each row execute function refuse_closing_clinic();

-- Nobody is assigned to a clinic that is closed.
create function refuse_closed_clinic() returns trigger language plpgsql as $$
begin
  -- key share: the clinic cannot be archived between this check and the commit
  if new.clinic_id is not null and not new.is_deleted
     and not exists (select from clinics where id = new.clinic_id and not is_archived and not is_deleted for share) then
    raise exception 'this clinic is closed' using errcode = 'restrict_violation', constraint = 'users_clinic_closed';
  end if;
  return new;
end $$;
create trigger clinic_open before insert or update of clinic_id, is_deleted on users for each row execute function refuse_closed_clinic();
