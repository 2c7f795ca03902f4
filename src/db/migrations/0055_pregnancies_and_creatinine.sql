-- What the safety check has to know of a patient beyond the record of today: pregnancy and kidney function.

-- One row for each answer to "is she pregnant?"; the answer of the latest day counts. Answers are added, never changed:
-- a mistake goes to the trash.
create table patient_pregnancies (
  id                  uuid primary key,
  patient_id          uuid not null references patients deferrable,
  -- 'not_possible': cannot become pregnant, such as after removal of the womb
  state               text not null constraint patient_pregnancies_state_check
                      check (state in ('pregnant', 'breastfeeding', 'after_birth', 'not_pregnant', 'not_possible', 'not_known')),
  -- the day for which it was answered, where the clinic is; no clock is more than a day ahead of UTC
  asked_on            date not null constraint patient_pregnancies_asked_on_check
                      check (asked_on <= (created_at at time zone 'UTC')::date + 1),
  -- the expected day of birth, and what the user computed it from
  due_on              date,
  dating              text constraint patient_pregnancies_dating_check check (dating in ('last_period', 'due_date', 'weeks')),
  -- the day on which the pregnancy ended, by birth or otherwise
  ended_on            date constraint patient_pregnancies_ended_on_check check (ended_on <= asked_on),
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint patient_pregnancies_due_check
    check ((due_on is null) = (dating is null) and (due_on is null or state = 'pregnant')),
  -- 280 days before the last period would begin in the future, and 45 weeks of pregnancy
  constraint patient_pregnancies_weeks_check check (due_on between asked_on - 35 and asked_on + 280),
  constraint patient_pregnancies_ended_check
    check (state = 'breastfeeding' or (ended_on is not null) = (state = 'after_birth'))
);
create index patient_pregnancies_patient_idx on patient_pregnancies (patient_id, asked_on desc) where not is_deleted;
select keep_record('patient_pregnancies');
create trigger recorder before insert on patient_pregnancies for each row execute function keep_recorder();
insert into cascade_rules values ('patients', 'patient_pregnancies', 'patient_id', 'delete');

-- In µmol/L. Phones do not know it: it is not among the synced columns, so that their writes leave it as it is.
alter table patient_vitals add column creatinine_umol_l numeric;
select keep_audit('patient_vitals');
