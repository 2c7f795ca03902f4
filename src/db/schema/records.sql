-- What every record table has: timestamps, the audit trail, and change notifications.

-- The database owns server_created_at and last_modified. last_modified always grows, even if the
-- clock steps back, because a stale save is detected by comparing it. It has milliseconds, so that a
-- JavaScript Date holds it exactly.
create function stamp() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.server_created_at := clock_timestamp();
    new.last_modified := new.server_created_at;
  else
    new.server_created_at := old.server_created_at;
    new.last_modified := greatest(clock_timestamp(), old.last_modified + interval '1 millisecond');
  end if;
  if new.is_deleted then
    new.deleted_at := coalesce(new.deleted_at, clock_timestamp());
  else
    new.deleted_at := null;
  end if;
  return new;
end $$;

-- Every process of Sanad listens on `sanad_changes` and refreshes the screens that show the table.
-- The notification holds the name of the table and no data.
create function tell_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('sanad_changes', tg_table_name);
  return null;
end $$;

-- The user who created the row: the user of the transaction, unless the row names one.
create function keep_recorder() returns trigger language plpgsql as $$
begin
  new.recorded_by_user_id := coalesce(
    new.recorded_by_user_id,
    (select id from users where id = acting_user()));
  return new;
end $$;

/* Connects a table to change notifications. */
create function keep_news(p_table regclass) returns void language plpgsql as $$
begin
  execute format(
    'create trigger tell after insert or update or delete on %s
     for each statement execute function tell_change()', p_table);
end $$;

/*
 * Connects a table of records to timestamps, audit and change notifications (tables.sql).
 * `hidden`: columns whose values the audit trail masks.
 */
create function keep_record(p_table regclass, variadic hidden text[] default '{}') returns void
language plpgsql as $$
declare
  hide text := (select coalesce(string_agg(quote_literal(h), ', '), '') from unnest(hidden) h);
begin
  execute format(
    'create trigger stamp before insert or update on %s
     for each row execute function stamp()', p_table);
  execute format(
    'create trigger audit_insert after insert on %s referencing new table as new_rows
     for each statement execute function audit_change(%s)', p_table, hide);
  execute format(
    'create trigger audit_update after update on %s
     referencing old table as old_rows new table as new_rows
     for each statement execute function audit_change(%s)', p_table, hide);
  execute format(
    'create trigger audit_delete after delete on %s referencing old table as old_rows
     for each statement execute function audit_change(%s)', p_table, hide);
  perform keep_news(p_table);
end $$;
