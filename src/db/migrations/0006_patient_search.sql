-- Finding people: by any part of any name in Arabic or Latin script, by phone and ids, tolerant of spelling.
--
-- What is searched is folded to plain ASCII letters when it is written, so that search needs neither the dictionary of
-- `unaccent` (which is not immutable, and whose schema differs from server to server) nor a server whose locale knows
-- Arabic letters (under LC_CTYPE "C" pg_trgm sees none of them).

-- Lower case without marks: é -> e, أ إ آ -> ا, ؤ -> و, ئ -> ي, no tashkeel, no tatweel, digits 0-9, one space between words.
create function fold_text(t text) returns text language sql immutable strict parallel safe as $$
  select btrim(regexp_replace(
    replace(replace(replace(
      translate(
        lower(regexp_replace(normalize(t, NFKD),
          '[\u0300-\u036f\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f''`\u2018\u2019\u02bb-\u02bf]', '', 'g') collate names),
        '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹øłđðı', '01234567890123456789olddi'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') collate names,
    '[^[:alnum:]]+', ' ', 'g'))
$$;

-- The same in one alphabet: each Arabic and Persian letter as the Latin one that sounds nearest. Letters that people mix
-- up (ه ة ح, ي ى, ت ط, س ص ش, ...) become one.
create function search_text(t text) returns text language sql immutable strict parallel safe as $$
  select translate(fold_text(t),
    'ابتثجحخدذرزسشصضطظعغفقكلمنهةويىپچژگکیەہھء',
    'abttjhkddrzsssdtzagfqklmnhhwyypczgkyhhh')
$$;

-- The consonants of each word, in classes: what محمد, Mohammed, Muhammad and Mohamad have in common (mhmd). Without the
-- article, "bin" and "de"; عبدالرحمن, Abdul Rahman and Abderrahmane are the same two words. ث and th are written t or s,
-- ذ ض ظ and dh are written d or z: such a word is there in each form, "asmn|atmn". One entry a word, none for other scripts.
create function name_sounds(t text) returns text[] language sql immutable strict parallel safe as $$
  with words as (
    select regexp_replace(' ' || replace(fold_text(t), ' ', '  ') || ' ',
      ' (بن|ابن|بنت|bin|bint|ibn|ben|de|del|la|las|los|y) ', ' ', 'g') as w
  ), latin as (
    select regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(w,
        ' abd *[aeiou]?([rsnztd]) *\1', ' abd  \1', 'g'),
        ' abd *[aeiou]l *', ' abd  ', 'g'),
        ' a([rsnztd]h?)  \1', ' \1', 'g'),
        ' (al|el|ul) ', ' ', 'g'),
        ' [ae]l([a-z]{4,})', ' \1', 'g'),
        '([a-z])\1+', '\1', 'g'),
        '([aeiouy])h ', '\1 ', 'g') as w
    from words
  ), latin_sounds as (
    select translate(regexp_replace(replace(replace(replace(replace(replace(replace(replace(regexp_replace(regexp_replace(w,
        's?[sc]h', 's', 'g'), 'c([eiy])', 's\1', 'g'),
        'kh', 'h'), 'gh', 'j'), 'ph', 'f'), 'th', '1'), 'dh', '2'), 'ck', 'k'), 'x', 'ks'),
        ' ou([aeiy])', ' W\1', 'g'),
        'cqgpv', 'kkjbf') as w
    from latin
  ), arabic as (
    select regexp_replace(regexp_replace(regexp_replace(w,
        ' عبد *ال', ' عبد  ', 'g'),
        ' ال(?!ياس )(\S{3,})', ' \1', 'g'),
        '[هةح] ', ' ', 'g') as w
    from latin_sounds
  ), both_scripts as (
    select translate(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(w,
        '[تط][حه]', 'ث', 'g'), '[سصش][حه]', 'س', 'g'), 'د[حه]', 'ذ', 'g'),
        ' [اع]', ' A', 'g'), ' و', ' W', 'g'), ' [يی]', ' Y', 'g'),
        'بپتطجگغچحخدرزژسشصفقكکلمنهةثذضظاعويىیء',
        'bbttjjjshhdrzzsssfkkklmnhh1222') as w
    from arabic
  ), consonants as (
    select lower(regexp_replace(regexp_replace(regexp_replace(regexp_replace(w,
        ' [aeiou]+', ' A', 'g'), ' w', ' W', 'g'), ' y', ' Y', 'g'), '[aeiouwy]', '', 'g') collate "C") as w
    from both_scripts
  )
  select coalesce(array_agg((
    select string_agg(distinct translate(word, '12', sounds), '|') from (values ('td'), ('tz'), ('sd'), ('sz')) v (sounds)
  ) order by place), '{}')
  from consonants, regexp_split_to_table(btrim(w), ' +') with ordinality words (word, place)
  where word ~ '^[a-z12]+$'
$$;

-- The words of a name, each with its sounds, for comparing two people: [{text, sounds}]. Here عبد الرحمن is one word.
create function name_words_of(t text) returns jsonb language sql immutable strict parallel safe as $$
  select coalesce(jsonb_agg(jsonb_build_object('text', word, 'sounds', coalesce(string_to_array((name_sounds(word))[1], '|'), '{}')) order by place), '[]')
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

-- A number without its leading zeros, so that 00966…, +966… and 0… differ by the country alone.
create function id_digits(t text) returns text language sql immutable strict parallel safe as $$
  select ltrim(regexp_replace(fold_text(t), '\D', '', 'g'), '0')
$$;
-- One field may hold two phones: "0501234567 / 0507654321". Shorter than six digits is none.
create function phone_numbers(t text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct digits), '{}')
  from regexp_split_to_table(t, '[/,;\n]| - ') part, lateral (select id_digits(part) as digits) d where length(digits) >= 6
