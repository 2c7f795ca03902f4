-- Answers by question, for tables, filters and charts over thousands of events: `form_data` as phones write it has to be
-- searched through for each value. One row per event, made from form_data and never written otherwise.

/* {fieldId: value}. Where two answer one field, the first counts; what was left empty is no answer. */
create function answers_of(form_data jsonb) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(answer ->> 'fieldId', answer -> 'value'), '{}')
  from (
    select distinct on (answer ->> 'fieldId') answer
    from jsonb_array_elements(form_data) with ordinality as stored (answer, place)
    where answer ->> 'fieldId' is not null
    order by answer ->> 'fieldId', place
  ) first_of_each
  where answer ->> 'value' <> ''
$$;

create table event_answers (
  event_id uuid primary key references events on delete cascade,
  answers  jsonb not null
);
create index event_answers_answers_idx on event_answers using gin (answers jsonb_path_ops);

-- Whoever writes an event, a person, a phone or a command; a deleted one keeps its answers and may come back.
create function keep_answers() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into event_answers (event_id, answers) select id, answers_of(form_data) from new_rows;
  else
    insert into event_answers (event_id, answers)
    select n.id, answers_of(n.form_data) from new_rows n join old_rows o on o.id = n.id
    where n.form_data is distinct from o.form_data
    on conflict (event_id) do update set answers = excluded.answers;
  end if;
  return null;
end $$;
create trigger answers_insert after insert on events
  referencing new table as new_rows for each statement execute function keep_answers();
create trigger answers_update after update on events
  referencing old table as old_rows new table as new_rows for each statement execute function keep_answers();

insert into event_answers (event_id, answers) select id, answers_of(form_data) from events;

drop index events_form_data_idx;
drop function answer_value;
