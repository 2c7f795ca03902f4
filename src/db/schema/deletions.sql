-- Soft deletes that can be undone: the trash.

/*
 * Marks a record alone as deleted. Returns the id of the deletion, which is p_deletion if that is given; null if there
 * is no such record or it is already deleted.
 */
create function open_deletion(
  p_table text, p_id uuid, p_label text, p_by uuid, p_deletion uuid default null
) returns uuid language plpgsql as $$
declare
  deletion uuid;
  deleted_row jsonb;
begin
  execute format(
    'update %I set is_deleted = true where id = $1 and not is_deleted returning to_jsonb(%I.*)',
    p_table, p_table) into deleted_row using p_id;
  if deleted_row is null then return null; end if;
  insert into deletions (id, table_name, record_id, label, patient_id, clinic_id, deleted_by)
    values (coalesce(p_deletion, gen_random_uuid()), p_table, p_id, p_label,
      audit_patient(p_table, deleted_row), audit_clinic(p_table, deleted_row), p_by)
    returning id into deletion;
  insert into deletion_items (deletion_id, table_name, record_id) values (deletion, p_table, p_id);
  return deletion;
end $$;

/* Adds to a deletion up to p_limit live rows that hang on its record by one rule; returns how many. */
create function delete_some(
  p_deletion uuid, p_child text, p_column text, p_id uuid, p_limit integer
) returns integer language plpgsql as $$
declare
  marked integer;
begin
  execute format(
    'with picked as materialized (
       select id from %1$I where %2$I = $1 and not is_deleted limit $3 for update
     ), gone as (
       update %1$I set is_deleted = true where id in (select id from picked) returning id
     )
     insert into deletion_items (deletion_id, table_name, record_id) select $2, %1$L, id from gone',
    p_child, p_column) using p_id, p_deletion, p_limit;
  get diagnostics marked = row_count;
  return marked;
end $$;

/*
 * Marks a record as deleted, with the rows that cascade_rules includes. Returns the id of the deletion;
 * null if there is no such record or it is already deleted.
 */
create function soft_delete(p_table text, p_id uuid, p_label text, p_by uuid) returns uuid
language plpgsql as $$
declare
  deletion uuid := open_deletion(p_table, p_id, p_label, p_by);
begin
  if deletion is not null then perform cascade_deletion(deletion, p_table, p_id); end if;
  return deletion;
end $$;

/* Adds to a deletion the live rows that hang on its record by cascade_rules, and those that hang on them. */
create function cascade_deletion(deletion uuid, p_table text, p_id uuid) returns void
language plpgsql as $$
declare
  parents jsonb := jsonb_build_array(
    jsonb_build_object('t', p_table, 'ids', jsonb_build_array(p_id)));
  above jsonb;
  rule cascade_rules;
  ids uuid[];
  taken uuid[];
begin
  while jsonb_array_length(parents) > 0 loop
    above := parents -> 0;
    parents := parents - 0;
    ids := array(select jsonb_array_elements_text(above -> 'ids')::uuid);
    for rule in
      select * from cascade_rules where parent = above ->> 't'
      order by effect desc, child, child_column
    loop
      if rule.effect = 'unlink' then
        execute format(
          'with gone as (
             select id, %2$I as was from %1$I where %2$I = any($1) and not is_deleted for update
           ), cut as (
             update %1$I set %2$I = null from gone where %1$I.id = gone.id
           )
           insert into deletion_items
             (deletion_id, table_name, record_id, unlinked_column, unlinked_from)
           select $2, %1$L, id, %2$L, was from gone',
          rule.child, rule.child_column) using ids, deletion;
      else
        execute format(
          'with gone as (
             update %1$I set is_deleted = true where %2$I = any($1) and not is_deleted returning id
           ), kept as (
             insert into deletion_items (deletion_id, table_name, record_id)
             select $2, %1$L, id from gone
           )
           select array_agg(id) from gone',
          rule.child, rule.child_column) into taken using ids, deletion;
        if taken is not null then
          parents := parents
            || jsonb_build_array(jsonb_build_object('t', rule.child, 'ids', to_jsonb(taken)));
        end if;
      end if;
    end loop;
  end loop;
end $$;

/* Restores exactly what a deletion included. False if it is not in the trash. */
create function undo_deletion(p_deletion uuid, p_by uuid) returns boolean language plpgsql as $$
declare
  deletion deletions;
  item record;
  above text;
begin
  update deletions set restored_at = clock_timestamp(), restored_by = p_by
    where id = p_deletion and restored_at is null returning * into deletion;
  if deletion.id is null then return false; end if;

  -- A record whose parent is deleted cannot be restored before the parent.
  for item in
    select parent, child_column from cascade_rules
    where child = deletion.table_name and effect = 'delete'
  loop
    execute format(
      'select p.id::text from %1$I c join %2$I p on p.id = c.%3$I where c.id = $1 and p.is_deleted',
      deletion.table_name, item.parent, item.child_column) into above using deletion.record_id;
    if above is not null then
      raise exception 'the parent is deleted'
        using errcode = 'restrict_violation', constraint = 'deletions_parent_deleted';
    end if;
  end loop;

  -- Children first: while the parent is deleted, its rules (an archived clinic is read-only) do not
  -- apply to them.
  for item in
    select table_name, array_agg(record_id) as ids from deletion_items
    where deletion_id = p_deletion and unlinked_column is null
    group by table_name order by max(id) desc
  loop
    execute format(
      'update %I set is_deleted = false where id = any($1) and is_deleted', item.table_name)
      using item.ids;
  end loop;
  for item in
    select * from deletion_items where deletion_id = p_deletion and unlinked_column is not null
  loop
    execute format(
      'update %1$I set %2$I = $1 where id = $2 and %2$I is null',
      item.table_name, item.unlinked_column) using item.unlinked_from, item.record_id;
  end loop;
  return true;
end $$;