$$;
-- An id as letters and digits: 12-345/A and ١٢٣٤٥ a are one.
create function id_text(t text) returns text language sql immutable strict parallel safe as $$
  select nullif(replace(search_text(t), ' ', ''), '')
$$;

-- What is searched ---------------------------------------------------------------------------------------------------

-- One row for each living patient, kept by triggers. Beside the record, so that the audit trail shows what people wrote
-- and not what we make of it. Words are set between spaces: ' layla mansour '.
create table patient_search (
  patient_id uuid primary key references patients on delete cascade deferrable,
  names      text not null,
  skeletons  text not null,
  -- phones and ids as digits and letters
  ids        text not null,
  -- the answers whose field is marked as searchable
  more       text not null,
  -- for exact look-ups: 'p:' the last seven digits of a phone, 'i:' an id
  keys       text[] not null,
  phones     text[] not null
);
create index patient_search_words_idx on patient_search
  using gin (names gin_trgm_ops, skeletons gin_trgm_ops, ids gin_trgm_ops, more gin_trgm_ops, keys);

-- Every word of the names once: a misspelt search is compared with these few thousand instead of with every person.
-- A word that nobody is called any more finds nobody, so none is ever taken out.
create table name_words (word text primary key);
create index name_words_alike_idx on name_words using gin (word gin_trgm_ops);

-- The fields of the registration form that people chose to search by, beyond the names, the phone and the ids.
create function searchable_fields() returns table (field_id uuid, base_column text) language sql stable as $$
  select distinct (f ->> 'id')::uuid, case when (f ->> 'baseField')::boolean then f ->> 'column' end
  from registration_forms, jsonb_array_elements(fields) f
  where not registration_forms.is_deleted and f ->> 'isSearchField' = 'true' and coalesce(f ->> 'deleted', 'false') <> 'true'
    and f ->> 'id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$$;

create function refresh_patient_search(p_patients uuid[]) returns void language sql as $$
  delete from patient_search s using patients p
  where s.patient_id = any(p_patients) and p.id = s.patient_id and p.is_deleted;

  with searchable as materialized (select * from searchable_fields()),
  living as materialized (select * from patients where id = any(p_patients) and not is_deleted),
  -- each name once: an import brings thousands of Mohammeds
  spelled as materialized (
    select name, search_text(name) as words, replace(array_to_string(name_sounds(name), ' '), '|', ' ') as skeletons
    from (select given_name as name from living union select surname from living) names where name is not null
  ), numbered as materialized (
    select id, coalesce(phone_numbers(phone), '{}') as phones, id_text(government_id) as government, id_text(external_patient_id) as external
    from living
  ), written as (
    select p.id, n.phones,
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
    from living p join numbered n on n.id = p.id
    left join spelled g on g.name = p.given_name left join spelled s on s.name = p.surname
  ), new_words as (
    insert into name_words (word)
    select distinct split.word from spelled, regexp_split_to_table(words, ' ') split (word)
    where length(split.word) > 2 and not exists (select from name_words known where known.word = split.word)
    order by split.word
    on conflict do nothing
  )
  insert into patient_search as s (patient_id, names, skeletons, ids, keys, phones, more)
  select id, names, skeletons, ids, keys, phones, more from written
  on conflict (patient_id) do update set names = excluded.names, skeletons = excluded.skeletons, ids = excluded.ids,
    keys = excluded.keys, phones = excluded.phones, more = excluded.more
  where (s.names, s.skeletons, s.ids, s.keys, s.phones, s.more)
    is distinct from (excluded.names, excluded.skeletons, excluded.ids, excluded.keys, excluded.phones, excluded.more)
$$;

/* What a misspelt word may have been meant as: at most five words of the names, the most alike first. */
create function words_like(p_word text) returns text[] language sql stable as $$
  select array(select word from name_words where word % p_word order by similarity(word, p_word) desc, word limit 5)
$$;

create function follow_patient() returns trigger language plpgsql as $$
begin
  perform refresh_patient_search(array(select id from new_rows));
  return null;
end $$;
create trigger search_insert after insert on patients referencing new table as new_rows
  for each statement execute function follow_patient();
create trigger search_update after update on patients referencing new table as new_rows
  for each statement execute function follow_patient();

create function follow_attribute() returns trigger language plpgsql as $$
declare
  changed uuid[];
begin
  if tg_op = 'UPDATE' then
    changed := array(select patient_id from new_rows where attribute_id in (select field_id from searchable_fields())
                     union select patient_id from old_rows where attribute_id in (select field_id from searchable_fields()));
  else
    changed := array(select distinct patient_id from new_rows where attribute_id in (select field_id from searchable_fields()));
  end if;
  if changed <> '{}' then perform refresh_patient_search(changed); end if;
  return null;
end $$;
create trigger search_insert after insert on patient_additional_attributes referencing new table as new_rows
  for each statement execute function follow_attribute();
create trigger search_update after update on patient_additional_attributes referencing old table as old_rows new table as new_rows
  for each statement execute function follow_attribute();

-- Rare: somebody marked a field of the form as searchable, or took the mark off. Then everybody's words are made anew.
create function follow_searchable_fields() returns trigger language plpgsql as $$
declare
  before text := current_setting('sanad.searchable', true);
  after text := (select coalesce(string_agg(field_id::text, ',' order by field_id), '') from searchable_fields());
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

select refresh_patient_search(array(select id from patients));

-- Lists are sorted and filtered by these.
create index patients_given_name_idx on patients (given_name collate names, surname collate names, id) where not is_deleted;
create index patients_youngest_idx on patients (date_of_birth desc nulls last, id desc) where not is_deleted;
create index patients_sex_idx on patients (sex, created_at desc, id) where not is_deleted;
