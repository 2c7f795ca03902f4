-- Prescriptions: their statuses, and what follows from dispensing.

-- Statuses ---------------------------------------------------------------------------------------

/* The usual changes of a status. Any other is possible and marked as unusual. */
create function is_usual_step(was text, becomes text) returns boolean language sql immutable as $$
  select was = becomes or was = 'other' or becomes = 'other'
    or (becomes = 'cancelled' and was <> 'picked-up')
    or (was, becomes) in (
      ('pending', 'prepared'),
      ('prepared', 'picked-up'),
      ('prepared', 'partially-picked-up'),
      ('prepared', 'not-picked-up'),
      ('partially-picked-up', 'picked-up'),
      ('not-picked-up', 'prepared'))
$$;

-- A status that follows from dispensing (`sanad.following`) is not a user's unusual choice. A reason
-- belongs to the change that it was given for: the next change, also from a device, clears it.
create function mark_unusual_step() returns trigger language plpgsql as $$
begin
  new.unusual_from := case
    when is_usual_step(old.status, new.status) or current_setting('sanad.following', true) = 'on'
      then null
    else old.status end;
  if new.status_reason is not distinct from old.status_reason then new.status_reason := null; end if;
  return new;
end $$;
create trigger unusual before update of status on prescriptions
  for each row when (old.status is distinct from new.status) execute function mark_unusual_step();

-- What follows from dispensing -------------------------------------------------------------------

create function dispensed_of(p_item uuid) returns numeric language sql stable as $$
  select coalesce(sum(quantity_dispensed), 0) from dispensing_records
  where prescription_item_id = p_item and not is_deleted
$$;

-- Whatever is written into an item, these columns are calculated from the dispensing records.
create function follow_dispensed() returns trigger language plpgsql as $$
declare
  given numeric := dispensed_of(new.id);
begin
  new.quantity_dispensed := given;
  new.refills_used := case
    when given <= 0 then 0
    else least(
      new.refills_authorized,
      greatest(ceil(given / new.quantity_prescribed) - 1, 0)) end;
  if given > 0 and new.item_status <> 'cancelled' then
    new.item_status := case
      when given >= new.quantity_prescribed * (1 + new.refills_authorized) then 'completed'
      else 'partially_dispensed' end;
  end if;
  return new;
end $$;
create trigger dispensed before insert or update of
    quantity_prescribed, refills_authorized, quantity_dispensed, refills_used, item_status
  on prescription_items for each row execute function follow_dispensed();

/* Whether something of the prescription was dispensed at that time, reversed or not. */
create function is_filling_of_record(p_prescription uuid, p_at timestamptz) returns boolean
language sql stable as $$
  select exists (select from dispensing_records r join prescription_items i on i.id = r.prescription_item_id
    where i.prescription_id = p_prescription and r.dispensed_at = p_at)
$$;

/*
 * Sets the status of prescriptions after something was dispensed or everything was reversed. The
 * dispensing that completes a prescription is its filling. What a device sent as its filling stays until
 * then; a filling that came from a record is cleared when the prescription is no longer complete.
 */
create function follow_items(p_prescriptions uuid[]) returns void language plpgsql as $$
begin
  -- an import knows the status, which the former server set
  if current_setting('sanad.following', true) = 'on' then return; end if;
  perform set_config('sanad.following', 'on', true);
  update prescriptions p set status = f.status,
    filled_at = case
      when f.status = 'picked-up' then f.last_at
      when not is_filling_of_record(p.id, p.filled_at) then p.filled_at end,
    filled_by = case
      when f.status = 'picked-up' then f.last_by
      when not is_filling_of_record(p.id, p.filled_at) then p.filled_by end
  from (
    select i.prescription_id as id, last.dispensed_at as last_at, last.dispensed_by as last_by,
      case
        when not bool_or(i.quantity_dispensed > 0) then 'pending'
        -- nothing is left to dispense once every item was stopped
        when coalesce(
          bool_and(i.item_status = 'completed') filter (where i.item_status <> 'cancelled'), true)
          then 'picked-up'
        else 'partially-picked-up' end as status
    from prescription_items i
    -- one join for all: a lateral query without statistics reads every record for each item
    left join (
      select distinct on (s.prescription_id) s.prescription_id, r.dispensed_at, r.dispensed_by
      from prescription_items s join dispensing_records r on r.prescription_item_id = s.id
      where s.prescription_id = any(p_prescriptions) and not r.is_deleted and r.quantity_dispensed > 0
      order by s.prescription_id, r.dispensed_at desc, r.id desc
    ) last on last.prescription_id = i.prescription_id
    where i.prescription_id = any(p_prescriptions) and not i.is_deleted
    group by i.prescription_id, last.dispensed_at, last.dispensed_by
  ) f
  where p.id = f.id and p.status not in ('cancelled', 'other')
    and (p.status <> f.status
      or (f.status = 'picked-up' and (p.filled_at, p.filled_by) is distinct from (f.last_at, f.last_by)))
    -- a waiting prescription of which nothing was dispensed keeps its status
    and (f.status <> 'pending' or p.status in ('picked-up', 'partially-picked-up'));
  perform set_config('sanad.following', '', true);
