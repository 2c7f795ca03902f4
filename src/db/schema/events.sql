-- Event forms: their versions, and the answers by question.

-- Versions ---------------------------------------------------------------------------------------

create function number_event_form() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.version := 1;
  else
    new.version := old.version + (
      (new.name, new.description, new.language, new.form_fields, new.translations)
      is distinct from
      (old.name, old.description, old.language, old.form_fields, old.translations))::int;
  end if;
  return new;
end $$;
create trigger number_version before insert or update on event_forms
  for each row execute function number_event_form();

create function keep_event_form_version() returns trigger language plpgsql as $$
begin
  insert into event_form_versions
    (form_id, version, name, description, language, form_fields, translations, saved_by)
  values (new.id, new.version, new.name, new.description, new.language, new.form_fields,
    new.translations, nullif(current_setting('sanad.user_id', true), '')::uuid)
  on conflict do nothing;
  return null;
end $$;
create trigger keep_first_version after insert on event_forms
  for each row execute function keep_event_form_version();
create trigger keep_next_version after update on event_forms
  for each row when (new.version <> old.version) execute function keep_event_form_version();

-- A version never changes.
create trigger event_form_versions_append_only
  before update or delete or truncate on event_form_versions
  for each statement execute function refuse_change();

-- Devices do not know versions: an event without one answered the newest. Set before the row is checked.
create function newest_form_version() returns trigger language plpgsql as $$
begin
  select version into new.form_version from event_forms where id = new.form_id;
  return new;
end $$;
create trigger form_version before insert on events
  for each row when (new.form_version is null and new.form_id is not null)
  execute function newest_form_version();
create trigger form_changed before update of form_id on events
  for each row when (new.form_id is distinct from old.form_id)
  execute function newest_form_version();

-- Answers ----------------------------------------------------------------------------------------

/* An answer as a number, whatever its digits; null if it is not one. */
create function answer_number(value jsonb) returns numeric
language plpgsql immutable parallel safe as $$
declare
  text text := value #>> '{}';
begin
  -- whole numbers, which most are, without a regular expression: a third of the time
  if ltrim(text, '0123456789') = '' and length(text) between 1 and 30 then
    return text::numeric;
  end if;
  text := translate(text, '٠١٢٣٤٥٦٧٨٩٫', '0123456789.');
  if text ~ '^\s*[-+]?(\d{1,30}\.?\d{0,30}|\.\d{1,30})(e[-+]?\d{1,2})?\s*$' then
    return text::numeric;
  end if;
  return null;
end $$;

/*
 * {fieldId: value}. The first of two answers to one field counts; an empty one is no answer. A table
 * function, so that PostgreSQL inlines it: a quarter of the time for each event.
 */
create function answers_of(form_data jsonb) returns table (answers jsonb)
language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(answer ->> 'fieldId', answer -> 'value'), '{}')
  from (
    select distinct on (answer ->> 'fieldId') answer
    from jsonb_array_elements(form_data) with ordinality as stored (answer, place)
    where answer ->> 'fieldId' is not null
    order by answer ->> 'fieldId', place
  ) first_of_each
  where answer ->> 'value' <> ''
$$;

-- A deleted event keeps its answers, because it may be restored.
create function keep_answers() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into event_answers (event_id, answers)
    select n.id, a.answers from new_rows n, answers_of(n.form_data) a;
  else
    insert into event_answers (event_id, answers)
    select n.id, a.answers
    from new_rows n join old_rows o on o.id = n.id, answers_of(n.form_data) a
    where n.form_data is distinct from o.form_data
    on conflict (event_id) do update set answers = excluded.answers;
  end if;
  return null;
end $$;
create trigger answers_insert after insert on events referencing new table as new_rows
  for each statement execute function keep_answers();
create trigger answers_update after update on events
  referencing old table as old_rows new table as new_rows
  for each statement execute function keep_answers();
