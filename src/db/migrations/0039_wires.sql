-- What phones are told of a row is written down when the row is, so that a pull of everything only reads. To put it
-- together anew for every phone took PostgreSQL four fifths of the time of a pull.

-- How: SQL over the alias t for a row as phones are told it, and for whose it is, or null. A server writes it here when it
-- starts, out of src/sync/tables.ts.
create table wire_expressions (
  table_name text primary key,
  text       text not null,
  patient_id text not null
);

-- Keeps in wire_<table> what the table's living rows say. Dates are told as ISO, whatever a session prefers.
create function keep_wire() returns trigger language plpgsql set datestyle = 'ISO, YMD' as $$
declare
  wire name := 'wire_' || tg_table_name;
  told wire_expressions := (select e from wire_expressions e where table_name = tg_table_name);
begin
  -- a database that no server has been started on: the first one writes down all that is there by then
  if told.text is null then return null; end if;
  if tg_op = 'DELETE' then
    execute format('delete from %I w using old_rows o where w.row_id = o.id', wire);
    return null;
  end if;
  if tg_op = 'UPDATE' then
    execute format('delete from %I w using new_rows n where w.row_id = n.id and n.is_deleted', wire);
  end if;
  -- the rows as they are by now: another trigger of the same statement may have changed them since
  execute format(
    'insert into %1$I as w (row_id, patient_id, text)
     select t.id, %2$s, %3$s from new_rows n join %4$I t on t.id = n.id where not t.is_deleted
     on conflict (row_id) do update set patient_id = excluded.patient_id, text = excluded.text where w.text <> excluded.text',
    wire, told.patient_id, told.text, tg_table_name);
  return null;
end $$;

create function keep_written_down(p_table regclass) returns void language plpgsql as $$
begin
  -- a row of some kilobytes stays in its page, where a pull finds it on its way
  execute format('create table wire_%s (row_id uuid primary key, patient_id uuid, text text not null) with (toast_tuple_target = 8160)', p_table);
  execute format('create index wire_%1$s_patient_idx on wire_%1$s (patient_id) where patient_id is not null', p_table);
  -- rows of forms with pictures are sent by themselves: several would outgrow a text
  execute format('create index wire_%1$s_long_idx on wire_%1$s (row_id) where octet_length(text) >= 16384', p_table);
  execute format('create trigger wire_insert after insert on %s referencing new table as new_rows for each statement execute function keep_wire()', p_table);
  execute format('create trigger wire_update after update on %s referencing new table as new_rows for each statement execute function keep_wire()', p_table);
  execute format('create trigger wire_delete after delete on %s referencing old table as old_rows for each statement execute function keep_wire()', p_table);
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
