-- The link of a clinic's waiting-room screen. Its token opens queue numbers and nothing else, so that no session stays
-- open in a public room. Only the hash is stored; a new link replaces the one before.
create table board_links (
  clinic_id          uuid primary key references clinics,
  token_hash         bytea not null constraint board_links_token_hash_key unique,
  created_by_user_id uuid not null references users,
  created_at         timestamptz(3) not null default clock_timestamp()
);
