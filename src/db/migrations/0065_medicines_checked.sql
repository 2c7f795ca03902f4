-- Medicines that a patient takes from elsewhere, and a mark on every recorded medicine that no check has looked at yet.

create table patient_medicines (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- as on the package or as the patient says it; the checks look for its substances at each check
  name                text not null constraint patient_medicines_name_check check (name <> '' and length(name) <= 200),
  -- where the name says too little: the substances, by any name that the checks know
  ingredients         text[] not null default '{}',
  dose                text,
  source              text not null constraint patient_medicines_source_check
                      check (source in ('other_clinic', 'pharmacy', 'brought', 'traditional', 'unknown')),
  since               date,
  until               date constraint patient_medicines_until_check check (until >= since),
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
create index patient_medicines_patient_idx on patient_medicines (patient_id) where not is_deleted;
select keep_record('patient_medicines');
insert into cascade_rules values ('patients', 'patient_medicines', 'patient_id', 'delete');

-- A warning about a medicine that nobody prescribed here has no medicine of the catalogue, and perhaps no clinic. One that
-- arrived with a phone or an import was not shown to anybody: it has no reason.
alter table safety_overrides
  alter column drug_id drop not null,
  alter column clinic_id drop not null,
  alter column reason drop not null,
  add column event_id uuid references events deferrable,
  add column patient_medicine_id uuid references patient_medicines deferrable,
  add column dispensing_record_id uuid references dispensing_records deferrable,
  drop constraint safety_overrides_stage_check,
  add constraint safety_overrides_stage_check check (stage in ('prescribing', 'dispensing', 'recording', 'arrived')),
  add constraint safety_overrides_arrived_check check ((reason is null) = (stage = 'arrived'));
create index safety_overrides_event_idx on safety_overrides (event_id) where event_id is not null;
create index safety_overrides_patient_medicine_idx on safety_overrides (patient_medicine_id) where patient_medicine_id is not null;
create index safety_overrides_dispensing_record_idx on safety_overrides (dispensing_record_id) where dispensing_record_id is not null;

-- Rows with medicines that no check has looked at since they were written. Whatever writes them, these triggers mark them;
-- only a check takes the mark away.
create table unchecked_medicines (
  table_name text not null,
  row_id     uuid not null,
  -- no reference: a merge changes the marked row, which marks it again with the patient who remains
  patient_id uuid not null,
  marked_at  timestamptz(3) not null default clock_timestamp(),
  primary key (table_name, row_id)
);
create index unchecked_medicines_patient_idx on unchecked_medicines (patient_id);
create index unchecked_medicines_oldest_idx on unchecked_medicines (marked_at);

-- What follows from dispensing and who touched the row last says nothing about the medicine.
create function medicine_of(p_row jsonb) returns jsonb language sql immutable as $$
  select p_row - array['quantity_dispensed', 'refills_used', 'item_status', 'status', 'position', 'notes', 'unusual_from', 'filled_at',
    'filled_by', 'updated_at', 'last_modified', 'server_created_at', 'recorded_by_user_id', 'event_type', 'status_reason']
    || jsonb_build_object('is_open', coalesce(p_row ->> 'item_status', p_row ->> 'status', '') <> 'cancelled')
$$;

/* Marks the new or changed rows of a statement. Arguments: the marked table, the column of its id, a condition on rows `n`. */
create function mark_unchecked() returns trigger language plpgsql as $$
begin
  execute format(
    'insert into unchecked_medicines (table_name, row_id, patient_id)
     select distinct on (1, 2) %L, n.%I, n.patient_id from new_rows n %s where not n.is_deleted and (%s) %s
     on conflict (table_name, row_id) do update set marked_at = excluded.marked_at, patient_id = excluded.patient_id',
    tg_argv[0], tg_argv[1],
    case when tg_op = 'UPDATE' then 'join old_rows o on o.id = n.id' else '' end, tg_argv[2],
    case when tg_op = 'UPDATE' then 'and medicine_of(to_jsonb(n)) is distinct from medicine_of(to_jsonb(o))' else '' end);
  return null;
end $$;

/* Ties a table with medicines to the mark; a test finds a table that holds medicines and is not tied. */
create function keep_unchecked(p_table regclass, p_marked text, p_column text, p_condition text) returns void language plpgsql as $$
begin
  execute format('create trigger unchecked_insert after insert on %s referencing new table as new_rows
    for each statement execute function mark_unchecked(%L, %L, %L)', p_table, p_marked, p_column, p_condition);
  execute format('create trigger unchecked_update after update on %s referencing old table as old_rows new table as new_rows
    for each statement execute function mark_unchecked(%L, %L, %L)', p_table, p_marked, p_column, p_condition);
end $$;
select keep_unchecked('prescriptions', 'prescriptions', 'id', $$n.status <> 'cancelled' and
  (n.items <> '[]' or exists (select from prescription_items i where i.prescription_id = n.id))$$);
select keep_unchecked('prescription_items', 'prescriptions', 'prescription_id', $$n.item_status in ('active', 'partially_dispensed')$$);
select keep_unchecked('events', 'events', 'id', $$n.form_data @> '[{"fieldType": "medicine"}]'$$);
select keep_unchecked('dispensing_records', 'dispensing_records', 'id', $$n.reverses_id is null$$);
select keep_unchecked('patient_medicines', 'patient_medicines', 'id', 'true');
