-- Patient search: any part of a name in Arabic or Latin script, phone numbers and ids, tolerant of
-- spelling.
--
-- Text is reduced to plain ASCII letters when it is written. Search then needs neither the
-- dictionary of `unaccent` (which is not immutable, and whose schema differs between servers) nor a
-- server locale that knows Arabic letters (with LC_CTYPE "C", pg_trgm sees none of them).

-- The two functions are here and not in src/db/schema because an index uses them (0008): replacing
-- them would leave the index with the old values.

-- Lower case without marks: é -> e, أ إ آ -> ا, ؤ -> و, ئ -> ي, no tashkeel, no tatweel, digits
-- 0-9, one space between words.
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

-- The same in one alphabet: each Arabic and Persian letter becomes the Latin letter that sounds
-- nearest. Letters that users mix up (ه ة ح, ي ى, ت ط, س ص ش, ...) become one.
create function search_text(t text) returns text language sql immutable strict parallel safe as $$
  select translate(fold_text(t),
    'ابتثجحخدذرزسشصضطظعغفقكلمنهةويىپچژگکیەہھء',
    'abttjhkddrzsssdtzagfqklmnhhwyypczgkyhhh')
$$;

-- One row for each patient who is not deleted; triggers keep it. Separate from the record, so that
-- the audit trail shows only what users wrote. Words have a space on both sides: ' layla mansour '.
create table patient_search (
  patient_id uuid primary key references patients on delete cascade deferrable,
  names      text not null,
  skeletons  text not null,
  -- phone numbers and ids, letters and digits only
  ids        text not null,
  -- answers to the fields marked as searchable
  more       text not null,
  -- for exact lookups: 'p:' and the last seven digits of a phone number, 'i:' and an id
  keys       text[] not null,
  phones     text[] not null,
  -- the clinics of the open rows of patient_links: a search within two clinics then reads no other
  -- table
  clinics    uuid[] not null default '{}',
  -- The words of the name, as written and as heard ("~" and the consonants). One index lookup by
  -- two words at once finds likely duplicates, and counts: a rare name says more than a common one.
  words      text[] not null generated always as
    (string_to_array(btrim(names) || replace(rtrim(skeletons), ' ', ' ~'), ' ')) stored
);
create index patient_search_words_idx on patient_search
  using gin (names gin_trgm_ops, skeletons gin_trgm_ops, ids gin_trgm_ops, more gin_trgm_ops, keys);
create index patient_search_word_idx on patient_search using gin (words);

-- Every word of the names once: a misspelled search is compared with these few thousand words
-- instead of with every patient. Words are never removed: one that no patient has any more finds
-- nothing.
create table name_words (word text primary key);
create index name_words_alike_idx on name_words using gin (word gin_trgm_ops);
