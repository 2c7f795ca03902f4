-- Lines that were taken over from documents of other programs (features/exchange/documents).

/*
 * What a user or a phone has done with a row since it was taken from a document, first what shows most. A merge that
 * moved it, and a deletion that was undone, have done nothing with it; neither has a warning that nobody has reviewed.
 */
create function work_on_taken(p_table text, p_id uuid, p_patient uuid)
returns table (reason text, by_user uuid, at timestamptz) language sql stable rows 1 as $$
  select reason, by_user, at from (
    select 1 as place, 'changed' as reason, user_id as by_user, at from audit_log
      where table_name = p_table and record_id = p_id and action <> 'documents.take' and user_id is not null
        and changes - array['patient_id', 'is_deleted', 'deleted_at'] <> '{}'
    union all
    select 2, 'prescribed', provider_id, prescribed_at from prescriptions
      where p_table = 'patient_problems' and problem_id = p_id and not is_deleted
    union all
    select 3, 'decided', recorded_by_user_id, created_at from medicine_decisions
      where p_table = 'patient_medicines' and patient_id = p_patient and patient_medicine_id = p_id and not is_deleted
    union all
    select 4, 'reviewed', reviewed_by, reviewed_at from safety_overrides
      where p_table = 'patient_medicines' and patient_medicine_id = p_id and reviewed_at is not null and not is_deleted
    union all
    select 5, 'enrolled', a.user_id, a.at
      from program_enrollments e join audit_log a on a.table_name = 'program_enrollments' and a.record_id = e.id
      where p_table in ('patient_problems', 'patient_immunizations') and e.patient_id = p_patient
        and e.origin_id = p_id and not e.is_deleted and a.action like 'programs.%'
  ) work order by place, at desc nulls last limit 1
$$;

/*
 * Marks a document as undone, with these of its rows ([{table_name, row_id}]): one deletion, which the trash restores.
 * Null if it is undone already.
 */
create function undo_taken_document(p_document uuid, p_rows jsonb, p_label text, p_by uuid) returns uuid
language plpgsql as $$
declare
  deletion uuid;
  part record;
begin
  select deletion_id into deletion
    from open_deletions('patient_documents', array[p_document], array[p_label], p_by);
  if deletion is null then return null; end if;
  for part in
    select table_name, array_agg(row_id) as ids
    from jsonb_to_recordset(p_rows) given (table_name text, row_id uuid) group by table_name
  loop
    execute format(
      'with deleted as (
         update %1$I set is_deleted = true where id = any($1) and not is_deleted returning id
       )
       insert into deletion_items (deletion_id, table_name, record_id) select $2, %1$L, id from deleted',
      part.table_name) using part.ids, deletion;
  end loop;
  -- A statement that one of these ended is true again, unless another allergy is recorded by now, which then ends it. A
  -- line of the document that stays was worked on.
  with freed as (
    select n.id, (
        select a.id from patient_allergies a
        where a.patient_id = n.patient_id and not a.is_deleted and (a.status = 'active' or exists (
          select from patient_document_rows r
          where r.document_id = p_document and r.table_name = 'patient_allergies' and r.row_id = a.id))
        order by a.id limit 1) as other
    from patient_allergies n join deletion_items i
      on i.table_name = 'patient_allergies' and i.record_id = (n.metadata ->> 'ended_by')::uuid
    where i.deletion_id = deletion and not n.is_deleted and n.status = 'refuted'
      and n.patient_id = (select patient_id from patient_documents where id = p_document)
  )
  update patient_allergies n set status = case when other is null then 'active' else n.status end,
      metadata = n.metadata - 'ended_by' || jsonb_strip_nulls(jsonb_build_object('ended_by', other))
    from freed where n.id = freed.id;
  return deletion;
end $$;

/*
 * Of a merge that is undone: the rows that it kept aside of documents that were undone meanwhile, and on which nobody
 * had worked. They join the deletion of their document.
 */
