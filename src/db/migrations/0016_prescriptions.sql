-- What a patient must not be given, what was prescribed, and what was handed out.

create table patient_allergies (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- as people say it: 'Penicillin', 'peanuts'
  substance           text not null constraint patient_allergies_substance_check check (substance <> '' and length(substance) <= 200),
  -- 'ingredient' and 'drug_class' are checked against what is prescribed; 'none_known' says that somebody asked
  substance_kind      text not null constraint patient_allergies_substance_kind_check
                      check (substance_kind in ('ingredient', 'drug_class', 'other', 'none_known')),
  -- the ingredient's INN or the code of a class (src/features/safety)
  substance_code      text constraint patient_allergies_substance_code_check
                      check ((substance_code is not null) = (substance_kind in ('ingredient', 'drug_class'))),
  reaction            text,
  severity            text constraint patient_allergies_severity_check check (severity in ('mild', 'moderate', 'severe')),
  status              text not null default 'active' constraint patient_allergies_status_check
                      check (status in ('active', 'inactive', 'refuted')),
  notes               text,
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3)
);
create index patient_allergies_patient_idx on patient_allergies (patient_id) where not is_deleted;
select keep_record('patient_allergies');

create table prescriptions (
  id                uuid primary key,
  patient_id        uuid not null references patients deferrable,
  provider_id       uuid references users deferrable,
  filled_by         uuid references users deferrable,
  pickup_clinic_id  uuid references clinics deferrable,
  visit_id          uuid,
  priority          text not null default 'normal' constraint prescriptions_priority_check
                    check (priority in ('low', 'normal', 'high', 'emergency')),
  expiration_date   timestamptz(3),
  prescribed_at     timestamptz(3) not null default now(),
  filled_at         timestamptz(3),
  status            text not null default 'pending' constraint prescriptions_status_check check
                    (status in ('pending', 'prepared', 'picked-up', 'not-picked-up', 'partially-picked-up', 'cancelled', 'other')),
  -- the status before an unusual step; null after a usual one
  unusual_from      text,
  -- kept as phones sent it, shown as free text: prescription_items is the truth
  items             jsonb not null default '[]',
  notes             text not null default '',
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint prescriptions_id_patient_id_key unique (id, patient_id),
  constraint prescriptions_visit_id_fkey foreign key (visit_id, patient_id) references visits (id, patient_id) deferrable
);
create index prescriptions_recent_idx on prescriptions (prescribed_at desc, id) where not is_deleted;
create index prescriptions_patient_idx on prescriptions (patient_id, prescribed_at desc) where not is_deleted;
create index prescriptions_clinic_idx on prescriptions (pickup_clinic_id, status, prescribed_at desc) where not is_deleted;
create index prescriptions_status_idx on prescriptions (status, prescribed_at desc) where not is_deleted;
create index prescriptions_provider_idx on prescriptions (provider_id, prescribed_at desc) where not is_deleted;
create index prescriptions_visit_idx on prescriptions (visit_id) where visit_id is not null;
create index prescriptions_any_clinic_idx on prescriptions (pickup_clinic_id);
select keep_record('prescriptions');
select keep_links('prescriptions', 'prescription', 'patient_id', 'pickup_clinic_id');

create table prescription_items (
  id                  uuid primary key,
  prescription_id     uuid not null,
  patient_id          uuid not null references patients deferrable,
  drug_id             uuid not null references drug_catalogue deferrable,
  clinic_id           uuid references clinics deferrable,
  dosage_instructions text not null default '',
  quantity_prescribed numeric not null default 1 constraint prescription_items_quantity_prescribed_check check (quantity_prescribed >= 1),
  -- these two, and item_status where something was handed out, follow dispensing_records
  quantity_dispensed  numeric not null default 0,
  refills_used        integer not null default 0,
  refills_authorized  integer not null default 0 constraint prescription_items_refills_authorized_check check (refills_authorized >= 0),
  item_status         text not null default 'active' constraint prescription_items_item_status_check
                      check (item_status in ('active', 'completed', 'cancelled', 'partially_dispensed')),
  notes               text,
  -- ours alone: the order of the cards on the form
  position            integer not null default 0,
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint prescription_items_id_patient_id_key unique (id, patient_id),
  constraint prescription_items_prescription_id_fkey
    foreign key (prescription_id, patient_id) references prescriptions (id, patient_id) deferrable
);
create index prescription_items_prescription_idx on prescription_items (prescription_id, position) where not is_deleted;
create index prescription_items_patient_idx on prescription_items (patient_id) where not is_deleted;
create index prescription_items_drug_idx on prescription_items (drug_id);
create index prescription_items_clinic_idx on prescription_items (clinic_id);
select keep_record('prescription_items');

