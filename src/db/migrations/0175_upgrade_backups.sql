-- The backup that a start makes before the migrations of a newer version.
alter table backups
  drop constraint backups_kind_check,
  add constraint backups_kind_check check (kind in ('daily', 'asked', 'command', 'upgrade'));
