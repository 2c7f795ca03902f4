-- Messages to patients who should have come, and the texts of administrators.

-- A text that replaces the shipped one of its schedule and language (src/features/day/followups/messages/texts.json).
create table message_texts (
  id                uuid primary key,
  schedule_code     text not null,
  language          text not null constraint message_texts_language_check check (language in ('en', 'ar', 'es')),
  body              text not null
    constraint message_texts_body_check check (length(body) between 1 and 600)
    constraint message_texts_placeholders_check
      check (regexp_replace(body, '\{(name|clinic|date|phone)\}', '', 'g') !~ '[{}]'),
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint message_texts_unique unique (schedule_code, language)
);

-- The content never changes; the state moves forward (db/schema/messages.sql).
create table messages (
  id            uuid primary key,
  patient_id    uuid not null references patients deferrable,
  -- what the patient should come for: items are computed anew, so the row keeps what it was about
  item_id       uuid not null,
  program       text not null,
  schedule_code text not null,
  due_on        date not null,
  clinic_id     uuid not null references clinics deferrable,
  channel       text not null constraint messages_channel_check check (channel in ('sms', 'letter')),
  language      text not null constraint messages_language_check check (language in ('en', 'ar', 'es')),
  -- null: a letter
  phone         text,
  body          text not null constraint messages_body_check check (length(body) between 1 and 2000),
  -- the clinic's time zone, in which days and quiet hours are counted
  zone          text not null,
  created_by    uuid references users deferrable,
  created_at    timestamptz(3) not null default clock_timestamp(),
  -- the day of created_at in the zone; a trigger sets it
  created_on    date not null default current_date,
  -- queued: to be sent, or accepted by the gateway and not sent yet
  state         text not null constraint messages_state_check
                check (state in ('copied', 'printed', 'queued', 'sent', 'delivered', 'failed', 'cancelled')),
  -- since then the gateway has it, and is only asked for its state
  accepted_at   timestamptz(3),
  -- when to send or to ask next; null: never
  due_at        timestamptz(3),
  -- during an attempt: when another process may take it over
  leased_until  timestamptz(3),
  attempts      integer not null default 0,
  -- a key of `messages.error_*`
  error         text,
  -- why the gateway refused it, in its own words
  reason        text,
  -- of the last change of the state
  state_at      timestamptz(3) not null default clock_timestamp(),
  constraint messages_how_check check (case state
    when 'copied' then channel = 'sms' and due_at is null
    when 'printed' then channel = 'letter' and due_at is null
    else channel = 'sms' and phone is not null end),
  constraint messages_error_check check (state <> 'failed' or error is not null),
  -- nothing is planned for the night
  constraint messages_quiet_check check (state <> 'queued' or accepted_at is not null or due_at is not null
    and (due_at at time zone zone)::time >= '09:00' and (due_at at time zone zone)::time < '20:00')
);
create index messages_patient_idx on messages (patient_id, program, created_at);
create index messages_gateway_idx on messages (created_on) where state not in ('copied', 'printed');
create index messages_due_idx on messages (due_at) where state in ('queued', 'sent') and due_at is not null;
