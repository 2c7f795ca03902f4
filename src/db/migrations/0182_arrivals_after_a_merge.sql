-- What phones sent for a record after it had been merged into another: it goes to the remaining record, and back with
-- the others when the merge is undone.
create table merged_arrivals (
  table_name text not null,
  row_id     uuid not null,
  -- as sent
  patient_id uuid not null references patients,
  -- a tombstone until then: the remaining record answers the same question
  is_aside   boolean not null default false,
  primary key (table_name, row_id)
);
create index merged_arrivals_patient_idx on merged_arrivals (patient_id);

-- {column: value} that phones wrote for the loser since the merge; of an object only the keys.
alter table patient_merges add column edited jsonb not null default '{}';