-- A fact: never changed or deleted here, only countered by a row of the opposite sign. What a phone deletes no longer counts.
create table dispensing_records (
  id                   uuid primary key,
  clinic_id            uuid not null references clinics deferrable,
  drug_id              uuid not null references drug_catalogue deferrable,
  batch_id             uuid references drug_batches deferrable,
  prescription_item_id uuid,
  patient_id           uuid not null references patients deferrable,
  quantity_dispensed   numeric not null,
  dosage_instructions  text,
  days_supply          numeric,
  dispensed_by         uuid references users deferrable,
  dispensed_at         timestamptz(3) not null default now(),
  -- ours alone: which record this one counters, and why
  reverses_id          uuid references dispensing_records deferrable,
  reason               text,
  recorded_by_user_id  uuid references users deferrable,
  metadata             jsonb not null default '{}',
  is_deleted           boolean not null default false,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  last_modified        timestamptz(3) not null default now(),
  server_created_at    timestamptz(3) not null default now(),
  deleted_at           timestamptz(3),
  constraint dispensing_records_quantity_dispensed_check
    check (case when reverses_id is null then quantity_dispensed > 0 else quantity_dispensed < 0 end),
  constraint dispensing_records_prescription_item_id_fkey
    foreign key (prescription_item_id, patient_id) references prescription_items (id, patient_id) deferrable
);
create unique index dispensing_records_reverses_id_key on dispensing_records (reverses_id) where reverses_id is not null;
create index dispensing_records_item_idx on dispensing_records (prescription_item_id) where prescription_item_id is not null;
create index dispensing_records_patient_idx on dispensing_records (patient_id, dispensed_at desc);
create index dispensing_records_clinic_idx on dispensing_records (clinic_id, dispensed_at desc);
create index dispensing_records_drug_idx on dispensing_records (drug_id, dispensed_at desc);
create index dispensing_records_batch_idx on dispensing_records (batch_id) where batch_id is not null;
select keep_record('dispensing_records');
create trigger archived before insert or update on dispensing_records for each row execute function refuse_in_archived_clinic();

insert into cascade_rules values
  ('patients', 'patient_allergies', 'patient_id', 'delete'),
  ('patients', 'prescriptions', 'patient_id', 'delete'),
  ('prescriptions', 'prescription_items', 'prescription_id', 'delete'),
  ('visits', 'prescriptions', 'visit_id', 'unlink');

create function refuse_at_archived_pickup() returns trigger language plpgsql as $$
begin
  if current_setting('sanad.merging', true) = 'on' then return new; end if;
  if exists (select from clinics where id = new.pickup_clinic_id and is_archived and not is_deleted) then
    raise exception 'this clinic is archived' using errcode = 'restrict_violation', constraint = 'clinics_archived';
  end if;
  return new;
end $$;
create trigger archived before insert or update on prescriptions
  for each row when (new.pickup_clinic_id is not null) execute function refuse_at_archived_pickup();

-- Statuses -------------------------------------------------------------------------------------------------------------

/* The steps that a prescription usually takes; any other is possible, and marked. */
create function is_usual_step(was text, becomes text) returns boolean language sql immutable as $$
  select was = becomes or was = 'other' or becomes = 'other'
    or (becomes = 'cancelled' and was <> 'picked-up')
    or (was, becomes) in (('pending', 'prepared'), ('prepared', 'picked-up'), ('prepared', 'partially-picked-up'),
      ('prepared', 'not-picked-up'), ('partially-picked-up', 'picked-up'), ('not-picked-up', 'prepared'))
$$;

-- What follows from dispensing is nobody's unusual choice.
create function mark_unusual_step() returns trigger language plpgsql as $$
begin
  new.unusual_from := case
    when is_usual_step(old.status, new.status) or current_setting('sanad.following', true) = 'on' then null else old.status end;
  return new;
end $$;
create trigger unusual before update of status on prescriptions
  for each row when (old.status is distinct from new.status) execute function mark_unusual_step();

create function dispensed_of(p_item uuid) returns numeric language sql stable as $$
  select coalesce(sum(quantity_dispensed), 0) from dispensing_records where prescription_item_id = p_item and not is_deleted
$$;

-- Whoever writes an item, by web or phone, these figures come from what was handed out.
create function follow_dispensed() returns trigger language plpgsql as $$
declare
  given numeric := dispensed_of(new.id);
begin
  new.quantity_dispensed := given;
  new.refills_used := case when given <= 0 then 0
    else least(new.refills_authorized, greatest(ceil(given / new.quantity_prescribed) - 1, 0)) end;
  if given > 0 and new.item_status <> 'cancelled' then
    new.item_status := case when given >= new.quantity_prescribed * (1 + new.refills_authorized)
      then 'completed' else 'partially_dispensed' end;
  end if;
  return new;
end $$;
create trigger dispensed
  before insert or update of quantity_prescribed, refills_authorized, quantity_dispensed, refills_used, item_status
  on prescription_items for each row execute function follow_dispensed();

