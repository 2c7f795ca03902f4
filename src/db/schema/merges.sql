-- Merges of two records of one patient: the loser's rows move to the winner, and back.

/* The patient that an id refers to today: itself, or the record that it was merged into. */
create function living_patient(p_patient uuid) returns uuid language sql stable as $$
  with recursive way (id, steps) as (
    select p_patient, 0
    union all
    -- the limit of 50 ends a circle, which only a wrong merge could make
    select m.winner_id, steps + 1
    from way join patient_merges m on m.loser_id = way.id and m.unmerged_at is null
    where steps < 50
  )
  select id from way order by steps desc limit 1
$$;

-- Every column that says which patient a row belongs to, in the tables that keep_record() connects: a
-- new table is merged without further code. Notes of what was once done with a record, such as the
-- lines of an import, keep the record that they name.
create view patient_columns as
  select c.conrelid::regclass::text as table_name, a.attname::text as column_name
  from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
  where c.contype = 'f' and c.confrelid = 'patients'::regclass and cardinality(c.conkey) = 1
    and exists (
      select from pg_trigger t
      where t.tgrelid = c.conrelid and t.tgname = 'stamp' and t.tgfoid = to_regproc('stamp')
    );

/*
 * A condition on rows `r` of the loser: the winner ($2) already has an equivalent row, by the unique
 * indexes of the table. Null if the table has none.
 */
create function already_there(p_table text, p_column text) returns text language sql stable as $$
  select string_agg(
    format('(%s exists (select from %s where %I = $2 %s %s))',
      coalesce('(' || pg_get_expr(i.indpred, i.indrelid) || ') and', ''),
      p_table,
      p_column,
      (select coalesce(
         string_agg(format('and %s.%I = r.%I', p_table, a.attname, a.attname), ' '), '')
       from pg_attribute a
       where a.attrelid = i.indrelid and a.attnum = any(i.indkey::int2[]) and a.attname <> p_column),
      coalesce('and (' || pg_get_expr(i.indpred, i.indrelid) || ')', '')),
    ' or ')
  from pg_index i
    join pg_attribute c on c.attrelid = i.indrelid
      and c.attname = p_column and c.attnum = any(i.indkey::int2[])
  where i.indrelid = p_table::regclass and i.indisunique
    -- a key that contains the id of the row is unique whatever the patient
    and not exists (
      select from pg_attribute a
      where a.attrelid = i.indrelid and a.attnum = any(i.indkey::int2[]) and a.attname = 'id'
    )
$$;

/*
 * Whether who may read the rows of one clinic may read those of the other: only then is one of two equal rows enough.
 * See rowsWhere() in src/policy.
 */
create function same_readers(a uuid, b uuid) returns boolean language sql stable as $$
  select a is not distinct from b or exists (
    select from app_config
    where namespace = 'care' and key = 'share-history' and value = 'organization' and not is_deleted)
$$;

/*
 * The same for facts that no index knows: the winner ($2) has the row already, and `r` says nothing more. Null for
 * tables whose rows are each a fact of their own.
 */
create function same_fact(p_table text) returns text language sql immutable as $$
  select case p_table
    when 'patient_allergies' then $sql$(not r.is_deleted and exists (
      select from patient_allergies w where w.patient_id = $2 and not w.is_deleted
        and same_readers(r.recorded_clinic_id, w.recorded_clinic_id) and w.status = r.status
        and w.substance_kind = r.substance_kind and w.substance_code is not distinct from r.substance_code
        and lower(btrim(w.substance)) = lower(btrim(r.substance))
        and coalesce(r.severity, w.severity) is not distinct from w.severity
        and coalesce(r.reaction, w.reaction) is not distinct from w.reaction
        and coalesce(r.notes, w.notes) is not distinct from w.notes))$sql$
    when 'patient_problems' then $sql$(not r.is_deleted and r.visit_id is null and exists (
      select from patient_problems w where w.patient_id = $2 and not w.is_deleted
        and same_readers(r.recorded_clinic_id, w.recorded_clinic_id)
        and (w.problem_code_system, w.problem_code, w.clinical_status, w.verification_status)
          = (r.problem_code_system, r.problem_code, r.clinical_status, r.verification_status)
        and lower(btrim(w.problem_label)) = lower(btrim(r.problem_label))
        and coalesce(r.severity_score, w.severity_score) is not distinct from w.severity_score
        and coalesce(r.onset_date, w.onset_date) is not distinct from w.onset_date
        and coalesce(r.end_date, w.end_date) is not distinct from w.end_date))$sql$
    when 'patient_immunizations' then $sql$(not r.is_deleted and r.event_id is null and exists (
      select from patient_immunizations w where w.patient_id = $2 and not w.is_deleted
        and same_readers(r.recorded_clinic_id, w.recorded_clinic_id)
        and (w.vaccine, w.given_on) = (r.vaccine, r.given_on)
        and coalesce(r.dose_number, w.dose_number) is not distinct from w.dose_number
        and coalesce(r.clinic_id, w.clinic_id) is not distinct from w.clinic_id
        and coalesce(r.lot, w.lot) is not distinct from w.lot
        and coalesce(r.notes, w.notes) is not distinct from w.notes))$sql$
    -- a link between the two records, a link that the winner has from either end, or the same name
    when 'related_persons' then $sql$(not r.is_deleted and (
      (r.patient_id, r.related_patient_id) in (($1, $2), ($2, $1))
      or exists (
        select from related_persons w where not w.is_deleted and w.id <> r.id
          and (w.patient_id, w.related_patient_id) = (
            case r.patient_id when $1 then r.related_patient_id else $2 end,
            case r.patient_id when $1 then $2 else r.patient_id end)
          and (w.relationship, r.relationship) in (
            ('mother', 'child'), ('father', 'child'), ('child', 'mother'), ('child', 'father'),
            ('spouse', 'spouse'), ('guardian', 'ward'), ('ward', 'guardian'))
          and coalesce(r.notes, w.notes) is not distinct from w.notes)
      or exists (
        select from related_persons w where not w.is_deleted and w.patient_id = $2
          and r.related_patient_id is null and w.relationship = r.relationship
          and lower(btrim(w.name)) = lower(btrim(r.name))
          and coalesce(r.phone, w.phone) is not distinct from w.phone
          and coalesce(r.notes, w.notes) is not distinct from w.notes)))$sql$
  end
