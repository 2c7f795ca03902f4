-- What may still be going on long after it began: the appointments to come begin with the first of these.
create index appointments_long_idx on appointments (timestamp) include (duration)
  where duration > 180 and not is_deleted;
