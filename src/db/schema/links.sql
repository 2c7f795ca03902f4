-- Links: which clinics may see a patient, and why. Rows of patients, visits, appointments and
-- prescriptions open and end them.

-- Arguments: the source of the link, the columns of the patient and of the clinic. Changed rows are
-- looked up one by one by their patient, because a join would read the whole table for some hundred
-- rows. Inserted rows have their own function, which keep_links() makes.
create function follow_links() returns trigger language plpgsql as $$
begin
  execute format(
    'with pairs as (
       select distinct %1$I as patient, %2$I as clinic from (%4$s) rows where %2$I is not null
     ), known as materialized (
       select patient, clinic, coalesce((
         select true from %5$I r
         where r.%1$I = patient and r.%2$I = clinic and not r.is_deleted limit 1
       ), false) as is_living
       from pairs
     ), opened as (
       insert into patient_links (patient_id, clinic_id, source)
       select patient, clinic, %3$L from known where is_living
       on conflict (patient_id, clinic_id, source)
         do update set until = null, since = clock_timestamp()
         where patient_links.until is not null
     )
     update patient_links set until = clock_timestamp()
     from known
     where patient_id = patient and clinic_id = clinic and source = %3$L
       and until is null and not is_living',
    tg_argv[1], tg_argv[2], tg_argv[0],
    case tg_op
      when 'DELETE' then 'select * from old_rows'
      else 'select * from new_rows union all select * from old_rows' end,
    tg_table_name);
  return null;
end $$;

/*
 * Connects a table to the links that its rows imply. An inserted row is reason enough for its link. The
 * function for inserted rows belongs to one table, because PostgreSQL plans it once for each connection
 * and follow_links() for each statement.
 */
create function keep_links(p_table regclass, source text, patient_column text, clinic_column text)
returns void language plpgsql as $$
declare
  args text := format('%L, %L, %L', source, patient_column, clinic_column);
begin
  execute format(
    'create function links_%s_insert() returns trigger language plpgsql as %L', p_table, format('
begin
  insert into patient_links (patient_id, clinic_id, source)
  select distinct %1$I, %2$I, %3$L from new_rows where %2$I is not null and not is_deleted
  on conflict (patient_id, clinic_id, source) do update set until = null, since = clock_timestamp()
  where patient_links.until is not null;
  return null;
end ', patient_column, clinic_column, source));
  execute format(
    'create trigger links_insert after insert on %1$s referencing new table as new_rows
     for each statement execute function links_%1$s_insert()', p_table);
  execute format(
    'create trigger links_update after update on %s
     referencing old table as old_rows new table as new_rows
     for each statement execute function follow_links(%s)', p_table, args);
  execute format(
    'create trigger links_delete after delete on %s referencing old table as old_rows
     for each statement execute function follow_links(%s)', p_table, args);
end $$;

-- The transaction that changed a link last: patients enter and leave the scope of a device with it.
create function stamp_link() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end $$;
create trigger stamp before insert or update on patient_links
  for each row execute function stamp_link();

-- The clinic that a patient is moved away from keeps its link.
create function keep_home_link() returns trigger language plpgsql as $$
begin
  insert into patient_links (patient_id, clinic_id, source)
  values (new.id, old.primary_clinic_id, 'registered')
  on conflict (patient_id, clinic_id, source)
    do update set until = null, since = clock_timestamp() where patient_links.until is not null;
  return null;
end $$;
create trigger home_kept after update of primary_clinic_id on patients
  for each row when (
    old.primary_clinic_id is not null
    and new.primary_clinic_id is distinct from old.primary_clinic_id)
  execute function keep_home_link();