$$;

/*
 * Moves all rows of the loser to the winner. A row of which the winner has an equivalent becomes a
 * tombstone, and so does one of two that were taken from one entry of a document. Returns what was moved, kept and
 * linked, for return_patient_rows().
 */
create function move_patient_rows(p_loser uuid, p_winner uuid) returns jsonb language plpgsql as $$
declare
  part record;
  condition text;
  found jsonb;
  moved jsonb := '[]';
  kept jsonb := '[]';
  links jsonb;
begin
  perform set_config('sanad.merging', 'on', true);
  set constraints all deferred;
  kept := drop_taken_twice(p_loser, p_winner);
  for part in select * from patient_columns order by table_name, column_name loop
    condition := nullif(
      concat_ws(' or ', already_there(part.table_name, part.column_name), same_fact(part.table_name)), '');
    if condition is not null then
      execute format(
        'with here as (
           select r.id from %1$s r where r.%2$I = $1 and (%3$s)
         ), gone as (
           update %1$s t set is_deleted = true from here where t.id = here.id returning t.*
         )
         select jsonb_agg(jsonb_build_object(''table'', %1$L, ''id'', id, ''row'', to_jsonb(gone)))
         from gone',
        part.table_name, part.column_name, condition) into found using p_loser, p_winner;
      kept := kept || coalesce(found, '[]');
    end if;
    execute format(
      'with gone as (
         update %1$s set %2$I = $2 where %2$I = $1 and id <> all($3) returning id
       )
       select jsonb_agg(id) from gone', part.table_name, part.column_name)
      into found
      using p_loser, p_winner, array(
        select (k ->> 'id')::uuid from jsonb_array_elements(kept) k
        where k ->> 'table' = part.table_name);
    if found is not null then
      moved := moved || jsonb_build_object(
        'table', part.table_name, 'column', part.column_name, 'ids', found);
    end if;
  end loop;

  -- The clinics of the loser keep access to the winner. The loser's primary clinic becomes one where
  -- the winner was registered.
  with loser_links as (
    select clinic_id, source from patient_links
    where patient_id = p_loser and until is null and source in ('explicit', 'registered', 'primary')
  ), opened as (
    insert into patient_links (patient_id, clinic_id, source)
    select distinct p_winner, clinic_id, case source when 'primary' then 'registered' else source end
    from loser_links
    on conflict (patient_id, clinic_id, source)
      do update set until = null, since = clock_timestamp() where patient_links.until is not null
    returning clinic_id, source
  ), closed as (
    update patient_links l set until = clock_timestamp() from loser_links
    where l.patient_id = p_loser and l.clinic_id = loser_links.clinic_id
      and l.source = loser_links.source and loser_links.source <> 'primary'
    returning l.clinic_id, l.source
  )
  select jsonb_build_object(
    'opened', (select coalesce(jsonb_agg(opened), '[]') from opened),
    'closed', (select coalesce(jsonb_agg(closed), '[]') from closed)) into links;
  update patients set is_deleted = true where id = p_loser;
  set constraints all immediate;
  perform set_config('sanad.merging', '', true);
  return jsonb_build_object('moved', moved, 'kept', kept, 'links', links);
