-- When a patient died. Phones do not know it: it is not among the synced columns, so that their writes leave it as it is.
alter table patients add column died_on date;
-- an approximate birth may be later than the true one
alter table patients add constraint patients_died_on_check check (died_on >= date_of_birth - case metadata ->> 'date_of_birth_precision'
  when 'age' then 366 when 'year' then 0 when 'month' then 16 when 'week' then 4 else 0 end);
select keep_audit('patients');

-- No clock is more than a day ahead of UTC.
create function refuse_future_death() returns trigger language plpgsql as $$
begin
  if new.died_on > (now() at time zone 'UTC')::date + 1 then
    raise exception 'a death in the future' using errcode = 'check_violation', constraint = 'patients_died_on_future';
  end if;
  return new;
end $$;
create trigger died_in_future before insert or update of died_on on patients
  for each row when (new.died_on is not null) execute function refuse_future_death();

-- What an import kept beside the record.
do $$
declare
  kept record;
begin
  for kept in select id, metadata ->> 'date_of_death' as day from patients where metadata ->> 'date_of_death' is not null loop
    begin
      update patients set died_on = kept.day::date where id = kept.id
        and kept.day::date between coalesce(date_of_birth, '1900-01-01') and (now() at time zone 'UTC')::date;
    exception when data_exception then null; -- no day of the calendar: it stays where the import kept it
    end;
  end loop;
end $$;

-- Nothing new for a patient who has died. A day on the clinic's clock ends at the latest 12 hours after that of UTC, so a
-- moment two days later is after the death in every zone; the web refuses the day after. What was written before the death
-- and arrives later is accepted.
create function refuse_prescription_after_death() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows n join patients p on p.id = n.patient_id
             where p.died_on is not null and not n.is_deleted and n.prescribed_at >= (p.died_on + 2)::timestamp at time zone 'UTC') then
    raise exception 'this patient has died' using errcode = 'restrict_violation', constraint = 'prescriptions_patient_died';
  end if;
  return null;
end $$;
create trigger after_death after insert on prescriptions referencing new table as new_rows
  for each statement execute function refuse_prescription_after_death();

create function refuse_appointment_after_death() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows n join patients p on p.id = n.patient_id
             where p.died_on is not null and not n.is_deleted and n.timestamp >= (p.died_on + 2)::timestamp at time zone 'UTC') then
    raise exception 'this patient has died' using errcode = 'restrict_violation', constraint = 'appointments_patient_died';
  end if;
  return null;
end $$;
create trigger after_death after insert on appointments referencing new table as new_rows
  for each statement execute function refuse_appointment_after_death();
