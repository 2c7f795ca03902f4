-- The last push of a device that was refused because of its size; null once one got through.
alter table sync_chains
  add column refused_bytes bigint,
  add column refused_at timestamptz(3);
