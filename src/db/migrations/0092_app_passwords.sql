-- App passwords (SECURITY.md): each phone signs in with a code of its own, which its user sees once. It
-- has 100 random bits, so its plain SHA-256 is as good as a slow hash, and it is looked up directly.
create table app_passwords (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references users on delete cascade,
  -- as the user calls the phone
  name         text not null check (name <> ''),
  code_hash    bytea not null constraint app_passwords_code_hash_key unique,
  created_at   timestamptz(3) not null default clock_timestamp(),
  last_used_at timestamptz(3),
  last_address text not null default '',
  -- kept after it: it names the syncs of that phone
  revoked_at   timestamptz(3)
);
create index app_passwords_user_idx on app_passwords (user_id, created_at);

-- phone: what an app password opens: sync and /rpc, nothing else. Until now it was what the account's
-- password alone opened for users with a second factor; they now sign in with an app password.
delete from sessions where kind = 'phone';
alter table sessions
  add column app_password_id uuid references app_passwords on delete cascade,
  add constraint sessions_app_password_check check ((kind = 'phone') = (app_password_id is not null));
-- All programs of a user share one token; each phone with an app password has its own.
drop index sessions_reusable_key;
create unique index sessions_token_key on sessions (user_id) where kind = 'token';
create unique index sessions_app_password_key on sessions (app_password_id);

-- What the phone signed in with at its last pull; null: the account's password.
alter table sync_chains
  add column app_password_id uuid references app_passwords on delete set null;