/* Sets the status of prescriptions of which something was handed out, or everything taken back. */
create function follow_items(p_prescriptions uuid[]) returns void language plpgsql as $$
begin
  perform set_config('sanad.following', 'on', true);
  update prescriptions p set status = f.status,
    filled_at = case when f.status = 'picked-up' then coalesce(p.filled_at, f.last_at) end,
    filled_by = case when f.status = 'picked-up' then coalesce(p.filled_by, f.last_by) end
  from (
    select i.prescription_id as id, last.dispensed_at as last_at, last.dispensed_by as last_by,
      case when not bool_or(i.quantity_dispensed > 0) then 'pending'
           when bool_and(i.item_status = 'completed') filter (where i.item_status <> 'cancelled') then 'picked-up'
           else 'partially-picked-up' end as status
    from prescription_items i
    left join lateral (
      select r.dispensed_at, r.dispensed_by from dispensing_records r join prescription_items s on s.id = r.prescription_item_id
      where s.prescription_id = i.prescription_id and not r.is_deleted and r.quantity_dispensed > 0
      order by r.dispensed_at desc, r.id desc limit 1
    ) last on true
    where i.prescription_id = any(p_prescriptions) and not i.is_deleted
    group by i.prescription_id, last.dispensed_at, last.dispensed_by
  ) f
  where p.id = f.id and p.status <> f.status and p.status not in ('cancelled', 'other')
    -- nothing handed out says nothing about a prescription that waits
    and (f.status <> 'pending' or p.status in ('picked-up', 'partially-picked-up'));
  perform set_config('sanad.following', '', true);
end $$;

create function follow_records() returns trigger language plpgsql as $$
declare
  touched uuid[];
begin
  if tg_op = 'INSERT' then
    touched := array(select distinct prescription_item_id from new_rows where prescription_item_id is not null);
  else
    touched := array(select prescription_item_id from new_rows where prescription_item_id is not null
                     union select prescription_item_id from old_rows where prescription_item_id is not null);
  end if;
  if cardinality(touched) = 0 then return null; end if;
  update prescription_items set item_status =
    case when item_status in ('partially_dispensed', 'completed') and dispensed_of(id) <= 0 then 'active' else item_status end
    where id = any(touched);
  perform follow_items(array(select distinct prescription_id from prescription_items where id = any(touched)));
  return null;
end $$;
create trigger follow_insert after insert on dispensing_records referencing new table as new_rows
  for each statement execute function follow_records();
create trigger follow_update after update on dispensing_records referencing old table as old_rows new table as new_rows
  for each statement execute function follow_records();

-- Calling off the last open item completes the prescription.
create function follow_item_status() returns trigger language plpgsql as $$
declare
  touched uuid[] := array(select distinct n.prescription_id from new_rows n join old_rows o on o.id = n.id
                          where n.item_status <> o.item_status and n.quantity_dispensed > 0);
begin
  if cardinality(touched) > 0 then perform follow_items(touched); end if;
  return null;
end $$;
create trigger follow_status after update on prescription_items referencing old table as old_rows new table as new_rows
  for each statement execute function follow_item_status();

-- What is held for a prescription goes back to the shelf when nobody is going to fetch it, by web or phone.
create function release_prescription() returns trigger language plpgsql as $$
begin
  delete from stock_reservations r using prescription_items i where i.prescription_id = new.id and r.reference_id = i.id;
  return null;
end $$;
create trigger release after update of status, is_deleted on prescriptions
  for each row when (new.is_deleted or new.status not in ('prepared', 'partially-picked-up')) execute function release_prescription();
create function release_item() returns trigger language plpgsql as $$
begin
  delete from stock_reservations where reference_id = new.id;
  return null;
end $$;
create trigger release after update of item_status, is_deleted on prescription_items
  for each row when (new.is_deleted or new.item_status in ('completed', 'cancelled')) execute function release_item();

-- Safety ---------------------------------------------------------------------------------------------------------------

-- Warnings that somebody went past, and why. Never changed but for the review.
create table safety_overrides (
  id                   uuid primary key,
  patient_id           uuid not null references patients deferrable,
  clinic_id            uuid not null references clinics deferrable,
  prescription_id      uuid references prescriptions deferrable,
  prescription_item_id uuid references prescription_items deferrable,
  drug_id              uuid not null references drug_catalogue deferrable,
  stage                text not null constraint safety_overrides_stage_check check (stage in ('prescribing', 'dispensing')),
  kind                 text not null constraint safety_overrides_kind_check
                       check (kind in ('allergy', 'duplicate', 'interaction', 'unchecked')),
  -- what was shown: the rule, the substances, the other drug
  warning              jsonb not null,
  reason               text not null constraint safety_overrides_reason_check check (length(trim(reason)) >= 3 and length(reason) <= 1000),
  overridden_by        uuid references users deferrable,
  overridden_at        timestamptz(3) not null default clock_timestamp(),
  reviewed_by          uuid references users deferrable,
  reviewed_at          timestamptz(3),
  review_note          text,
  is_deleted           boolean not null default false,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  last_modified        timestamptz(3) not null default now(),
  server_created_at    timestamptz(3) not null default now(),
  deleted_at           timestamptz(3)
);
create index safety_overrides_clinic_idx on safety_overrides (clinic_id, overridden_at desc);
create index safety_overrides_recent_idx on safety_overrides (overridden_at desc, id);
create index safety_overrides_open_idx on safety_overrides (overridden_at desc, id) where reviewed_at is null;
create index safety_overrides_patient_idx on safety_overrides (patient_id);
create index safety_overrides_prescription_idx on safety_overrides (prescription_id) where prescription_id is not null;
select keep_record('safety_overrides');
