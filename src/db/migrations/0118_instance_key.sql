-- The instance key is in a file of the data directory, or in SANAD_SECRET, and no longer here. The next
-- start moves the key of an existing database into the file, so that sessions, tokens and second factors
-- go on. `fingerprint` says which key the records belong to: a process that has another one is refused.
alter table instance_keys
  alter column value drop not null,
  alter column value drop default,
  add column fingerprint text;

-- a database without users has used its key for nothing
update instance_keys set value = null where not exists (select from users);
