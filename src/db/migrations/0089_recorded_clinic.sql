-- The clinic that recorded each clinical row (docs/rules.md, "Care across clinics"): triggers of
-- db/schema/recorded-clinics.sql set it and nothing changes it. Rows from before: the clinic of the visit, else
-- a clinic in which the recording user may edit records and the patient is linked, else the home clinic.
-- Each table is written anew, with its indexes: faster than an update, leaves no dead rows, and
-- runs no trigger, so that neither devices nor the audit trail see a change.

-- a clinic for each patient of rows without a visit
create temporary table home as
  select p.id as patient_id, coalesce(p.primary_clinic_id, (
    select l.clinic_id from patient_links l where l.patient_id = p.id and l.until is null
    order by l.source = 'explicit', l.since, l.clinic_id limit 1)) as clinic_id
  from patients p;
create unique index on home (patient_id);
-- the clinics in which each user may edit records and a patient is linked
create temporary table sender as
  select distinct on (l.patient_id, u.id) l.patient_id, u.id as user_id, l.clinic_id
  from patient_links l
    join user_clinic_permissions g on g.clinic_id = l.clinic_id and g.can_edit_records and not g.is_deleted
    join users u on u.id = g.user_id
    join home h on h.patient_id = l.patient_id
  where l.until is null
    -- the others have one clinic, which is their home as well
    and exists (
      select from patient_links other
      where other.patient_id = l.patient_id and other.clinic_id <> h.clinic_id)
  order by l.patient_id, u.id, l.clinic_id = u.clinic_id desc nulls last,
    l.clinic_id = h.clinic_id desc nulls last, l.since, l.clinic_id;
create unique index on sender (patient_id, user_id);
analyze home;
analyze sender;

create function pg_temp.clinic_of_author(p_patient uuid, p_user uuid) returns uuid language plpgsql stable as $$
begin
  return coalesce(
    (select clinic_id from sender where patient_id = p_patient and user_id = p_user),
    (select clinic_id from home where patient_id = p_patient));
end $$;

create function pg_temp.clinic_of_visit(p_visit uuid, p_patient uuid, p_user uuid) returns uuid
language plpgsql stable as $$
declare
  found_clinic uuid;
begin
  if p_visit is not null then
    select clinic_id into found_clinic from visits where id = p_visit;
  end if;
  return coalesce(found_clinic, pg_temp.clinic_of_author(p_patient, p_user));
end $$;

create function pg_temp.clinic_of_prescription(p_prescription uuid) returns uuid
language plpgsql stable as $$
begin
  return (select recorded_clinic_id from prescriptions where id = p_prescription);
end $$;

do $$
declare
  part record;
begin
  for part in
    select * from (values
      ('visits', 'clinic_id'),
      ('appointments', 'clinic_id'),
      ('dispensing_records', 'clinic_id'),
      ('events', 'pg_temp.clinic_of_visit(visit_id, patient_id, recorded_by_user_id)'),
      ('event_files', 'pg_temp.clinic_of_visit(visit_id, patient_id, sent_by_user_id)'),
      ('patient_vitals', 'pg_temp.clinic_of_visit(visit_id, patient_id, recorded_by_user_id)'),
      ('patient_problems', 'pg_temp.clinic_of_visit(visit_id, patient_id, recorded_by_user_id)'),
      ('prescriptions', 'pg_temp.clinic_of_visit(visit_id, patient_id, provider_id)'),
      ('prescription_items', 'pg_temp.clinic_of_prescription(prescription_id)'),
      ('patient_allergies', 'pg_temp.clinic_of_author(patient_id, recorded_by_user_id)'),
      ('patient_pregnancies', 'pg_temp.clinic_of_author(patient_id, recorded_by_user_id)'),
      ('patient_medicines', 'pg_temp.clinic_of_author(patient_id, recorded_by_user_id)')
    ) parts (table_name, clinic)
  loop
    execute format('alter table %I add column recorded_clinic_id uuid', part.table_name);
    execute format(
      'alter table %I alter column recorded_clinic_id type uuid using %s', part.table_name, part.clinic);
    execute format(
      'alter table %1$I add constraint %1$s_recorded_clinic_id_fkey
       foreign key (recorded_clinic_id) references clinics deferrable', part.table_name);
  end loop;
end $$;

drop function pg_temp.clinic_of_prescription, pg_temp.clinic_of_visit, pg_temp.clinic_of_author;
drop table sender, home;

-- The cached rows of the histories name it too, so that a pull filters them without reading the stored row. The
-- next start fills the caches again (src/sync/pull/row-cache.server.ts).
alter table wire_visits add column recorded_clinic_id uuid;
alter table wire_events add column recorded_clinic_id uuid;
alter table wire_patient_vitals add column recorded_clinic_id uuid;
alter table wire_patient_problems add column recorded_clinic_id uuid;
alter table wire_prescriptions add column recorded_clinic_id uuid;
alter table wire_prescription_items add column recorded_clinic_id uuid;
alter table wire_dispensing_records add column recorded_clinic_id uuid;
