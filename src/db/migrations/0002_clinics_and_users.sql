-- Clinics, their departments, and the users with their permissions.

create table clinics (
  id                uuid primary key,
  name              text not null
    constraint clinics_name_check check (name <> '' and length(name) <= 200),
  is_archived       boolean not null default false,
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  -- printed on paper; devices do not have these columns
  address           text
    constraint clinics_address_check check (address <> '' and length(address) <= 300),
  phone             text constraint clinics_phone_check check (phone <> '' and length(phone) <= 100)
);
create unique index clinics_name_key on clinics (lower(name)) where not is_deleted;

create table clinic_departments (
  id                       uuid primary key,
  clinic_id                uuid not null references clinics,
  name                     text not null
    constraint clinic_departments_name_check check (name <> '' and length(name) <= 200),
  code                     text,
  description              text,
  status                   text not null default 'active'
    check (status in ('active', 'inactive', 'maintenance')),
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
create unique index clinic_departments_name_key
  on clinic_departments (clinic_id, lower(name)) where not is_deleted;

-- Email addresses are stored in lower case and stay reserved when the user is deleted.
create table users (
  id                uuid primary key,
  name              text not null
    constraint users_name_check check (name <> '' and length(name) <= 200),
  email             text not null
    constraint users_email_check check (email = lower(email) and length(email) <= 254),
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

-- One row for each user and clinic; admins need none. Revoking every permission keeps the row, so
-- that devices receive the change.
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

-- Notices that a user dismissed on their own screens, such as the first-day checklist. Neither
-- audited nor synced.
create table dismissals (
  user_id      uuid not null references users on delete cascade,
  notice       text not null check (notice <> '' and length(notice) <= 100),
  dismissed_at timestamptz(3) not null default clock_timestamp(),
  primary key (user_id, notice)
);

insert into cascade_rules (parent, child, child_column, effect) values
  ('clinics', 'clinic_departments', 'clinic_id', 'delete'),
  ('users', 'user_clinic_permissions', 'user_id', 'delete'),
  ('clinics', 'user_clinic_permissions', 'clinic_id', 'delete');
