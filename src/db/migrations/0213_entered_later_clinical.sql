-- A visit or a prescription of an earlier day that a user of the server entered later: the day of typing, and who typed
-- it (no foreign key, as of users who settle). Phones do not know these columns. Vital signs and events have their recorder and `created_at`.
alter table visits
  add column entered_on date,
  add column entered_by_user_id uuid,
  add constraint visits_entered_check check ((entered_on is null) = (entered_by_user_id is null));
alter table prescriptions
  add column entered_on date,
  add column entered_by_user_id uuid,
  add constraint prescriptions_entered_check check ((entered_on is null) = (entered_by_user_id is null));
