-- Moving in from another server (docs/exchange.md, "Moving in from Hikma").

-- What each row held when it was imported last, so that a repeated run takes only what changed.
create table import_rows (
  source     text not null,
  table_name text not null,
  row_id     uuid not null,
  -- digests of eight bytes: of the source row, then of each imported value in the order of the mapping
  columns    bytea not null,
  run        integer not null,
  primary key (source, table_name, row_id)
);

-- Passwords of the former server, until their users sign in for the first time.
create table credentials_bcrypt (
  user_id     uuid primary key references users on delete cascade,
  password    text not null check (password ~ '^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$'),
  imported_at timestamptz(3) not null default clock_timestamp()
);
