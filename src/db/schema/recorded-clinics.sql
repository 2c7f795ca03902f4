-- Which clinic recorded a clinical row (docs/rules.md, "Care across clinics"). It is set once, when the row is
-- inserted, and neither a screen nor a device changes it.

/*
 * The clinic of a row without a visit: one in which the acting user may edit records and the patient is
 * linked, else the patient's home clinic, else the clinic that knew the patient first.
 */
create function clinic_of_sender(p_patient uuid, prescribes boolean) returns uuid
language sql stable as $$
  select coalesce(
    (select l.clinic_id
     from users u join patient_links l on l.patient_id = p_patient and l.until is null
       left join user_clinic_permissions g
         on g.user_id = u.id and g.clinic_id = l.clinic_id and not g.is_deleted
     where u.id = acting_user()
       and case when u.role in ('admin', 'super_admin') then l.clinic_id = u.clinic_id
         else g.can_edit_records or (prescribes and g.can_prescribe_medications) end
     order by l.clinic_id = u.clinic_id desc nulls last, l.source = 'primary' desc, l.since, l.clinic_id
     limit 1),
    (select primary_clinic_id from patients where id = p_patient),
    (select clinic_id from patient_links where patient_id = p_patient and until is null
     order by source = 'explicit', since, clinic_id limit 1))
$$;

create function record_clinic() returns trigger language plpgsql as $$
begin
  new.recorded_clinic_id := new.clinic_id;
  return new;
end $$;

create function record_clinic_of_sender() returns trigger language plpgsql as $$
begin
  new.recorded_clinic_id := clinic_of_sender(new.patient_id, false);
  return new;
end $$;

create function record_clinic_of_visit() returns trigger language plpgsql as $$
begin
  if new.visit_id is not null then
    select clinic_id into new.recorded_clinic_id from visits where id = new.visit_id;
  end if;
  if new.recorded_clinic_id is null then
    new.recorded_clinic_id := clinic_of_sender(new.patient_id, tg_table_name = 'prescriptions');
  end if;
  return new;
end $$;

create function record_clinic_of_prescription() returns trigger language plpgsql as $$
begin
  select recorded_clinic_id into new.recorded_clinic_id from prescriptions where id = new.prescription_id;
  return new;
end $$;

create function refuse_another_clinic() returns trigger language plpgsql as $$
begin
  raise exception 'the clinic that recorded a row never changes'
    using errcode = 'restrict_violation', constraint = 'recorded_clinic_id_kept';
end $$;

/* Connects a table to the function that finds the clinic of its new rows. */
create function keep_recorded_clinic(p_table regclass, function_name text) returns void
language plpgsql as $$
begin
  execute format(
    'create trigger recorded_clinic before insert on %s for each row
     when (new.recorded_clinic_id is null) execute function %I()', p_table, function_name);
  execute format(
    'create trigger recorded_clinic_kept before update of recorded_clinic_id on %s for each row
     when (new.recorded_clinic_id is distinct from old.recorded_clinic_id)
     execute function refuse_another_clinic()', p_table);
end $$;
