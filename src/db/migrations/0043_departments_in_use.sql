-- A department that an appointment names is made inactive, never deleted: the appointment would lose where the patient went.
-- A deleted appointment counts, because the trash can restore it. A deleted clinic takes its departments along.
create function department_in_use(p_department uuid) returns boolean language sql stable as $$
  select exists (select from appointment_departments where department_id = p_department)
$$;

create function refuse_deleting_department_in_use() returns trigger language plpgsql as $$
begin
  if department_in_use(new.id) and not exists (select from clinics where id = new.clinic_id and is_deleted) then
    raise exception 'this department is in use' using errcode = 'restrict_violation', constraint = 'clinic_departments_in_use';
  end if;
  return new;
end $$;
create trigger in_use before update of is_deleted on clinic_departments for each row
  when (new.is_deleted and not old.is_deleted) execute function refuse_deleting_department_in_use();
