-- Search for patients and problem codes, tolerant of spelling. fold_text(), search_text() and
-- code_search_key() are in the migrations, because indexes depend on them.

-- Names in one form ------------------------------------------------------------------------------

-- The consonants of each word in classes: what محمد, Mohammed, Muhammad and Mohamad have in common
-- (mhmd). The article, "bin" and "de" are left out; عبدالرحمن, Abdul Rahman and Abderrahmane are the
-- same two words. ث and th are written t or s, ذ ض ظ and dh are written d or z: such a word is returned
-- in each form, "asmn|atmn". One entry for each word, none for other scripts.
-- A rule a line, each over what the one before it left; a test finds that the two names of its comment sound alike by
-- the rule, and not without it. 1 and 2 stand for th and dh, capitals for sounds that a word begins with.
create function name_sounds(t text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg((
    select string_agg(distinct translate(word, '12', sounds), '|')
    from (values ('td'), ('tz'), ('sd'), ('sz')) v (sounds)
  ) order by place), '{}')
  from (select ' ' || replace(fold_text(t), ' ', '  ') || ' ') r0 (w),
    lateral (select regexp_replace(r0.w, ' (بن|ابن|بنت|bin|bint|ibn|ben|de|del|la|las|los|y) ',
      ' ', 'g')) r1 (w), -- Omar bin Said = Omar Said
    lateral (select regexp_replace(r1.w, ' abd *[aeiou]?([rsnztd]) *\1', ' abd  \1', 'g')) r2 (w), -- Abderrahim = Abd Rahim
    lateral (select regexp_replace(r2.w, ' abd *[aeiou]l *', ' abd  ', 'g')) r3 (w), -- Abdul Latif = Abd Latif
    lateral (select regexp_replace(r3.w, ' a([rsnztd]h?)  \1', ' \1', 'g')) r4 (w), -- Ar Rashid = Rashid
    lateral (select regexp_replace(r4.w, ' (al|el|ul) ', ' ', 'g')) r5 (w), -- El Sayed = Sayed
    lateral (select regexp_replace(r5.w, ' [ae]l([a-z]{4,})', ' \1', 'g')) r6 (w), -- Elsayed = Sayed
    lateral (select regexp_replace(r6.w, '([a-z])\1+', '\1', 'g')) r7 (w), -- Mohammed = Mohamed
    lateral (select regexp_replace(r7.w, '([aeiouy])h ', '\1 ', 'g')) r8 (w), -- Fatimah = Fatima
    lateral (select regexp_replace(r8.w, 's?[sc]h', 's', 'g')) r9 (w), -- Schadi = Chadi
    lateral (select regexp_replace(r9.w, 'c([eiy])', 's\1', 'g')) r10 (w), -- Cecilia = Sesilia
    lateral (select replace(r10.w, 'kh', 'h')) r11 (w), -- Khaled = Haled
    lateral (select replace(r11.w, 'gh', 'j')) r12 (w), -- Ghada = Jada
    lateral (select replace(r12.w, 'ph', 'f')) r13 (w), -- Sophia = Sofia
    lateral (select replace(r13.w, 'th', '1')) r14 (w), -- Thamer = Tamer
    lateral (select replace(r14.w, 'dh', '2')) r15 (w), -- Ridha = Rida
    lateral (select replace(r15.w, 'ck', 'k')) r16 (w), -- Frederick = Frederik
    lateral (select replace(r16.w, 'x', 'ks')) r17 (w), -- Alexandra = Aleksandra
    lateral (select regexp_replace(r17.w, ' ou([aeiy])', ' W\1', 'g')) r18 (w), -- Ouael = Wael
    lateral (select translate(r18.w, 'cqgpv', 'kkjbf')) r19 (w), -- Carim = Karim
    lateral (select regexp_replace(r19.w, ' عبد *ال', ' عبد  ', 'g')) r20 (w), -- عبدالرحمن = Abd Rahman
    lateral (select regexp_replace(r20.w, ' ال(?!ياس )(\S{3,})', ' \1', 'g')) r21 (w), -- السيد = Sayed
    lateral (select regexp_replace(r21.w, '[هةح] ', ' ', 'g')) r22 (w), -- فاطمة = Fatima
    lateral (select regexp_replace(r22.w, '[تط][حه]', 'ث', 'g')) r23 (w), -- تهامر = ثامر
    lateral (select regexp_replace(r23.w, '[سصش][حه]', 'س', 'g')) r24 (w), -- سهادي = شادي
    lateral (select regexp_replace(r24.w, 'د[حه]', 'ذ', 'g')) r25 (w), -- ردها = رذا
    lateral (select regexp_replace(r25.w, ' [اع]', ' A', 'g')) r26 (w), -- علي = Ali
    lateral (select regexp_replace(r26.w, ' و', ' W', 'g')) r27 (w), -- وائل = Wael
    lateral (select regexp_replace(r27.w, ' [يی]', ' Y', 'g')) r28 (w), -- يوسف = Yousef
    lateral (select translate(r28.w, 'بپتطجگغچحخدرزژسشصفقكکلمنهةثذضظاعويىیء',
      'bbttjjjshhdrzzsssfkkklmnhh1222')) r29 (w), -- سامي = Sami
    lateral (select regexp_replace(r29.w, ' [aeiou]+', ' A', 'g')) r30 (w), -- Ali = علي
    lateral (select regexp_replace(r30.w, ' w', ' W', 'g')) r31 (w), -- Wael = وائل
    lateral (select regexp_replace(r31.w, ' y', ' Y', 'g')) r32 (w), -- Yousef = يوسف
    lateral (select regexp_replace(r32.w, '[aeiouwy]', '', 'g')) r33 (w), -- Karim = Karem
    regexp_split_to_table(btrim(lower(r33.w collate "C")), ' +') with ordinality words (word, place)
  where word ~ '^[a-z12]+$'
