-- The clinic that recorded each clinical row (docs/rules.md, "Care across clinics"): triggers of
-- db/schema/recorded-clinics.sql set it and nothing changes it. Rows from before: the clinic of the visit, else
-- a clinic in which the recording user may edit records and the patient is linked, else the home clinic.
-- The triggers are off meanwhile: no row changes for devices, nothing is written into the audit trail.

do $$
declare
  part record;
begin
  -- a clinic for each patient of rows without a visit
  create temporary table home on commit drop as
    select p.id as patient_id, coalesce(p.primary_clinic_id, (
      select l.clinic_id from patient_links l where l.patient_id = p.id and l.until is null
      order by l.source = 'explicit', l.since, l.clinic_id limit 1)) as clinic_id
    from patients p;
  create unique index on home (patient_id);
  -- the clinics in which each user may edit records and a patient is linked
  create temporary table sender on commit drop as
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

  for part in
    select * from (values
      ('visits', 't.clinic_id', null, null),
      ('appointments', 't.clinic_id', null, null),
      ('dispensing_records', 't.clinic_id', null, null),
      ('events', null, 't.visit_id', 't.recorded_by_user_id'),
      ('event_files', null, 't.visit_id', 't.sent_by_user_id'),
      ('patient_vitals', null, 't.visit_id', 't.recorded_by_user_id'),
      ('patient_problems', null, 't.visit_id', 't.recorded_by_user_id'),
      ('prescriptions', null, 't.visit_id', 't.provider_id'),
      ('patient_allergies', null, null, 't.recorded_by_user_id'),
      ('patient_pregnancies', null, null, 't.recorded_by_user_id'),
      ('patient_medicines', null, null, 't.recorded_by_user_id')
    ) parts (table_name, own, visit, author)
  loop
    execute format(
      'alter table %1$I add column recorded_clinic_id uuid; alter table %1$I disable trigger user',
      part.table_name);
    if part.own is not null then
      execute format('update %I t set recorded_clinic_id = %s', part.table_name, part.own);
    else
      execute format(
        'update %1$I t set recorded_clinic_id = r.clinic_id
         from (
           select t.id, coalesce(%2$s s.clinic_id, h.clinic_id) as clinic_id
           from %1$I t
             %3$s
             left join sender s on s.patient_id = t.patient_id and s.user_id = %4$s
             left join home h on h.patient_id = t.patient_id
         ) r where r.id = t.id',
        part.table_name,
        case when part.visit is null then '' else 'v.clinic_id,' end,
        case when part.visit is null then ''
          else format('left join visits v on v.id = %s', part.visit) end,
        part.author);
    end if;
    execute format(
      'alter table %1$I enable trigger user;
       alter table %1$I add constraint %1$s_recorded_clinic_id_fkey
         foreign key (recorded_clinic_id) references clinics deferrable', part.table_name);
  end loop;

  alter table prescription_items add column recorded_clinic_id uuid;
  alter table prescription_items disable trigger user;
  update prescription_items t set recorded_clinic_id = p.recorded_clinic_id
    from prescriptions p where p.id = t.prescription_id;
  alter table prescription_items enable trigger user;
  alter table prescription_items add constraint prescription_items_recorded_clinic_id_fkey
    foreign key (recorded_clinic_id) references clinics deferrable;
end $$;

-- The cached rows of the histories name it too, so that a pull filters them without reading the stored row. The
-- next start fills the caches again (src/sync/pull/row-cache.server.ts).
alter table wire_visits add column recorded_clinic_id uuid;
alter table wire_events add column recorded_clinic_id uuid;
alter table wire_patient_vitals add column recorded_clinic_id uuid;
alter table wire_patient_problems add column recorded_clinic_id uuid;
alter table wire_prescriptions add column recorded_clinic_id uuid;
alter table wire_prescription_items add column recorded_clinic_id uuid;
alter table wire_dispensing_records add column recorded_clinic_id uuid;
