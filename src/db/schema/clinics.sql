-- Clinics and departments: what an archived clinic refuses, and when one may be archived or deleted.

-- Archived clinics -------------------------------------------------------------------------------

-- An archived clinic is read-only. A deleted clinic is exempt, because its delete includes its rows. So
-- is a merge, which changes the patient of a record and not its content. `sanad.merging` is set by
-- move_patient_rows() and return_patient_rows().

-- For tables whose triggers run for each row.
create function refuse_in_archived_clinic() returns trigger language plpgsql as $$
begin
  if current_setting('sanad.merging', true) = 'on' then return new; end if;
  if exists (select from clinics where id = new.clinic_id and is_archived and not is_deleted) then
    raise exception 'this clinic is archived'
      using errcode = 'restrict_violation', constraint = 'clinics_archived';
  end if;
  return new;
end $$;

-- For tables that devices write in bulk: once for each statement. Argument: the column that leads to
-- the clinic. The clinic of a row of a visit is that of the visit. A patient of an archived clinic can
-- be changed, and moved to an open clinic.
create function refuse_in_archived_clinics() returns trigger language plpgsql as $$
declare
  is_refused boolean;
begin
  if current_setting('sanad.merging', true) = 'on' then return null; end if;
  if tg_argv[0] = 'visit_id' then
    is_refused := exists (
      select from new_rows n join visits v on v.id = n.visit_id join clinics c on c.id = v.clinic_id
      where not v.is_deleted and c.is_archived and not c.is_deleted);
  elsif tg_argv[0] = 'pickup_clinic_id' then
    is_refused := exists (
      select from new_rows n join clinics c on c.id = n.pickup_clinic_id
      where c.is_archived and not c.is_deleted);
  elsif tg_argv[0] = 'primary_clinic_id' and tg_op = 'INSERT' then
    is_refused := exists (
      select from new_rows n join clinics c on c.id = n.primary_clinic_id
      where c.is_archived and not c.is_deleted);
  elsif tg_argv[0] = 'primary_clinic_id' then
    is_refused := exists (
      select from new_rows n
        join old_rows o on o.id = n.id
        join clinics c on c.id = n.primary_clinic_id
      where o.primary_clinic_id is distinct from n.primary_clinic_id
        and c.is_archived and not c.is_deleted);
  else
    is_refused := exists (
      select from new_rows n join clinics c on c.id = n.clinic_id
      where c.is_archived and not c.is_deleted);
  end if;
  if is_refused then
    raise exception 'this clinic is archived'
      using errcode = 'restrict_violation', constraint = 'clinics_archived';
  end if;
  return null;
end $$;

/* Connects a table to that function; `p_column` leads to the clinic. */
create function keep_archived_closed(p_table regclass, p_column text) returns void
language plpgsql as $$
begin
  execute format(
    'create trigger archived_insert after insert on %s referencing new table as new_rows
     for each statement execute function refuse_in_archived_clinics(%L)', p_table, p_column);
  execute format(
    'create trigger archived_update after update on %s referencing new table as new_rows
     for each statement execute function refuse_in_archived_clinics(%L)', p_table, p_column);
end $$;

create trigger archived_insert after insert on patients referencing new table as new_rows
  for each statement execute function refuse_in_archived_clinics('primary_clinic_id');
create trigger archived_update after update on patients
  referencing old table as old_rows new table as new_rows
  for each statement execute function refuse_in_archived_clinics('primary_clinic_id');

create trigger archived before insert or update on clinic_departments
  for each row execute function refuse_in_archived_clinic();
create trigger archived before insert or update of quantity_available on clinic_inventory
  for each row execute function refuse_in_archived_clinic();

-- Archiving and deleting -------------------------------------------------------------------------

/* A clinic with records, deleted ones included, can be archived but not deleted. */
create function clinic_has_records(p_clinic uuid) returns boolean language sql stable as $$
  select exists (select from patients where primary_clinic_id = p_clinic)
      or exists (select from visits where clinic_id = p_clinic)
      or exists (select from appointments where clinic_id = p_clinic)
      or exists (select from prescriptions where pickup_clinic_id = p_clinic)
      or exists (select from prescription_items where clinic_id = p_clinic)
      or exists (select from dispensing_records where clinic_id = p_clinic)
      or exists (select from inventory_transactions where clinic_id = p_clinic)
$$;

create function refuse_closing_clinic() returns trigger language plpgsql as $$
begin
  if (new.is_archived and not old.is_archived or new.is_deleted and not old.is_deleted)
     and exists (select from users where clinic_id = new.id and not is_deleted) then
    raise exception 'users are assigned'
      using errcode = 'restrict_violation', constraint = 'clinics_has_users';
  end if;
  if new.is_deleted and not old.is_deleted and clinic_has_records(new.id) then
    raise exception 'records exist'
      using errcode = 'restrict_violation', constraint = 'clinics_has_records';
  end if;
  return new;
end $$;
create trigger closing before update of is_archived, is_deleted on clinics
  for each row execute function refuse_closing_clinic();

-- A user is not assigned to an archived or deleted clinic.
create function refuse_closed_clinic() returns trigger language plpgsql as $$
begin
  -- for share: the clinic cannot be archived between this check and the commit
  if new.clinic_id is not null and not new.is_deleted
     and not exists (
       select from clinics
       where id = new.clinic_id and not is_archived and not is_deleted for share
     ) then
    raise exception 'this clinic is closed'
      using errcode = 'restrict_violation', constraint = 'users_clinic_closed';
  end if;
  return new;
end $$;
create trigger clinic_open before insert or update of clinic_id, is_deleted on users
  for each row execute function refuse_closed_clinic();

-- Departments ------------------------------------------------------------------------------------

-- active <-> inactive, active <-> maintenance: an inactive department becomes active before maintenance.
create function refuse_department_move() returns trigger language plpgsql as $$
begin
  if old.status <> new.status and old.status <> 'active' and new.status <> 'active' then
    raise exception 'from % to %', old.status, new.status
      using errcode = 'check_violation', constraint = 'clinic_departments_status_move';
  end if;
  return new;
end $$;
create trigger status_move before update of status on clinic_departments
  for each row execute function refuse_department_move();

/* Deleted appointments count, because the trash can restore them. */
create function department_in_use(p_department uuid) returns boolean language sql stable as $$
  select exists (select from appointment_departments where department_id = p_department)
$$;

-- A department that an appointment names can be made inactive but not deleted: the appointment would
-- lose where the patient went. The delete of a clinic includes its departments.
create function refuse_deleting_department_in_use() returns trigger language plpgsql as $$
begin
  if department_in_use(new.id)
     and not exists (select from clinics where id = new.clinic_id and is_deleted) then
    raise exception 'this department is in use'
      using errcode = 'restrict_violation', constraint = 'clinic_departments_in_use';
  end if;
  return new;
end $$;
create trigger in_use before update of is_deleted on clinic_departments
  for each row when (new.is_deleted and not old.is_deleted)
  execute function refuse_deleting_department_in_use();
