-- Signing in: passwords, sessions, second factors, and what slows down guessing. None of this is a record that phones
-- keep, and none of it is ever audited by value; the operations write what happened into the audit trail.

-- Keys for what must be recognised but not read (src/features/sessions/secret.server.ts), where SANAD_SECRET isn't given.
create table instance_keys (
  name       text primary key,
  value      bytea not null default gen_random_bytes(32),
  created_at timestamptz(3) not null default now()
);
insert into instance_keys (name) values ('sessions');

-- argon2id in the PHC format. `users.hashed_password`, as phones know it, is only ever the mask.
create table credentials (
  user_id    uuid primary key references users on delete cascade,
  password   text not null check (password like '$argon2id$%'),
  changed_at timestamptz(3) not null default clock_timestamp()
);

-- browser: signed in by the form; every screen, until locked or over.
-- token:   signed in by HTTP; the same rights, as a Bearer token.
-- phone:   what a password alone opens when the person has a second factor: sync and /rpc, nothing else.
-- pending: the password was right, the second factor is still to come. Opens nothing.
-- An ended session is one whose time is over. It is kept for a month: it tells from where a person usually comes.
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
-- One reusable token for all phones and programs of a person: a phone signs in four times a sync.
create unique index sessions_reusable_key on sessions (user_id, kind) where kind in ('token', 'phone');

-- A second factor counts from `enabled_at` on; before, it is an offer whose code was not entered yet.
create table second_factors (
  user_id    uuid primary key references users on delete cascade,
  secret     bytea not null,
  enabled_at timestamptz(3),
  -- the last time step whose code was accepted: a code counts once (RFC 6238, section 5.2)
  last_step  bigint not null default 0
);

create table recovery_codes (
  user_id   uuid not null references users on delete cascade,
  code_hash bytea not null,
  used_at   timestamptz(3),
  primary key (user_id, code_hash)
);

-- Distinct wrong guesses. `mark` is 16 bits of a keyed hash of the guess: enough to tell one guess from the next, too
-- little to find out what it was.
create table wrong_guesses (
  subject  text not null,
  address  text not null,
  mark     integer not null,
  at       timestamptz(3) not null default clock_timestamp(),
  primary key (subject, address, mark)
);
create index wrong_guesses_address_idx on wrong_guesses (address, at);
create index wrong_guesses_at_idx on wrong_guesses (at);

-- One for each start of the server while nobody can sign in; all gone when somebody can.
create table setup_codes (
  code_hash  bytea primary key,
  created_at timestamptz(3) not null default clock_timestamp()
);

-- Whatever changes a person's rights or secrets ends his sessions, by whichever path it came.
create function end_sessions() returns trigger language plpgsql as $$
begin
  update sessions set expires_at = clock_timestamp() - interval '1 second'
    where user_id = (to_jsonb(new) ->> case when tg_table_name = 'users' then 'id' else 'user_id' end)::uuid
      and expires_at > clock_timestamp();
  return null;
end $$;
create trigger end_sessions after update of role, is_deleted, email on users for each row
  when (old.role <> new.role or old.email <> new.email or old.is_deleted <> new.is_deleted) execute function end_sessions();
create trigger end_sessions after update of password on credentials for each row
  when (old.password <> new.password) execute function end_sessions();
create trigger end_sessions after update of enabled_at on second_factors for each row
  when (old.enabled_at is distinct from new.enabled_at) execute function end_sessions();

-- Nobody signs in as somebody who is deleted, even between the check and the commit.
create function refuse_deleted_user() returns trigger language plpgsql as $$
begin
  if not exists (select from users where id = new.user_id and not is_deleted for share) then
    raise exception 'this user is deleted' using errcode = 'restrict_violation', constraint = 'sessions_user_deleted';
  end if;
  return new;
end $$;
create trigger user_live before insert on sessions for each row execute function refuse_deleted_user();

-- Set-up is open until somebody can let others in.
create function close_setup() returns trigger language plpgsql as $$
begin
  delete from setup_codes;
  return null;
end $$;
create trigger close_setup after insert or update of role, is_deleted on users for each row
  when (new.role = 'super_admin' and not new.is_deleted) execute function close_setup();