end $$;

/*
 * Phones have edited the columns of `p_after` in the row of a merged patient, and the remaining record took the values:
 * each merge on the way there gives them to its loser when it is undone, and the winner has its own back. `p_before` is
 * the remaining record as it was. Of an object, the loser gets the keys that have changed.
 */
create function keep_merged_edit(p_patient uuid, p_before jsonb, p_after jsonb) returns void
language plpgsql as $$
declare
  written jsonb := (
    select jsonb_object_agg(key, case when jsonb_typeof(value) = 'object' then (
      select coalesce(jsonb_object_agg(e.key, e.value), '{}') from jsonb_each(value) e
      where p_before -> c.key -> e.key is distinct from e.value) else value end)
    from jsonb_each(p_after) c where p_before -> key is distinct from value);
  living uuid := living_patient(p_patient);
  way uuid := p_patient;
  m patient_merges;
  before jsonb;
begin
  if written is null then return; end if;
  while way <> living loop
    select * into m from patient_merges where loser_id = way and unmerged_at is null for update;
    -- a record that is merged itself, as it will be when that merge is undone
    before := case when m.winner_id = living then p_before else (
      select r.record || coalesce((
          select jsonb_object_agg(e.key, case when jsonb_typeof(e.value) = 'object'
            then (r.record -> e.key) || e.value else e.value end)
          from patient_merges x, jsonb_each(x.edited) e
          where x.loser_id = m.winner_id and x.unmerged_at is null), '{}')
      from (select to_jsonb(p) as record from patients p where p.id = m.winner_id) r) end;
    update patient_merges x
      set edited = (
        select jsonb_object_agg(key, case
          when jsonb_typeof(value) = 'object' then coalesce(m.edited -> key, '{}') || value
          else value end)
        from jsonb_each(m.edited || written)),
      changed = m.changed || (
        select jsonb_object_agg(key, jsonb_build_array(
          case when before -> key = m.changed -> key -> 1 then m.changed -> key -> 0
            else before -> key end,
          p_after -> key))
        from jsonb_object_keys(written) key)
      where x.id = m.id;
    way := m.winner_id;
  end loop;
end $$;

/* Whether the row of a remaining record is another patient's: it came by a merge, or was sent for that one since. */
create function is_of_merged(p_table text, p_row uuid, p_patient uuid) returns boolean
language sql stable as $$
  select exists (
      select from patient_merges m, jsonb_array_elements(m.moved) p
      where m.winner_id = p_patient and m.unmerged_at is null
        and p ->> 'table' = p_table and p -> 'ids' ? p_row::text)
    or exists (
      select from merged_arrivals r
      where r.table_name = p_table and r.row_id = p_row and not r.is_aside
        and r.patient_id <> p_patient)
$$;

/*
 * Undoes a merge: returns exactly the rows that were moved, and those that phones have sent for the loser since. Other
 * rows added since stay with the winner, unless they belong to a visit of the loser.
 */
create function return_patient_rows(m patient_merges) returns void language plpgsql as $$
declare
  part record;
  child record;
  undone uuid[];
  -- the loser and the patients who are merged into it
  losers uuid[] := array(
    with recursive below (id) as (
      select m.loser_id
      union
      select x.loser_id from patient_merges x join below on x.winner_id = below.id
      where x.unmerged_at is null
    )
    select id from below);
