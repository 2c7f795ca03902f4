-- How sure a dry run is that a row's person is registered already.
alter table import_duplicates add column strength text not null default 'possible'
  constraint import_duplicates_strength_check check (strength in ('likely', 'possible'));
