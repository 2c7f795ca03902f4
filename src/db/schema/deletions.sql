-- Soft deletes that can be undone: the trash.

/*
 * Marks records of a table alone as deleted, and returns the deletion of each that was not deleted before: one of
 * p_deletions, if they are given.
 */
create function open_deletions(
  p_table text, p_ids uuid[], p_labels text[], p_by uuid, p_deletions uuid[] default null
) returns table (record_id uuid, deletion_id uuid) language plpgsql as $$
begin
  -- in the order of the ids, so that two that overlap wait for each other
  return query execute format(
    'with given as (
       select distinct on (id) id, label, deletion from unnest($1, $2, $4) given (id, label, deletion) order by id
     ), live as materialized (
       -- a row that refers to the record meanwhile does not wait
       select id from %1$I where id = any($1) and not is_deleted order by id for no key update
     ), deleted as (
       update %1$I set is_deleted = true from live where %1$I.id = live.id and not %1$I.is_deleted
       returning %1$I.id, to_jsonb(%1$I.*) as was
     ), kept as (
       insert into deletions (id, table_name, record_id, label, patient_id, clinic_id, deleted_by)
       select coalesce(deletion, gen_random_uuid()), %1$L, id, label, audit_patient(%1$L, was),
         audit_clinic(%1$L, was), $3
       from deleted join given using (id) order by id
       returning id, record_id
     ), first as (
       insert into deletion_items (deletion_id, table_name, record_id)
       select id, %1$L, record_id from kept
     )
     select record_id, id from kept order by record_id',
    p_table) using p_ids, p_labels, p_by, p_deletions;
end $$;

/* Adds to a deletion up to p_limit live rows that hang on its record by one rule; returns their ids. */
create function delete_some(
  p_deletion uuid, p_child text, p_column text, p_id uuid, p_limit integer
) returns uuid[] language plpgsql as $$
declare
  marked uuid[];
begin
  execute format(
    'with picked as materialized (
       select id from %1$I where %2$I = $1 and not is_deleted limit $3 for no key update
     ), deleted as (
       update %1$I set is_deleted = true where id in (select id from picked) returning id
     ), kept as (
       insert into deletion_items (deletion_id, table_name, record_id) select $2, %1$L, id from deleted
     )
     select coalesce(array_agg(id), ''{}'') from deleted',
    p_child, p_column) into marked using p_id, p_deletion, p_limit;
  return marked;
end $$;

/*
 * Adds to deletions the live rows that hang on their records by cascade_rules, and those that hang on them;
 * deletions[i] is that of ids[i]. All at once: the triggers of each table run once, not once for each record.
 */
create function cascade_deletions(p_table text, ids uuid[], deletions uuid[]) returns void
language plpgsql as $$
declare
  parents jsonb :=
    jsonb_build_array(jsonb_build_object('t', p_table, 'ids', ids, 'deletions', deletions));
  above jsonb;
  taken jsonb;
  rule cascade_rules;
begin
  while jsonb_array_length(parents) > 0 loop
    above := parents -> 0;
    parents := parents - 0;
    select array_agg(i::uuid order by place), array_agg(d::uuid order by place) into ids, deletions
    from rows from (
      jsonb_array_elements_text(above -> 'ids'), jsonb_array_elements_text(above -> 'deletions')
    ) with ordinality as pair (i, d, place);
    for rule in
      select * from cascade_rules where parent = above ->> 't'
      order by effect desc, child, child_column
    loop
      if rule.effect = 'unlink' then
        execute format(
          'with parent as (
             select * from unnest($1, $2) parent (id, deletion)
           ), linked as (
             select c.id, c.%2$I as was, parent.deletion from %1$I c join parent on parent.id = c.%2$I
             where not c.is_deleted for update of c
           ), cut as (
             update %1$I set %2$I = null from linked where %1$I.id = linked.id
           )
           insert into deletion_items
             (deletion_id, table_name, record_id, unlinked_column, unlinked_from)
           select deletion, %1$L, id, %2$L, was from linked',
          rule.child, rule.child_column) using ids, deletions;
      else
        execute format(
          'with parent as (
             select * from unnest($1, $2) parent (id, deletion)
           ), deleted as (
             update %1$I set is_deleted = true from parent
             where %1$I.%2$I = parent.id and not %1$I.is_deleted returning %1$I.id, parent.deletion
           ), kept as (
             insert into deletion_items (deletion_id, table_name, record_id)
             select deletion, %1$L, id from deleted
           )
           select jsonb_build_object(''t'', %1$L, ''ids'', jsonb_agg(id), ''deletions'', jsonb_agg(deletion))
           from deleted having count(*) > 0',
          rule.child, rule.child_column) into taken using ids, deletions;
        if taken is not null then parents := parents || jsonb_build_array(taken); end if;
      end if;
    end loop;
  end loop;
