-- Files without a line of column names, and lists that lack what the registration form requires.
alter table imports
  drop constraint imports_heading_line_check,
  -- 0: the file has no headings; its columns are named by their numbers
  add constraint imports_heading_line_check check (heading_line between 0 and 1000),
  -- the user registers patients without values that the form requires
  add column allows_missing boolean not null default false;