$$;

-- The words of a name with their sounds, to compare two patients: [{text, sounds}]. عبد الرحمن is one
-- word here.
create function name_words_of(t text) returns jsonb language sql immutable strict parallel safe as $$
  select coalesce(jsonb_agg(
    jsonb_build_object(
      'text', word,
      'sounds', coalesce(string_to_array((name_sounds(word))[1], '|'), '{}'))
    order by place), '[]')
  from regexp_split_to_table(
    btrim(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(
      ' ' || replace(fold_text(t), ' ', '  ') || ' ',
      ' (abd) *[aeiou][lrsntdz]h? *| (عبد) *ال', ' \1\2', 'g'),
      ' ال(?!ياس )(\S{3,})', ' \1', 'g'),
      ' a([rsnztd]h?)  \1', ' \1', 'g'),
      ' (بن|ابن|بنت|bin|bint|ibn|ben|de|del|la|las|los|y|al|el|ul) ', ' ', 'g'),
      ' [ae]l([a-z]{4,})', ' \1', 'g')), ' +') with ordinality words (word, place)
  where word <> ''
$$;

-- A number without leading zeros: 00966…, +966… and 0… then differ only by the country code.
create function id_digits(t text) returns text language sql immutable strict parallel safe as $$
  select ltrim(regexp_replace(fold_text(t), '\D', '', 'g'), '0')
$$;

-- One field may hold two phone numbers: "0501234567 / 0507654321". Fewer than six digits are none.
create function phone_numbers(t text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct digits), '{}')
  from regexp_split_to_table(t, '[/,;\n]| - ') part, lateral (select id_digits(part) as digits) d
  where length(digits) >= 6
$$;

-- An id as letters and digits: 12-345/A and ١٢٣٤٥ a are the same.
create function id_text(t text) returns text language sql immutable strict parallel safe as $$
  select nullif(replace(search_text(t), ' ', ''), '')
$$;

-- What finds a patient by the birth: 'b:' and the day, if it is known to the day, and 'b:' and the month, unless only a
-- year or an age in years is known.
create function birth_keys(day date, metadata jsonb) returns text[] language sql immutable parallel safe as $$
  select case coalesce(metadata ->> 'date_of_birth_precision', 'day')
    when 'year' then '{}'
    when 'age' then '{}'
    when 'month' then array['b:' || to_char(day, 'YYYY-MM')]
    when 'week' then array['b:' || to_char(day, 'YYYY-MM')]
    else array['b:' || to_char(day, 'YYYY-MM-DD'), 'b:' || to_char(day, 'YYYY-MM')]
  end
$$;

-- The search table -------------------------------------------------------------------------------

-- The fields of the registration form that are marked as searchable, beyond names, phone and ids.
create function searchable_fields() returns table (field_id text, base_column text)
language sql stable as $$
  select distinct f ->> 'id', case when (f ->> 'baseField')::boolean then f ->> 'column' end
  from registration_forms, jsonb_array_elements(fields) f
  where not registration_forms.is_deleted
    and f ->> 'isSearchField' = 'true' and coalesce(f ->> 'deleted', 'false') <> 'true'
