-- Marks the patients whose enrolments and follow-up are older than their records
-- (src/features/care/programs/stale.server.ts).

-- Records that enrol, and the patient.
create function mark_follow_up_of_all() returns trigger language plpgsql as $$
begin
  insert into follow_up_stale (patient_id) select distinct patient_id from new_rows;
  return null;
end $$;

-- Records that say something only about a patient of a program.
create function mark_follow_up() returns trigger language plpgsql as $$
begin
  if current_setting('sanad.settling', true) = 'on' then return null; end if;
  insert into follow_up_stale (patient_id)
  select patient_id from (select distinct patient_id from new_rows) n
  where exists (select from program_enrollments e where e.patient_id = n.patient_id);
  return null;
end $$;

-- Of an update, also the patient to which the row belonged before.
create function mark_follow_up_of_both() returns trigger language plpgsql as $$
begin
  if current_setting('sanad.settling', true) = 'on' then return null; end if;
  insert into follow_up_stale (patient_id)
  select patient_id from (
    select patient_id from new_rows union select patient_id from old_rows) n
  where exists (select from program_enrollments e where e.patient_id = n.patient_id);
  return null;
end $$;

create function mark_follow_up_of_patients() returns trigger language plpgsql as $$
begin
  insert into follow_up_stale (patient_id)
  select n.id from new_rows n join old_rows o on o.id = n.id
  where (n.died_on, n.primary_clinic_id, n.date_of_birth, n.is_deleted)
      is distinct from (o.died_on, o.primary_clinic_id, o.date_of_birth, o.is_deleted)
    and (exists (select from program_enrollments e where e.patient_id = n.id)
      -- "not is_deleted", as the index has it: without, every save of a patient read all problems
      or exists (select from patient_problems p where p.patient_id = n.id and not p.is_deleted));
  return null;
end $$;
create trigger mark_follow_up after update on patients
  referencing old table as old_rows new table as new_rows
  for each statement execute function mark_follow_up_of_patients();

/* Connects a table to the marks; `enrols`: its rows can enrol a patient. */
create function keep_followed(p_table regclass, enrols boolean default false) returns void
language plpgsql as $$
begin
  execute format('create trigger mark_follow_up_insert after insert on %s
    referencing new table as new_rows
    for each statement execute function %s()',
    p_table, case when enrols then 'mark_follow_up_of_all' else 'mark_follow_up' end);
  execute format('create trigger mark_follow_up_update after update on %s
    referencing old table as old_rows new table as new_rows
    for each statement execute function %s()',
    p_table, case when enrols then 'mark_follow_up_of_all' else 'mark_follow_up_of_both' end);
end $$;

/*
 * The ids of these patients, and of the records that were merged into them. Calls are never changed, so
 * they keep the record that was called: they are read by these ids.
 */
create function former_patients(p_ids uuid[]) returns table (patient_id uuid, former_id uuid)
language sql stable as $$
  with recursive way (patient_id, former_id, steps) as (
    select id, id, 0 from unnest(p_ids) id
    union all
    select way.patient_id, m.loser_id, steps + 1
    from way join patient_merges m on m.winner_id = way.former_id and m.unmerged_at is null
    -- ends a circle, which only a wrong merge could make
    where steps < 50
  )
  select patient_id, former_id from way
$$;
