/*
 * The patients of the rows with these ids, deleted or not, and those who have one of the ids: for the access log. To
 * plan it takes 50 ms, to read it one: each connection plans it once.
 */
create function records_named(ids uuid[]) returns table (id uuid, patient_id uuid)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin return query
  select id, id as patient_id from patients where id = any(ids)
  union select id, patient_id from appointments where id = any(ids)
  union select id, patient_id from contact_consents where id = any(ids)
  union select id, patient_id from dispensing_records where id = any(ids)
  union select id, patient_id from emergency_accesses where id = any(ids)
  union select id, patient_id from event_files where id = any(ids)
  union select id, patient_id from events where id = any(ids)
  union select id, patient_id from follow_up_calls where id = any(ids)
  union select id, patient_id from follow_up_items where id = any(ids)
  union select id, patient_id from history_openings where id = any(ids)
  union select id, patient_id from medicine_decisions where id = any(ids)
  union select id, patient_id from messages where id = any(ids)
  union select id, patient_id from override_confirmations where id = any(ids)
  union select id, patient_id from patient_additional_attributes where id = any(ids)
  union select id, patient_id from moved_in_reviews where id = any(ids)
  union select id, patient_id from patient_allergies where id = any(ids)
  union select id, patient_id from patient_documents where id = any(ids)
  union select id, patient_id from patient_immunizations where id = any(ids)
  union select id, patient_id from patient_medicines where id = any(ids)
  union select id, patient_id from patient_pregnancies where id = any(ids)
  union select id, patient_id from patient_problems where id = any(ids)
  union select id, patient_id from patient_vitals where id = any(ids)
  union select id, patient_id from prescription_items where id = any(ids)
  union select id, patient_id from prescriptions where id = any(ids)
  union select id, patient_id from program_enrollments where id = any(ids)
  union select id, patient_id from referrals where id = any(ids)
  union select id, unnest(array_remove(array[patient_id, related_patient_id], null))
    from related_persons where id = any(ids)
  union select id, patient_id from safety_overrides where id = any(ids)
  union select id, patient_id from sync_conflicts where id = any(ids) and patient_id is not null
  union select id, patient_id from sync_quarantine where id = any(ids) and patient_id is not null
  union select id, patient_id from visits where id = any(ids);
end $$;

create function patients_named(ids uuid[]) returns setof uuid language sql stable as $$
  select distinct patient_id from records_named(ids)
$$;

-- The id on a card, as `patientOfCard` reads its 39 digits and the two that check them; null for any other text.
create function patient_of_card(digits text) returns uuid language sql immutable strict as $$
  select string_agg(lpad(to_hex((div(number, unit) % 4294967296)::bigint), 8, '0'), '' order by unit desc)::uuid
  from (values (79228162514264337593543950336), (18446744073709551616), (4294967296), (1)) units (unit),
    (select case when digits ~ '^[0-9]{41}$' then left(digits, 39)::numeric end,
      case when digits ~ '^[0-9]{41}$' then right(digits, 2)::numeric end) code (number, check_digits)
  where number < 340282366920938463463374607431768211456 and number % 97 = check_digits
  having count(*) = 4
$$;

/*
 * The patients with one of these numbers (an identifier, a medical record number, a phone, a referral, a card),
 * written as search compares them: for the access log. A number that more than five have names none of them. Planned
 * once in each connection, as `records_named`.
 */
create function patients_numbered(numbers text[]) returns table (number text, patient_id uuid)
language plpgsql stable rows 10 set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin return query
  select n.number, unnest(found.patients)
  from (
      select number, id_text(number) as id, id_digits(number) as digits from unnest(numbers) number
    ) n,
    lateral (
      select array_agg(f.patient_id) as patients from (
        select s.patient_id from patient_search s where s.keys && array['i:' || n.id]
        union
        select s.patient_id from patient_search s
        where length(n.digits) >= 6 and s.keys && array['p:' || right(n.digits, 7)] and exists (
          select from unnest(s.phones) phone where phone like '%' || n.digits or n.digits like '%' || phone)
        union
        select p.id from patients p where p.phone = n.number
        union
        select p.id from patients p where p.government_id = n.number
        union
        select p.id from patients p where p.external_patient_id = n.number
        union
        select p.id from patients p
        where p.metadata -> 'identifiers' @> jsonb_build_array(jsonb_build_object('value', n.number))
        union
        select p.id from patients p where p.id = patient_of_card(n.id)
        union
        select r.patient_id from referrals r
        where r.number = translate(upper(n.id), 'ILO', '110')
        limit 6
      ) f
    ) found
  where cardinality(found.patients) <= 5;
end $$;