$$;

/*
 * Brings patient_search up to date for these patients. It works on a thousand patients at a time:
 * PostgreSQL cannot know how many an import passes, assumes a handful, and may then compare all with all.
 * Compiling the statement (jit) takes ten times as long as running it. For few patients, as in a push,
 * planning it takes longer than running it, so they share one plan.
 */
create function refresh_patient_search(p_patients uuid[]) returns void
language plpgsql set jit = off set plan_cache_mode = auto as $$
declare
  some_patients uuid[];
begin
  if cardinality(p_patients) < 100 then
    set local plan_cache_mode = force_generic_plan;
  end if;
  for i in 1 .. cardinality(p_patients) by 1000 loop
    some_patients := p_patients[i : i + 999];
    delete from patient_search s
      using unnest(some_patients) chosen (id) join patients p on p.id = chosen.id
      where s.patient_id = p.id and p.is_deleted;

    with searchable as materialized (
      select * from searchable_fields()
    ), linked as materialized (
      -- a patient who is new here or back from the trash already has links
      select patient_id, array_agg(distinct clinic_id order by clinic_id) as clinics
      from unnest(some_patients) chosen (id) join patient_links on patient_id = chosen.id
      where until is null group by patient_id
    ), living as materialized (
      select p.* from unnest(some_patients) chosen (id) join patients p on p.id = chosen.id
      where not p.is_deleted
    ), spelled as materialized (
      -- each name once: an import brings thousands of Mohammeds
      select name, search_text(name) as words,
        replace(array_to_string(name_sounds(name), ' '), '|', ' ') as skeletons
      from (select given_name as name from living union select surname from living) names
      where name is not null
    ), numbered as materialized (
      select id, coalesce(phone_numbers(phone), '{}') as phones, id_text(government_id) as government,
        id_text(external_patient_id) as external
      from living
    ), written as (
      select p.id, n.phones, coalesce(l.clinics, '{}') as clinics,
        ' ' || btrim(concat_ws(' ', g.words, s.words)) || ' ' as names,
        ' ' || btrim(concat_ws(' ', g.skeletons, s.skeletons)) || ' ' as skeletons,
        concat_ws(' ', array_to_string(n.phones, ' '), n.government, n.external) as ids,
        array_remove(
          array(select 'p:' || right(phone, 7) from unnest(n.phones) phone)
            || array['i:' || n.government, 'i:' || n.external]
            || birth_keys(p.date_of_birth, p.metadata), null) as keys,
        coalesce((
          select ' ' || search_text(string_agg(answer, ' ')) || ' ' from (
            select p.hometown
            union all
            select p.camp
            union all
            select to_jsonb(p) ->> base_column from searchable
            -- names, phone, ids and births have columns of their own here; where a patient lives is above; the other
            -- two are no texts to search
            where base_column not in ('given_name', 'surname', 'phone', 'government_id',
              'external_patient_id', 'date_of_birth', 'sex', 'primary_clinic_id', 'hometown', 'camp')
            union all
            select concat_ws(' ', a.string_value, trim_scale(a.number_value))
            from patient_additional_attributes a join searchable on field_id = a.attribute_id
            where a.patient_id = p.id and not a.is_deleted
          ) answers (answer)), '') as more
      from living p
        join numbered n on n.id = p.id
        left join linked l on l.patient_id = p.id
        left join spelled g on g.name = p.given_name
        left join spelled s on s.name = p.surname
    ), new_words as (
      insert into name_words (word)
      select distinct split.word from spelled, regexp_split_to_table(words, ' ') split (word)
      where length(split.word) > 2
      -- by the index: an anti-join reads all words, for one patient as well
      order by split.word
      on conflict do nothing
    )
    insert into patient_search as s (patient_id, names, skeletons, ids, keys, phones, more, clinics)
    select id, names, skeletons, ids, keys, phones, more, clinics from written
    on conflict (patient_id) do update set names = excluded.names, skeletons = excluded.skeletons,
      ids = excluded.ids, keys = excluded.keys, phones = excluded.phones, more = excluded.more
    where (s.names, s.skeletons, s.ids, s.keys, s.phones, s.more)
      is distinct from (excluded.names, excluded.skeletons, excluded.ids, excluded.keys,
        excluded.phones, excluded.more);
  end loop;
