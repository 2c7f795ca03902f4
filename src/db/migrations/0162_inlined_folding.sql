-- Read once, when they are created: so the planner writes both into a statement, and they need no search path of their
-- own. A search of FHIR by name compares thousands of names. What they return is unchanged, and so are the indexes.
create or replace function fold_text(t text) returns text language sql immutable strict parallel safe
return btrim(regexp_replace(
  replace(replace(replace(
    translate(
      lower(regexp_replace(normalize(t, NFKD),
        '[\u0300-\u036f\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed\u200b-\u200f''`\u2018\u2019\u02bb-\u02bf]', '', 'g') collate names),
      '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹øłđðı', '01234567890123456789olddi'),
    'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe') collate names,
  '[^[:alnum:]]+', ' ', 'g'));

create or replace function fhir_text(t text) returns text language sql immutable strict parallel safe
return ' ' || fold_text(t);
