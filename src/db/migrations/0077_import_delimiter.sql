-- What stands between the cells of an uploaded file, if the user chose it; null: guessed from the file's first line.
alter table imports add column delimiter text
  constraint imports_delimiter_check check (delimiter in ('comma', 'semicolon', 'tab'));