end $$;

-- The patients of each clinic, which are the clinics of patient_search. No statement joins the transition tables of an
-- update: its plan, made for one row, would compare each of a thousand rows with each.
create function follow_search() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if not exists (select from new_rows) then return null; end if;
    delete from clinic_patients c using new_rows n
    where c.patient_id = n.patient_id and c.clinic_id <> all(n.clinics);
  end if;
  insert into clinic_patients (patient_id, clinic_id, created_at)
  select p.id, clinic_id, p.created_at
  from new_rows n cross join unnest(n.clinics) clinic_id join patients p on p.id = n.patient_id
  on conflict (patient_id, clinic_id) do nothing;
  return null;
end $$;
create trigger clinics_insert after insert on patient_search referencing new table as new_rows
  for each statement execute function follow_search();
create trigger clinics_update after update on patient_search referencing new table as new_rows
  for each statement execute function follow_search();

create function follow_patient() returns trigger language plpgsql as $$
begin
  perform refresh_patient_search(array(select id from new_rows));
  if tg_op = 'UPDATE' then
    update clinic_patients c set created_at = n.created_at
    from new_rows n where c.patient_id = n.id and c.created_at <> n.created_at;
  end if;
  return null;
end $$;
create trigger search_insert after insert on patients referencing new table as new_rows
  for each statement execute function follow_patient();
create trigger search_update after update on patients referencing new table as new_rows
  for each statement execute function follow_patient();

create function follow_attribute() returns trigger language plpgsql as $$
declare
  -- read once: a plan made for one row would read the forms again for each of 20,000
  fields text[] := array(select field_id from searchable_fields());
  changed uuid[];
begin
  if tg_op = 'UPDATE' then
    changed := array(
      select patient_id from new_rows where attribute_id = any(fields)
      union
      select patient_id from old_rows where attribute_id = any(fields));
  else
    changed := array(select distinct patient_id from new_rows where attribute_id = any(fields));
  end if;
  if changed <> '{}' then perform refresh_patient_search(changed); end if;
  return null;
end $$;
create trigger search_insert after insert on patient_additional_attributes
  referencing new table as new_rows
  for each statement execute function follow_attribute();
create trigger search_update after update on patient_additional_attributes
  referencing old table as old_rows new table as new_rows
  for each statement execute function follow_attribute();

-- If a field of the form becomes searchable, or no longer is, every patient's words are rebuilt. The
-- trigger before the statement remembers the fields for the one after it.
create function follow_searchable_fields() returns trigger language plpgsql as $$
declare
  before text := current_setting('sanad.searchable', true);
  after text := (
    select coalesce(string_agg(field_id, ',' order by field_id), '') from searchable_fields());
begin
  if tg_when = 'BEFORE' then
    perform set_config('sanad.searchable', after, true);
  elsif before is distinct from after then
    perform refresh_patient_search(array(select id from patients where not is_deleted));
  end if;
  return null;
end $$;
create trigger searchable_before before insert or update or delete on registration_forms
  for each statement execute function follow_searchable_fields();
create trigger searchable_after after insert or update or delete on registration_forms
  for each statement execute function follow_searchable_fields();

-- Copies the clinics of the open links into patient_search.
create function follow_patient_links() returns trigger
language plpgsql set plan_cache_mode = auto as $$
declare
  touched uuid[];
begin
  if tg_op = 'DELETE' then
    touched := array(select distinct patient_id from old_rows);
  else
    touched := array(select distinct patient_id from new_rows);
  end if;
  -- as in refresh_patient_search()
  if cardinality(touched) < 100 then set local plan_cache_mode = force_generic_plan; end if;
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

-- Misspelled words -------------------------------------------------------------------------------

/* What a misspelled word may stand for: at most five words of the names, the most similar first. */
create function words_like(p_word text) returns text[] language sql stable as $$
  select array(
    select word from name_words where word % p_word
    order by similarity(word, p_word) desc, word limit 5)
$$;

-- Loads pg_trgm into this connection: until then PostgreSQL lets no one but a superuser name its setting,
-- and an upgrade would stop at the next function.
do $$ begin perform show_limit(); end $$;

-- A lower threshold than that of pg_trgm, so that a short word with a missing letter is found.
create function similar_problem_codes(key text) returns setof problem_codes language sql stable
set pg_trgm.word_similarity_threshold = 0.4 as $$
  select * from problem_codes where key <% search
$$;
