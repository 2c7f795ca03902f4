-- Several processes on one database: one code for its set-up, and reads from a replica.

-- The code is derived from the nonce and the instance key, so that every process prints the same one.
alter table setup_codes add column nonce uuid;
create unique index setup_codes_one_idx on setup_codes ((nonce is not null)) where nonce is not null;

-- Where the write-ahead log ended after the newest write of each user: a replica that has replayed less must not
-- answer that user.
create table user_writes (
  user_id uuid primary key references users on delete cascade,
  lsn     pg_lsn not null
);