end $$;

/*
 * Marks records of a table as deleted, each with the rows that cascade_rules includes, and returns the deletion of
 * each that was not deleted before.
 */
create function soft_delete_all(p_table text, p_ids uuid[], p_labels text[], p_by uuid)
returns table (record_id uuid, deletion_id uuid) language plpgsql as $$
declare
  ids uuid[];
  deletions uuid[];
begin
  select array_agg(o.record_id), array_agg(o.deletion_id) into ids, deletions
    from open_deletions(p_table, p_ids, p_labels, p_by) o;
  if ids is null then return; end if;
  perform cascade_deletions(p_table, ids, deletions);
  return query select * from unnest(ids, deletions);
end $$;

/* The same for one record. Null if there is no such record or it is already deleted. */
create function soft_delete(p_table text, p_id uuid, p_label text, p_by uuid) returns uuid
language sql as $$
  select deletion_id from soft_delete_all(p_table, array[p_id], array[p_label], p_by)
$$;

/*
 * Restores exactly what deletions included, all at once, but for what was taken from a document again since. Returns
 * those that were in the trash.
 */
create function undo_deletions(p_deletions uuid[], p_by uuid) returns setof uuid language plpgsql as $$
declare
  restored uuid[];
  item record;
  above text;
  again uuid[];
begin
  with restoring as (
    update deletions set restored_at = clock_timestamp(), restored_by = p_by
    where id = any(p_deletions) and restored_at is null returning id
  )
  select array_agg(id) into restored from restoring;
  if restored is null then return; end if;

  -- A record whose parent is deleted cannot be restored before the parent.
  for item in
    select d.table_name, r.parent, r.child_column, array_agg(d.record_id) as ids
    from deletions d join cascade_rules r on r.child = d.table_name and r.effect = 'delete'
    where d.id = any(restored)
    group by d.table_name, r.parent, r.child_column
  loop
    execute format(
      'select p.id::text from %1$I c join %2$I p on p.id = c.%3$I where c.id = any($1) and p.is_deleted limit 1',
      item.table_name, item.parent, item.child_column) into above using item.ids;
    if above is not null then
      raise exception 'the parent is deleted'
        using errcode = 'restrict_violation', constraint = 'deletions_parent_deleted';
    end if;
  end loop;

  -- of patients, everything that could be taken again was deleted with them
  again := array(select taken_again(array(
    select id from deletions where id = any(restored) and table_name <> 'patients')));
  if cardinality(again) > 0 and not exists (
    select from deletion_items
    where deletion_id = any(restored) and table_name <> 'patient_documents' and record_id <> all(again)
  ) then
    raise exception 'the document was taken again'
      using errcode = 'restrict_violation', constraint = 'deletions_taken_again';
  end if;

  -- Children first: while the parent is deleted, its rules (an archived clinic is read-only) do not
  -- apply to them.
  for item in
    select i.table_name, array_agg(i.record_id) as ids
    from deletion_items i join deletions d on d.id = i.deletion_id
    where i.deletion_id = any(restored) and i.unlinked_column is null
    group by i.table_name, i.table_name = d.table_name
    order by i.table_name = d.table_name, max(i.id) desc
  loop
    execute format(
      'update %I set is_deleted = false where id = any($1) and is_deleted and id <> all($2)', item.table_name)
      using item.ids, again;
  end loop;
  for item in
    select table_name, unlinked_column, array_agg(record_id) as ids, array_agg(unlinked_from) as was
    from deletion_items
    where deletion_id = any(restored) and unlinked_column is not null
    group by table_name, unlinked_column
  loop
    execute format(
      'update %1$I set %2$I = cut.was from unnest($1, $2) cut (id, was)
       where %1$I.id = cut.id and %1$I.%2$I is null',
      item.table_name, item.unlinked_column) using item.ids, item.was;
  end loop;
  -- what was left out stays in the trash, each row as a deletion of its own
  with left_out as (
    insert into deletions (table_name, record_id, label, patient_id, clinic_id, deleted_at, deleted_by)
    select i.table_name, i.record_id, d.label, d.patient_id, d.clinic_id, d.deleted_at, d.deleted_by
    from deletion_items i join deletions d on d.id = i.deletion_id
    where i.deletion_id = any(restored) and i.record_id = any(again) and i.unlinked_column is null
    returning id, table_name, record_id
  )
  insert into deletion_items (deletion_id, table_name, record_id) select * from left_out;
  return query select unnest(restored);
end $$;

/* The same for one deletion. False if it is not in the trash. */
create function undo_deletion(p_deletion uuid, p_by uuid) returns boolean language sql as $$
  select exists (select from undo_deletions(array[p_deletion], p_by))
$$;
