-- The delimiter of an uploaded file if the user chose it; null: guessed from the first line of the file.
alter table imports add column delimiter text
  constraint imports_delimiter_check check (delimiter in ('comma', 'semicolon', 'tab'));
