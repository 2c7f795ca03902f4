-- FHIR as a way in, and the indexes of its search parameters (docs/exchange.md, "FHIR").
alter table audit_log drop constraint audit_log_via_check,
  add constraint audit_log_via_check
    check (via in ('web', 'trpc', 'phone', 'command', 'system', 'fhir'));
alter table access_log drop constraint access_log_via_check,
  add constraint access_log_via_check
    check (via in ('web', 'trpc', 'phone', 'command', 'system', 'fhir'));

-- The first and the last possible day of a birth, by what FHIR writes of it: a day, a month, a year.
create function birth_first(born date, metadata jsonb) returns date
language sql immutable parallel safe as $$
  select case metadata ->> 'date_of_birth_precision'
    when 'year' then make_date(extract(year from born)::int, 1, 1)
    when 'age' then make_date(extract(year from born)::int, 1, 1)
    when 'month' then make_date(extract(year from born)::int, extract(month from born)::int, 1)
    else born
  end
$$;
create function birth_last(born date, metadata jsonb) returns date
language sql immutable parallel safe as $$
  select case metadata ->> 'date_of_birth_precision'
    when 'year' then make_date(extract(year from born)::int, 12, 31)
    when 'age' then make_date(extract(year from born)::int, 12, 31)
    when 'month' then (make_date(extract(year from born)::int, extract(month from born)::int, 1)
      + interval '1 month' - interval '1 day')::date
    else born
  end
$$;

-- A text as the search of FHIR compares it: folded, each word after a space. With its own search path,
-- as an index is built without one.
create function fhir_text(t text) returns text language sql immutable strict parallel safe
set search_path from current as $$
  select ' ' || fold_text(t)
$$;

-- Patient: birthdate
create index patients_birth_first_idx on patients (birth_first(date_of_birth, metadata));
create index patients_birth_last_idx on patients (birth_last(date_of_birth, metadata));
-- Patient: family, given and name, :exact and :contains
create index patients_surname_words_idx on patients using gin (fhir_text(surname) gin_trgm_ops);
create index patients_given_words_idx on patients using gin (fhir_text(given_name) gin_trgm_ops);
-- Patient: identifier, phone
create index patients_government_id_idx on patients (government_id);
create index patients_external_id_idx on patients (external_patient_id);
create index patients_identifiers_idx on patients using gin ((metadata -> 'identifiers') jsonb_path_ops);
create index patients_phone_idx on patients (phone);
-- Patient: _lastUpdated, also of its answers
create index patients_modified_idx on patients (last_modified, id);
create index patient_additional_attributes_modified_idx on patient_additional_attributes (last_modified);