end $$;

create function follow_records() returns trigger language plpgsql as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    touched := array(
      select distinct prescription_item_id from new_rows where prescription_item_id is not null);
  else
    touched := array(
      select prescription_item_id from new_rows where prescription_item_id is not null
      union
      select prescription_item_id from old_rows where prescription_item_id is not null);
  end if;
  if cardinality(touched) = 0 then return null; end if;
  update prescription_items set item_status = case
      when item_status in ('partially_dispensed', 'completed') and dispensed_of(id) <= 0
        then 'active'
      else item_status end
    where id = any(touched);
  perform follow_items(
    array(select distinct prescription_id from prescription_items where id = any(touched)));
  return null;
end $$;
create trigger follow_insert after insert on dispensing_records referencing new table as new_rows
  for each statement execute function follow_records();
create trigger follow_update after update on dispensing_records
  referencing old table as old_rows new table as new_rows
  for each statement execute function follow_records();

-- What a patient received is never removed, only reversed. A tombstone is an update.
create trigger kept_for_ever before delete or truncate on dispensing_records
  for each statement execute function refuse_removal();

-- Cancelling the last open item completes the prescription.
create function follow_item_status() returns trigger language plpgsql as $$
declare
  touched uuid[] := array(
    select distinct n.prescription_id from new_rows n join old_rows o on o.id = n.id
    where n.item_status <> o.item_status and n.quantity_dispensed > 0);
begin
  if cardinality(touched) > 0 then perform follow_items(touched); end if;
  return null;
end $$;
create trigger follow_status after update on prescription_items
  referencing old table as old_rows new table as new_rows
  for each statement execute function follow_item_status();

-- Reservations -----------------------------------------------------------------------------------

-- Stock that is reserved for a prescription is released once the prescription is completed or cancelled.
create function release_prescription() returns trigger language plpgsql as $$
begin
  delete from stock_reservations r using prescription_items i
    where i.prescription_id = new.id and r.reference_id = i.id;
  return null;
end $$;
create trigger release after update of status, is_deleted on prescriptions
  for each row when (new.is_deleted or new.status not in ('prepared', 'partially-picked-up'))
  execute function release_prescription();

create function release_item() returns trigger language plpgsql as $$
begin
  delete from stock_reservations where reference_id = new.id;
  return null;
end $$;
create trigger release after update of item_status, is_deleted on prescription_items
  for each row when (new.is_deleted or new.item_status in ('completed', 'cancelled'))
  execute function release_item();

-- A number of JSON as a program of JavaScript writes it: 1.0 is "1", and 1e21 stays short.
create function number_text(given numeric) returns text language sql immutable as $$
  select case
    when abs(given) >= 1.7976931348623159e308 then case when given < 0 then '-' else '' end || 'Infinity'
    when abs(given) < 2.5e-324 then '0'
    when abs(given) >= 1e-6 and abs(given) < 1e21 then trim_scale(given::float8::text::numeric)::text
    else regexp_replace(given::float8::text, 'e([+-])0+', 'e\1')
  end
$$;

-- A text or a number of JSON as JavaScript writes it.
create function scalar_text(given jsonb) returns text language sql immutable as $$
  select case jsonb_typeof(given) when 'number' then number_text((given #>> '{}')::numeric) else given #>> '{}' end
$$;

-- What a line of text of a phone says, as `parseFreeText` reads it: a test compares them.
create function line_text(entry jsonb) returns text language sql immutable as $$
  select case jsonb_typeof(entry)
    when 'string' then scalar_text(entry)
    when 'number' then scalar_text(entry)
    when 'object' then (
      select string_agg(scalar_text(value), ' · ' order by
          -- JavaScript has keys that are indexes first
          case when key ~ '^(0|[1-9]\d{0,9})$' then key::bigint < 4294967295 else false end desc, at)
      from jsonb_each(entry) with ordinality part(key, value, at)
      where jsonb_typeof(value) in ('string', 'number') and value <> '""')
    when 'array' then (
      select string_agg(scalar_text(value), ' · ' order by at)
      from jsonb_array_elements(entry) with ordinality part(value, at)
      where jsonb_typeof(value) in ('string', 'number') and value <> '""')
    -- true, false and null are words
    else entry::text
  end
$$;
