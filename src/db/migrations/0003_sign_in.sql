-- Sign-in: passwords, sessions, second factors, and protection against guessing. Devices receive
-- none of it. Values are never audited; the operations write what happened into the audit trail.

-- Keys of the keyed hashes (src/features/sessions/secret.server.ts), used where SANAD_SECRET is not
-- set.
create table instance_keys (
  name       text primary key,
  value      bytea not null default gen_random_bytes(32),
  created_at timestamptz(3) not null default now()
);
insert into instance_keys (name) values ('sessions');

-- argon2id in the PHC format. Devices only ever receive a mask in `users.hashed_password`.
create table credentials (
  user_id    uuid primary key references users on delete cascade,
  password   text not null check (password like '$argon2id$%'),
  changed_at timestamptz(3) not null default clock_timestamp(),
  -- an administrator set the password, so its owner must change it first
  must_change boolean not null default false
);

-- browser: signed in with the form; opens every screen until locked or expired.
-- token:   signed in over HTTP; the same rights with a Bearer token.
-- phone:   what a password alone opens for a user with a second factor: sync and /rpc, nothing else.
-- pending: the password was correct, the second factor is missing. Opens nothing.
-- A session ends by expiring. It is kept for a month, because it shows from where a user usually
-- signs in.
create table sessions (
  id           uuid primary key default gen_random_uuid(),
  user_id      uuid not null references users on delete cascade,
  kind         text not null check (kind in ('browser', 'token', 'phone', 'pending')),
  token_hash   bytea not null,
  user_agent   text not null default '',
  address      text not null default '',
  created_at   timestamptz(3) not null default clock_timestamp(),
  last_seen_at timestamptz(3) not null default clock_timestamp(),
  locked_at    timestamptz(3),
  expires_at   timestamptz(3) not null
);
create unique index sessions_token_hash_key on sessions (token_hash);
create index sessions_user_idx on sessions (user_id, kind, address);
create index sessions_expires_idx on sessions (expires_at);
-- All devices and programs of a user share one token: a device signs in four times for each sync.
create unique index sessions_reusable_key
  on sessions (user_id, kind) where kind in ('token', 'phone');

-- A second factor is required from `enabled_at` on; before that, its first code was not entered
-- yet.
create table second_factors (
  user_id    uuid primary key references users on delete cascade,
  secret     bytea not null,
  enabled_at timestamptz(3),
  -- the last time step whose code was accepted: each code works once (RFC 6238, section 5.2)
  last_step  bigint not null default 0
);

create table recovery_codes (
  user_id   uuid not null references users on delete cascade,
  code_hash bytea not null,
  used_at   timestamptz(3),
  primary key (user_id, code_hash)
);

-- Distinct wrong guesses. `mark` is 16 bits of a keyed hash: enough to tell guesses apart, too
-- little to recover one.
create table wrong_guesses (
  subject  text not null,
  address  text not null,
  mark     integer not null,
  at       timestamptz(3) not null default clock_timestamp(),
  primary key (subject, address, mark)
);
create index wrong_guesses_address_idx on wrong_guesses (address, at);
create index wrong_guesses_at_idx on wrong_guesses (at);

-- One for each start of the server while no super_admin exists; deleted once one does.
create table setup_codes (
  code_hash  bytea primary key,
  created_at timestamptz(3) not null default clock_timestamp()
);
