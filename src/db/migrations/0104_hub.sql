-- Phones on the clinic's own network (docs/phone-sync.md, "The clinic's own network"): a listener of its own, and
-- messages that are sealed with a key between the hub and the phone.

-- The one hub of this Sanad. Its key pair is not stored: it is derived from the key of the instance.
create table hub (
  id         uuid primary key default gen_random_uuid(),
  enabled    boolean not null default false,
  is_only    boolean not null default true constraint hub_only_one unique check (is_only)
);
insert into hub default values;

-- One installation of the app that has signed in through the hub. It chooses `client_id` once and keeps it.
create table hub_phones (
  id              uuid primary key default gen_random_uuid(),
  client_id       text not null constraint hub_phones_client_id_key unique,
  user_id         uuid not null references users on delete cascade,
  -- what it signed in with; null: the account's password
  app_password_id uuid references app_passwords on delete set null,
  -- of its last handshake: the app makes a new key pair for each
  public_key      bytea not null check (octet_length(public_key) = 32),
  first_seen_at   timestamptz(3) not null default clock_timestamp(),
  last_seen_at    timestamptz(3) not null default clock_timestamp(),
  last_address    text not null default '',
  revoked_at      timestamptz(3)
);
create index hub_phones_user_idx on hub_phones (user_id);

-- The phones' keys of one handshake each. A key opens messages for a day. One that carried a command is kept for longer,
-- so that the same handshake is refused: its recorded commands could be sent again.
create table hub_keys (
  public_key bytea primary key check (octet_length(public_key) = 32),
  client_id  text not null,
  address    text not null,
  made_at    timestamptz(3) not null default clock_timestamp(),
  -- the phone, once a message with this key came with a valid token
  phone_id   uuid references hub_phones on delete cascade,
  wrote      boolean not null default false
);
create index hub_keys_client_idx on hub_keys (client_id, made_at desc);
create index hub_keys_address_idx on hub_keys (address, made_at) where phone_id is null;
create index hub_keys_made_idx on hub_keys (made_at);
create index hub_keys_phone_idx on hub_keys (phone_id) where phone_id is not null;

-- Each message is accepted once.
create table hub_nonces (
  public_key bytea not null references hub_keys on delete cascade,
  nonce      bytea not null check (octet_length(nonce) = 12),
  primary key (public_key, nonce)
);

-- The phone of a chain, if it last pulled through the hub.
alter table sync_chains
  add column hub_phone_id uuid references hub_phones on delete set null;
create index sync_chains_hub_phone_idx on sync_chains (hub_phone_id) where hub_phone_id is not null;
-- The number that a pull was made from. A push through the hub names that one, not the pull before it.
alter table sync_pulls add column made_from bigint;
