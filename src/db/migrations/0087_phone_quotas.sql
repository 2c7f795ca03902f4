-- What the phones of a user have stored today, and the entries of their log that were over the quota.
create table sync_storage (
  user_id      uuid primary key,
  day          date not null default current_date,
  log_bytes    bigint not null default 0,
  logs_dropped bigint not null default 0
);
