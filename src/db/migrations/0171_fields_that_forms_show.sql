-- The columns that each registration form shows, once for each change: the app writes "" into the others when it edits
-- a patient (docs/phone-sync.md, "Guarantees", 1). `xid` says from which snapshot on phones have that version.
create table registration_form_columns (
  id      bigint generated always as identity primary key,
  form_id uuid not null,
  xid     xid8 not null default pg_current_xact_id(),
  -- null for a deleted form
  shown   text[]
);
create index registration_form_columns_form_idx on registration_form_columns (form_id, id desc);

insert into registration_form_columns (form_id, shown)
select id, array(
    select f ->> 'column' from jsonb_array_elements(fields) f
    where f -> 'visible' = 'true' and f -> 'deleted' is distinct from 'true' and f ? 'column'
    order by 1)
from registration_forms where not is_deleted;
