-- How each column of a file writes its dates or numbers, by its heading. `date_format` is that of the other columns.
alter table imports add column formats jsonb;
