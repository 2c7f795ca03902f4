-- What a patient was given is never deleted, only countered (a tombstone is an update), and what phones say of themselves
-- is a trail like the audit's own.

create function refuse_removal() returns trigger language plpgsql as $$
begin
  raise exception '% keeps its rows', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger kept_for_ever before delete or truncate on dispensing_records
  for each statement execute function refuse_removal();
create trigger append_only before update or delete or truncate on event_logs
  for each statement execute function refuse_change();
