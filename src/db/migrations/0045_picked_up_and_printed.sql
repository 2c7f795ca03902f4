-- Why a prescription was set to "picked up" although nothing of it was dispensed here. Ours alone: phones do not know it.
alter table prescriptions add column status_reason text constraint prescriptions_status_reason_check
  check (length(trim(status_reason)) >= 3 and length(status_reason) <= 500);

-- As in 0016. A reason belongs to the step it was given for: the next step, also of a phone, clears it.
create or replace function mark_unusual_step() returns trigger language plpgsql as $$
begin
  new.unusual_from := case
    when is_usual_step(old.status, new.status) or current_setting('sanad.following', true) = 'on' then null else old.status end;
  if new.status_reason is not distinct from old.status_reason then new.status_reason := null; end if;
  return new;
end $$;
select keep_audit('prescriptions');

-- The prescription number is the end of the id (src/features/prescriptions/number.ts): printed, and searched for.
create index prescriptions_number_idx on prescriptions (right(id::text, 10));

-- For what is printed. Phones do not know them.
alter table clinics
  add column address text constraint clinics_address_check check (address <> '' and length(address) <= 300),
  add column phone text constraint clinics_phone_check check (phone <> '' and length(phone) <= 100);
