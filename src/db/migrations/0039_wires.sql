-- What phones are told of a row is written down when the row is, so that a pull of everything only reads. To put it
-- together anew for every phone took PostgreSQL four fifths of the time of a pull.

create function forget_written_down() returns trigger language plpgsql as $$
begin
  execute format('delete from wire_%s w using old_rows o where w.row_id = o.id', tg_table_name);
  return null;
end $$;

-- Makes wire_<table>, which holds what the table's living rows say. How they say it, write_down_<table>() knows: a server
-- that starts puts there what src/sync/tables.ts says, and writes down all that is there by then (src/sync/wires.server.ts).
create function keep_written_down(p_table regclass) returns void language plpgsql as $$
begin
  -- a row of some kilobytes stays in its page, where a pull finds it on its way
  execute format('create table wire_%s (row_id uuid primary key, patient_id uuid, text text not null) with (toast_tuple_target = 8160)', p_table);
  execute format('create index wire_%1$s_patient_idx on wire_%1$s (patient_id) where patient_id is not null', p_table);
  -- rows of forms with pictures are sent by themselves: several would outgrow a text
  execute format('create index wire_%1$s_long_idx on wire_%1$s (row_id) where octet_length(text) >= 16384', p_table);
  execute format('create function write_down_%s() returns trigger language plpgsql as ''begin return null; end''', p_table);
  execute format('create trigger wire_insert after insert on %1$s referencing new table as new_rows for each statement execute function write_down_%1$s()', p_table);
  execute format('create trigger wire_update after update on %1$s referencing new table as new_rows for each statement execute function write_down_%1$s()', p_table);
  execute format('create trigger wire_delete after delete on %s referencing old table as old_rows for each statement execute function forget_written_down()', p_table);
end $$;

select keep_written_down(tgrelid) from pg_trigger where tgname = 'sync_insert';

-- As in 0030, for a table that is to come.
create or replace function keep_synced(p_table regclass) returns void language plpgsql as $$
begin
  execute format('create trigger sync_insert after insert on %s referencing new table as new_rows for each statement execute function follow_for_sync()', p_table);
  execute format('create trigger sync_update after update on %s referencing old table as old_rows new table as new_rows for each statement execute function follow_for_sync()', p_table);
  execute format('create trigger sync_delete after delete on %s referencing old table as old_rows for each statement execute function follow_for_sync()', p_table);
  perform keep_written_down(p_table);
end $$;
