-- New entries of these indexes waited in a list of up to 4 MB, which every search read: after a thousand registrations,
-- a search by phone took three times as long.
do $$
declare
  index text;
begin
  foreach index in array array['patient_search_words_idx', 'patient_search_word_idx', 'name_words_alike_idx',
    'patients_surname_words_idx', 'patients_given_words_idx', 'patients_identifiers_idx']
  loop
    execute format('alter index %I set (fastupdate = off)', index);
    perform gin_clean_pending_list(index::regclass);
  end loop;
end $$;