begin
  perform set_config('sanad.merging', 'on', true);
  set constraints all deferred;
  update patients set is_deleted = false where id = m.loser_id;
  for part in
    select p ->> 'table' as table_name, p ->> 'column' as column_name,
      array(select jsonb_array_elements_text(p -> 'ids')::uuid) as ids
    from jsonb_array_elements(m.moved) p
    union all
    select table_name, 'patient_id', array_agg(row_id)
    from merged_arrivals where patient_id = any(losers) and not is_aside group by table_name
  loop
    execute format(
      'update %s set %2$I = $1 where id = any($2) and %2$I = $3', part.table_name, part.column_name)
      using m.loser_id, part.ids, m.winner_id;
    -- tables that name such a row and its patient together, as the vital signs of a visit do
    for child in
      select c.conrelid::regclass::text as table_name, l.attname as link_column,
        w.attname as patient_column
      from pg_constraint c
        join pg_attribute l on l.attrelid = c.conrelid and l.attnum = c.conkey[1]
        join pg_attribute w on w.attrelid = c.conrelid and w.attnum = c.conkey[2]
      where c.contype = 'f' and c.confrelid = part.table_name::regclass
        and cardinality(c.conkey) = 2 and w.attname = part.column_name
    loop
      execute format(
        'update %s set %I = $1 where %I = any($2) and %2$I = $3',
        child.table_name, child.patient_column, child.link_column)
        using m.loser_id, part.ids, m.winner_id;
    end loop;
  end loop;
  undone := undo_kept_rows(m);
  for part in
    select k ->> 'table' as table_name, array_agg((k ->> 'id')::uuid) as ids
    from jsonb_array_elements(m.kept) k where (k ->> 'id')::uuid <> all(undone) group by 1
  loop
    execute format(
      'update %s set is_deleted = false where id = any($1) and is_deleted', part.table_name)
      using part.ids;
  end loop;
  -- A statement that an allergy of the other record ended is true again, unless an allergy is recorded by now. Earlier
  -- merges noted only that one of them had ended it.
  update patient_allergies n set status = 'active', metadata = n.metadata - array['ended_by', 'ended_by_merge']
    where n.patient_id in (m.winner_id, m.loser_id) and not n.is_deleted and n.status = 'refuted'
      and (n.metadata ? 'ended_by_merge' or exists (
        select from patient_allergies a
        where a.id = (n.metadata ->> 'ended_by')::uuid and a.patient_id in (m.winner_id, m.loser_id)
          and a.patient_id <> n.patient_id))
      and not exists (
        select from patient_allergies a
        where a.patient_id = n.patient_id and not a.is_deleted and a.status = 'active');
  -- An answer that phones sent for either of the two, if that patient has no other now; of several, the first. What
  -- waits about it is settled: the other patient's answer was never meant.
  with first as (
    select distinct on (r.patient_id, a.attribute_id) a.id
    from merged_arrivals r join patient_additional_attributes a
      on a.id = r.row_id and a.patient_id = r.patient_id
    where r.is_aside and r.table_name = 'patient_additional_attributes'
      and r.patient_id in (m.loser_id, m.winner_id) and a.is_deleted and not exists (
        select from patient_additional_attributes o
        where o.patient_id = a.patient_id and o.attribute_id = a.attribute_id and not o.is_deleted)
    order by r.patient_id, a.attribute_id, a.server_created_at, a.id
  ), back as (
    update patient_additional_attributes a set is_deleted = false
    from first where a.id = first.id returning a.id
  ), settled as (
    update sync_conflicts c set outcome = 'server', settled_value = c.server_value,
      settled_by = nullif(current_setting('sanad.user_id', true), '')::uuid,
      settled_at = clock_timestamp()
    from back where c.sent_as = back.id and c.settled_at is null
  )
  delete from merged_arrivals r using back
    where r.table_name = 'patient_additional_attributes' and r.row_id = back.id;
  -- other values that wait go back to the record for which they were sent
  update sync_conflicts c set row_id = o.id, patient_id = o.patient_id, server_value = case c.column_name
      when 'string_value' then to_jsonb(o.string_value)
      when 'number_value' then to_jsonb(o.number_value)
      when 'boolean_value' then to_jsonb(o.boolean_value)
      when 'date_value' then to_jsonb((extract(epoch from o.date_value) * 1000)::bigint)
      else c.server_value end
    from merged_arrivals r
      join patient_additional_attributes a on a.id = r.row_id
      join patient_additional_attributes o
        on o.patient_id = r.patient_id and o.attribute_id = a.attribute_id and not o.is_deleted
    where r.is_aside and r.patient_id in (m.loser_id, m.winner_id) and c.sent_as = r.row_id
      and c.settled_at is null and c.row_id <> o.id;
  update sync_conflicts c set row_id = l.id, patient_id = l.id,
      server_value = to_jsonb(to_jsonb(l) ->> c.column_name)
    from patients l
    where l.id = m.loser_id and c.table_name = 'patients' and c.sent_as = l.id
      and c.row_id = m.winner_id and c.settled_at is null;
  -- a value that came with this merge is no longer what another merge gives back
  update patient_merges x set changed = (
      select jsonb_object_agg(key, case when value -> 0 = m.changed -> key -> 1
        then jsonb_build_array(m.changed -> key -> 0, value -> 1) else value end)
      from jsonb_each(x.changed))
    where x.winner_id = m.winner_id and x.unmerged_at is null and x.id <> m.id
      and x.changed ?| array(select jsonb_object_keys(m.changed));
  update patient_links l set until = clock_timestamp()
    from jsonb_to_recordset(m.links -> 'opened') o (clinic_id uuid, source text)
    where l.patient_id = m.winner_id and l.clinic_id = o.clinic_id and l.source = o.source
      and l.until is null;
  update patient_links l set until = null, since = clock_timestamp()
    from jsonb_to_recordset(m.links -> 'closed') o (clinic_id uuid, source text)
    where l.patient_id = m.loser_id and l.clinic_id = o.clinic_id and l.source = o.source
      and l.until is not null;
  set constraints all immediate;
  perform set_config('sanad.merging', '', true);
end $$;
