-- The clinics that a patient has to do with, beside the words that he is found by: a search as somebody of two clinics then
-- looks at no other table. They mirror the open rows of patient_links, whatever changed those.
alter table patient_search add column clinics uuid[] not null default '{}';

create function follow_patient_links() returns trigger language plpgsql as $$
declare
  touched uuid[];
begin
  if tg_op = 'DELETE' then
    touched := array(select distinct patient_id from old_rows);
  else
    touched := array(select distinct patient_id from new_rows);
  end if;
  for i in 1 .. cardinality(touched) by 1000 loop
    update patient_search s set clinics = open.clinics
    from unnest(touched[i : i + 999]) id, lateral (
      select coalesce(array_agg(distinct clinic_id order by clinic_id), '{}') as clinics
      from patient_links where patient_id = id and until is null
    ) open
    where s.patient_id = id and s.clinics <> open.clinics;
  end loop;
  return null;
end $$;
create trigger search_insert after insert on patient_links referencing new table as new_rows
  for each statement execute function follow_patient_links();
create trigger search_update after update on patient_links referencing new table as new_rows
  for each statement execute function follow_patient_links();
create trigger search_delete after delete on patient_links referencing old table as old_rows
  for each statement execute function follow_patient_links();

update patient_search s set clinics = open.clinics
from (select patient_id, array_agg(distinct clinic_id order by clinic_id) as clinics
      from patient_links where until is null group by patient_id) open
where open.patient_id = s.patient_id;

-- As in 0006, with the clinics of whoever is found for the first time (registered, or back from the trash: his links stand
-- already). A thousand people at a time: PostgreSQL cannot know how many an import hands over, guesses a handful, and may
-- then compare everybody with everybody. Compiling the statement (jit) takes ten times as long as running it.
create or replace function refresh_patient_search(p_patients uuid[]) returns void language plpgsql set jit = off as $$
declare
  some_patients uuid[];
begin
  for i in 1 .. cardinality(p_patients) by 1000 loop
    some_patients := p_patients[i : i + 999];
    delete from patient_search s using unnest(some_patients) his (id) join patients p on p.id = his.id
      where s.patient_id = p.id and p.is_deleted;
  
    with searchable as materialized (select * from searchable_fields()),
    linked as materialized (
      select patient_id, array_agg(distinct clinic_id order by clinic_id) as clinics
      from unnest(some_patients) his (id) join patient_links on patient_id = his.id where until is null group by patient_id
    ),
    living as materialized (select p.* from unnest(some_patients) his (id) join patients p on p.id = his.id where not p.is_deleted),
    -- each name once: an import brings thousands of Mohammeds
    spelled as materialized (
      select name, search_text(name) as words, replace(array_to_string(name_sounds(name), ' '), '|', ' ') as skeletons
      from (select given_name as name from living union select surname from living) names where name is not null
    ), numbered as materialized (
      select id, coalesce(phone_numbers(phone), '{}') as phones, id_text(government_id) as government, id_text(external_patient_id) as external
      from living
    ), written as (
      select p.id, n.phones, coalesce(l.clinics, '{}') as clinics,
        ' ' || btrim(concat_ws(' ', g.words, s.words)) || ' ' as names,
        ' ' || btrim(concat_ws(' ', g.skeletons, s.skeletons)) || ' ' as skeletons,
        concat_ws(' ', array_to_string(n.phones, ' '), n.government, n.external) as ids,
        array_remove(array(select 'p:' || right(phone, 7) from unnest(n.phones) phone)
          || array['i:' || n.government, 'i:' || n.external], null) as keys,
        coalesce((
          select ' ' || search_text(string_agg(answer, ' ')) || ' ' from (
            select to_jsonb(p) ->> base_column from searchable where base_column in ('citizenship', 'hometown', 'camp')
            union all
            select concat_ws(' ', a.string_value, trim_scale(a.number_value))
            from patient_additional_attributes a join searchable on field_id = a.attribute_id
            where a.patient_id = p.id and not a.is_deleted
          ) answers (answer)), '') as more
      from living p join numbered n on n.id = p.id left join linked l on l.patient_id = p.id
      left join spelled g on g.name = p.given_name left join spelled s on s.name = p.surname
    ), new_words as (
      insert into name_words (word)
      select distinct split.word from spelled, regexp_split_to_table(words, ' ') split (word)
      where length(split.word) > 2 and not exists (select from name_words known where known.word = split.word)
      order by split.word
      on conflict do nothing
    )
    insert into patient_search as s (patient_id, names, skeletons, ids, keys, phones, more, clinics)
    select id, names, skeletons, ids, keys, phones, more, clinics from written
    on conflict (patient_id) do update set names = excluded.names, skeletons = excluded.skeletons, ids = excluded.ids,
      keys = excluded.keys, phones = excluded.phones, more = excluded.more
    where (s.names, s.skeletons, s.ids, s.keys, s.phones, s.more)
      is distinct from (excluded.names, excluded.skeletons, excluded.ids, excluded.keys, excluded.phones, excluded.more);
  end loop;
end $$;

-- Of the tables that know a patient, a merge moves the records: those that `keep_record` looks after. What only notes down
-- what was once done with a record (a line of an import) goes on naming the record that it was done with.
create or replace view patient_columns as
  select c.conrelid::regclass::text as table_name, a.attname::text as column_name
  from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
  where c.contype = 'f' and c.confrelid = 'patients'::regclass and cardinality(c.conkey) = 1
    and exists (select from pg_trigger t where t.tgrelid = c.conrelid and t.tgname = 'stamp' and t.tgfoid = 'stamp'::regproc);
