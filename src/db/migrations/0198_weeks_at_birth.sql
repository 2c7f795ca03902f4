-- Completed weeks of pregnancy at the patient's birth. Phones do not know the column.
alter table patients add column weeks_at_birth smallint
  constraint patients_weeks_at_birth_check check (weeks_at_birth between 20 and 45);
