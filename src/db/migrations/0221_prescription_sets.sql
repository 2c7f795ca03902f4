-- Prescriptions that are written again and again, under a name: one's own, or of a clinic for all who prescribe there.
-- The items are copied into a prescription, which is checked as any other. Phones do not know the table.
create table prescription_sets (
  id                  uuid primary key,
  name                text not null constraint prescription_sets_name_check
    check (btrim(name) <> '' and length(name) <= 100),
  -- null: the user's own
  clinic_id           uuid references clinics deferrable,
  user_id             uuid not null references users deferrable,
  problem_code_system text,
  problem_code        text,
  problem_label       text,
  items               jsonb not null constraint prescription_sets_items_check
    check (jsonb_typeof(items) = 'array' and jsonb_array_length(items) between 1 and 50),
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint prescription_sets_problem_check check (
    num_nonnulls(problem_code_system, problem_code, problem_label) in (0, 3))
);
create unique index prescription_sets_own_key on prescription_sets (user_id, lower(name))
  where clinic_id is null and not is_deleted;
create unique index prescription_sets_clinic_key on prescription_sets (clinic_id, lower(name))
  where clinic_id is not null and not is_deleted;

insert into cascade_rules (parent, child, child_column, effect) values
  ('clinics', 'prescription_sets', 'clinic_id', 'delete');
