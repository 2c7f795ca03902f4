-- What is refused after the death of a patient.

-- No time zone is more than a day ahead of UTC.
create function refuse_future_death() returns trigger language plpgsql as $$
begin
  if new.died_on > (now() at time zone 'UTC')::date + 1 then
    raise exception 'a death in the future'
      using errcode = 'check_violation', constraint = 'patients_died_on_future';
  end if;
  return new;
end $$;
create trigger died_in_future before insert or update of died_on on patients
  for each row when (new.died_on is not null) execute function refuse_future_death();

-- Nothing new for a patient who has died. A day ends at most 12 hours later than in UTC, so two days
-- later is after the death in every time zone; the web refuses the next day. Rows written before the
-- death that arrive later are accepted.
create function refuse_prescription_after_death() returns trigger language plpgsql as $$
begin
  if exists (
    select from new_rows n join patients p on p.id = n.patient_id
    where p.died_on is not null and not n.is_deleted
      and n.prescribed_at >= (p.died_on + 2)::timestamp at time zone 'UTC'
  ) then
    raise exception 'this patient has died'
      using errcode = 'restrict_violation', constraint = 'prescriptions_patient_died';
  end if;
  return null;
end $$;
create trigger after_death after insert on prescriptions referencing new table as new_rows
  for each statement execute function refuse_prescription_after_death();

create function refuse_appointment_after_death() returns trigger language plpgsql as $$
begin
  if exists (
    select from new_rows n join patients p on p.id = n.patient_id
    where p.died_on is not null and not n.is_deleted
      and n.timestamp >= (p.died_on + 2)::timestamp at time zone 'UTC'
  ) then
    raise exception 'this patient has died'
      using errcode = 'restrict_violation', constraint = 'appointments_patient_died';
  end if;
  return null;
end $$;
create trigger after_death after insert on appointments referencing new table as new_rows
  for each statement execute function refuse_appointment_after_death();

/*
 * A statement that there are no allergies ends with the first active one, whichever way the two meet: a save, a merge,
 * an import, or one that returns from the trash. It keeps which one that was: it is true again without it, if a merge
 * or a document is undone.
 */
create function end_statement_of_none() returns trigger language plpgsql as $$
begin
  -- its own update calls it again
  if not exists (select from new_rows where status = 'active' and not is_deleted) then
    return null;
  end if;
  update patient_allergies n set status = 'refuted', updated_at = now(),
    metadata = n.metadata || jsonb_build_object('ended_by', a.id)
  from (
    select distinct on (patient_id) patient_id, id from patient_allergies
    where patient_id in (select patient_id from new_rows where status = 'active' and not is_deleted)
      and substance_kind <> 'none_known' and status = 'active' and not is_deleted
    order by patient_id, id
  ) a
  where n.patient_id = a.patient_id and n.substance_kind = 'none_known' and n.status = 'active'
    and not n.is_deleted;
  return null;
end $$;

/* Once a user says otherwise of the statement, nothing that is undone makes it true again. */
create function forget_who_ended() returns trigger language plpgsql as $$
begin
  new.metadata := new.metadata - 'ended_by' - 'ended_by_merge';
  return new;
end $$;

create trigger statement_answered before update of status on patient_allergies for each row
  when (new.substance_kind = 'none_known' and new.status is distinct from old.status
    and new.metadata is not distinct from old.metadata)
  execute function forget_who_ended();
create trigger statement_insert after insert on patient_allergies referencing new table as new_rows
  for each statement execute function end_statement_of_none();
create trigger statement_update after update on patient_allergies referencing new table as new_rows
  for each statement execute function end_statement_of_none();
