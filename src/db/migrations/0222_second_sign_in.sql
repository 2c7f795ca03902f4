-- A second person confirms with a sign-in that a medicine is given against a recorded severe reaction: a setting, off.
insert into app_config (id, namespace, key, value, data_type, display_name) values
  ('0190b3c4-7a00-7000-8000-00000000ca52', 'care', 'second-sign-in', 'false', 'boolean',
    'Second sign-in for grave warnings');
alter table app_config add constraint app_config_second_sign_in_check check (
  (namespace, key) <> ('care', 'second-sign-in') or value in ('true', 'false'));

alter table safety_overrides
  -- the user who confirmed it with a sign-in
  add column confirmed_by uuid references users deferrable,
  -- the setting was on, and nobody was asked: it came from a phone, or was an emergency
  add column is_unconfirmed boolean not null default false,
  add constraint safety_overrides_confirmed_check check (
    confirmed_by is null or (confirmed_by is distinct from overridden_by and not is_unconfirmed));

-- A sign-in that confirms one warning, for minutes and for one save of the user who asked for it.
create table override_confirmations (
  id           uuid primary key,
  asked_by     uuid not null references users on delete cascade deferrable,
  confirmed_by uuid not null references users on delete cascade deferrable,
  patient_id   uuid not null,
  warning_key  text not null,
  at           timestamptz(3) not null default clock_timestamp(),
  constraint override_confirmations_two_check check (asked_by <> confirmed_by)
);
create index override_confirmations_at_idx on override_confirmations (at);
create index override_confirmations_asked_idx on override_confirmations (asked_by, patient_id);
