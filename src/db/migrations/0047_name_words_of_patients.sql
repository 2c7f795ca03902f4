-- The words of each patient's name, as written and as heard ("~" and the consonants), so that likely duplicates are found
-- by two words at once with one look into an index, and counted: a rare name says more than a common one.
alter table patient_search add column words text[] not null generated always as
  (string_to_array(btrim(names) || replace(rtrim(skeletons), ' ', ' ~'), ' ')) stored;
create index patient_search_word_idx on patient_search using gin (words);
