-- Whether a patient agreed to receive messages. Append-only: the newest answer for a channel counts; without one it is no.

create table contact_consents (
  id              uuid primary key,
  patient_id      uuid not null references patients deferrable,
  channel         text not null constraint contact_consents_channel_check check (channel in ('sms', 'letter')),
  agreed          boolean not null,
  -- the version of the question that the patient was asked
  wording_version integer not null constraint contact_consents_wording_check check (wording_version >= 1),
  recorded_by     uuid references users deferrable,
  recorded_at     timestamptz(3) not null default clock_timestamp()
);
create index contact_consents_patient_idx on contact_consents (patient_id, channel, recorded_at);
