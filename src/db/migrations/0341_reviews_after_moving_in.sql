-- What a clinician looks at after a move from another system: a word that lost its meaning, an entry without its code.
create table moved_in_reviews (
  -- made of the row, the column and the rule: a repeated move finds it again
  id                uuid primary key,
  patient_id        uuid not null references patients deferrable,
  table_name        text not null,
  row_id            uuid not null,
  column_name       text not null default '',
  rule              text not null,
  -- as the former system had it
  word              text not null default '',
  done_by           uuid references users deferrable,
  done_at           timestamptz(3),
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint moved_in_reviews_done_check check ((done_at is null) = (done_by is null))
);
create index moved_in_reviews_patient_idx on moved_in_reviews (patient_id);
create index moved_in_reviews_open_idx on moved_in_reviews (created_at, id) where done_at is null;
create index moved_in_reviews_done_idx on moved_in_reviews (done_at desc, id) where done_at is not null;
