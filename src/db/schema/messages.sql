-- Messages to patients, and whether a patient agreed to them.

create trigger contact_consents_append_only
  before update or delete or truncate on contact_consents
  for each statement execute function refuse_change();

/* Whether the patient, or a record merged into the patient, agreed to the channel last. */
create function has_consent(p_patient uuid, p_channel text) returns boolean language sql stable as $$
  select coalesce((
    select agreed from contact_consents
    where channel = p_channel
      and patient_id in (select former_id from former_patients(array[living_patient(p_patient)]))
    order by recorded_at desc, id desc limit 1), false)
$$;

/* A message that failed or was cancelled may have arrived if a gateway may have it. */
create function may_have_arrived(m messages) returns boolean language sql immutable as $$
  select m.state not in ('failed', 'cancelled') or m.gateway is not null
$$;

/*
 * Only to a patient who agreed; one for a patient and program in seven days; and 100 through the gateway in a day. A
 * message that did not arrive does not count for the seven days.
 */
create function admit_message() returns trigger language plpgsql as $$
begin
  -- one transaction counts at a time
  perform pg_advisory_xact_lock(7262027);
  new.created_on := (new.created_at at time zone new.zone)::date;
  if not has_consent(new.patient_id, new.channel) then
    raise exception 'the patient has not agreed' using errcode = 'check_violation',
      constraint = 'messages_consent';
  end if;
  if exists (
    select from messages m
    where patient_id in (
        select former_id from former_patients(array[living_patient(new.patient_id)]))
      and program = new.program and created_on > new.created_on - 7 and may_have_arrived(m))
  then
    raise exception 'one message in seven days' using errcode = 'check_violation',
      constraint = 'messages_one_a_week';
  end if;
  if new.state = 'queued' and (
    select count(*) from messages
    where created_on = new.created_on and state not in ('copied', 'printed')) >= 100
  then
    raise exception '100 messages in a day' using errcode = 'check_violation',
      constraint = 'messages_hundred_a_day';
  end if;
  return new;
end $$;
create trigger admit before insert on messages for each row execute function admit_message();

/* What was written to whom stays; a message that is settled stays as it is. */
create function keep_message() returns trigger language plpgsql as $$
declare
  moving constant text[] := '{state,accepted_at,due_at,leased_until,attempts,gateway,error,reason,state_at}';
begin
  if old.state not in ('queued', 'sent')
    or old.state = 'sent' and new.state in ('queued', 'cancelled')
    or new.state in ('copied', 'printed')
    or to_jsonb(new) - moving is distinct from to_jsonb(old) - moving
  then
    raise exception 'message % is kept', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger keep before update on messages for each row execute function keep_message();
create trigger messages_kept before delete or truncate on messages
  for each statement execute function refuse_removal();
