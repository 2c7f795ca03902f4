-- A file holds one list: patients, medicines, or stock. Medicines belong to no clinic.
alter table imports
  add column list text not null default 'patients'
    constraint imports_list_check check (list in ('patients', 'medicines', 'stock')),
  alter column clinic_id drop not null,
  add constraint imports_list_clinic_check check (clinic_id is not null or list = 'medicines'),
  -- chosen by the user; null: the first sheet that has rows
  add column sheet text,
  -- the line of the headings, chosen by the user; null: found
  add column heading_line integer
    constraint imports_heading_line_check check (heading_line between 1 and 1000),
  -- a changed row changes the record that it recognizes; false: the record stays as it is
  add column updates boolean not null default false,
  drop constraint imports_delimiter_check,
  add constraint imports_delimiter_check
    check (delimiter in ('comma', 'semicolon', 'tab', 'pipe')),
  drop constraint imports_task_check,
  add constraint imports_task_check check (task in ('check', 'import', 'undo'));

-- What an import wrote, for its undo: a row is deleted, or gets its former values, unless it was
-- changed since.
create table import_changes (
  import_id  uuid not null references imports on delete cascade,
  table_name text not null,
  row_id     uuid not null,
  -- null: the import made the row
  before     jsonb,
  -- the values that the import gave to the columns of `before`; null with it
  after      jsonb,
  primary key (import_id, table_name, row_id)
);
