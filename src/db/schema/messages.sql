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