create function undo_kept_rows(m patient_merges) returns uuid[] language sql as $$
  with joined as (
    insert into deletion_items (deletion_id, table_name, record_id)
    select x.id, r.table_name, r.row_id
    from jsonb_array_elements(m.kept) k
      join patient_document_rows r on r.table_name = k ->> 'table' and r.row_id = (k ->> 'id')::uuid
      join deletions x
        on x.table_name = 'patient_documents' and x.record_id = r.document_id and x.restored_at is null
    where not exists (
      select from work_on_taken(r.table_name, r.row_id, (k -> 'row' ->> 'patient_id')::uuid))
    returning record_id
  )
  select coalesce(array_agg(record_id), '{}') from joined
$$;

/*
 * Deleted rows whose document entry was taken over again after the deletion, in a row that the same users may read.
 * Restoring them would duplicate the entry.
 */
create function taken_again(p_deletions uuid[]) returns setof uuid language plpgsql stable as $$
declare
  part record;
begin
  for part in
    select i.table_name, d.deleted_at, array_agg(i.record_id) as ids
    from deletion_items i join deletions d on d.id = i.deletion_id
    where i.deletion_id = any(p_deletions) and i.unlinked_column is null and i.table_name in (
      'patient_allergies', 'patient_problems', 'patient_medicines', 'patient_immunizations', 'patient_vitals')
    group by i.table_name, d.deleted_at
  loop
    return query execute format(
      'select r.id from %1$I r
       where r.id = any($1) and r.is_deleted
         and jsonb_typeof(r.metadata -> ''document'' -> ''entries'') = ''array'' and exists (
           select from %1$I again
           where again.patient_id = r.patient_id and again.id <> r.id and not again.is_deleted
             and again.server_created_at > $2 and same_readers(r.recorded_clinic_id, again.recorded_clinic_id)
             and again.metadata -> ''document'' -> ''entries'' ?| array(
               select jsonb_array_elements_text(r.metadata -> ''document'' -> ''entries'')))',
      part.table_name) using part.ids, part.deleted_at;
  end loop;
end $$;

/*
 * Of a merge: an entry of one document that both records have taken stays once. The row that nobody has worked on goes;
 * if both were worked on, or not everybody who reads one reads the other, both stay. Returns what went, as
 * move_patient_rows() keeps it for an undo of the merge.
 */
create function drop_taken_twice(p_loser uuid, p_winner uuid) returns jsonb language plpgsql as $$
declare
  part text;
  found jsonb;
  dropped jsonb := '[]';
begin
  foreach part in array array[
    'patient_allergies', 'patient_problems', 'patient_medicines', 'patient_immunizations', 'patient_vitals']
  loop
    execute format(
      'with pair as (
         select l.id as lost, w.id as won,
           l.metadata -> ''document'' -> ''entries'' <@ (w.metadata -> ''document'' -> ''entries'')
             and not exists (select from work_on_taken(%1$L, l.id, $1)) as loses,
           w.metadata -> ''document'' -> ''entries'' <@ (l.metadata -> ''document'' -> ''entries'')
             and not exists (select from work_on_taken(%1$L, w.id, $2)) as may_go
         from %1$I l join %1$I w on w.patient_id = $2 and not w.is_deleted
           and jsonb_typeof(w.metadata -> ''document'' -> ''entries'') = ''array''
           and same_readers(l.recorded_clinic_id, w.recorded_clinic_id)
         where l.patient_id = $1 and not l.is_deleted
           and jsonb_typeof(l.metadata -> ''document'' -> ''entries'') = ''array''
       ), here as materialized (
         select lost as id from pair where loses union select won from pair where may_go and not loses
       ), deleted as (
         update %1$I t set is_deleted = true from here where t.id = here.id returning t.*
       )
       select jsonb_agg(jsonb_build_object(''table'', %1$L, ''id'', id, ''row'', to_jsonb(deleted))) from deleted',
      part) into found using p_loser, p_winner;
    dropped := dropped || coalesce(found, '[]');
  end loop;
  return dropped;
end $$;
