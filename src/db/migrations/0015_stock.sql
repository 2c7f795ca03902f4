-- Medicines: the catalogue, its batches, and a ledger of everything that came and went. What is in stock is never
-- written by anybody: the database adds the ledger up.

-- The catalogue ---------------------------------------------------------------------------------------------------

create function words_of(words text[]) returns text language sql immutable strict parallel safe as $$
  select array_to_string(words, ' ')
$$;

-- What a medicine is searched by, in one alphabet (0006): its names and what is in it.
-- PostgreSQL 17 and later build indexes with an empty search path.
create function drug_names(generic_name text, brand_name text, ingredients text[]) returns text language sql immutable parallel safe
set search_path from current as $$
  select search_text(generic_name || ' ' || coalesce(brand_name, '') || ' ' || words_of(ingredients))
$$;

-- Who wrote a row first: whoever the transaction is signed by, unless it says so itself.
create function keep_recorder() returns trigger language plpgsql as $$
begin
  new.recorded_by_user_id := coalesce(new.recorded_by_user_id, (select id from users where id = acting_user()));
  return new;
end $$;

create table drug_catalogue (
  id                     uuid primary key,
  barcode                text constraint drug_catalogue_barcode_check check (barcode ~ '^\S{1,64}$'),
  generic_name           text not null constraint drug_catalogue_generic_name_check check (generic_name <> '' and length(generic_name) <= 200),
  brand_name             text constraint drug_catalogue_brand_name_check check (length(brand_name) <= 200),
  -- the active substances by their international nonproprietary names, in lower case: allergies and interactions are found by them
  ingredients            text[] not null default '{}' constraint drug_catalogue_ingredients_check
                         check (words_of(ingredients) = lower(words_of(ingredients)) and array_position(ingredients, '') is null and array_position(ingredients, null) is null),
  form                   text not null constraint drug_catalogue_form_check
                         check (form in ('tablet', 'syrup', 'ampule', 'suppository', 'cream', 'drops', 'bottle', 'spray', 'gel', 'lotion', 'inhaler', 'capsule', 'injection', 'patch', 'other')),
  route                  text not null constraint drug_catalogue_route_check
                         check (route in ('oral', 'sublingual', 'rectal', 'topical', 'inhalation', 'intravenous', 'intramuscular', 'intradermal', 'subcutaneous', 'nasal', 'ophthalmic', 'otic', 'vaginal', 'transdermal', 'other')),
  dosage_quantity        numeric constraint drug_catalogue_dosage_quantity_check check (dosage_quantity > 0),
  dosage_units           text not null constraint drug_catalogue_dosage_units_check check (dosage_units in ('mg', 'g', 'mcg', 'mL', 'L', 'units')),
  manufacturer           text,
  sale_price             numeric constraint drug_catalogue_sale_price_check check (sale_price >= 0),
  sale_currency          text constraint drug_catalogue_sale_currency_check check (sale_currency ~ '^[A-Z]{3}$'),
  min_stock_level        numeric not null default 0 constraint drug_catalogue_min_stock_level_check check (min_stock_level >= 0),
  max_stock_level        numeric constraint drug_catalogue_max_stock_level_check check (max_stock_level >= min_stock_level),
  is_controlled          boolean not null default false,
  requires_refrigeration boolean not null default false,
  is_active              boolean not null default true,
  notes                  text,
  recorded_by_user_id    uuid references users deferrable,
  metadata               jsonb not null default '{}',
  is_deleted             boolean not null default false,
  created_at             timestamptz(3) not null default now(),
  updated_at             timestamptz(3) not null default now(),
  last_modified          timestamptz(3) not null default now(),
  server_created_at      timestamptz(3) not null default now(),
  deleted_at             timestamptz(3)
);
-- the same package whether read as EAN-13 or, with zeros in front, as the 14 digits of a GS1 code
create unique index drug_catalogue_barcode_key on drug_catalogue (ltrim(barcode, '0')) where not is_deleted and barcode is not null;
create index drug_catalogue_name_idx on drug_catalogue (generic_name collate names, brand_name collate names, id) where not is_deleted;
create index drug_catalogue_names_idx on drug_catalogue using gin (drug_names(generic_name, brand_name, ingredients) gin_trgm_ops) where not is_deleted;
create index drug_catalogue_ingredients_idx on drug_catalogue using gin (ingredients) where not is_deleted;
select keep_record('drug_catalogue');
create trigger recorder before insert on drug_catalogue for each row execute function keep_recorder();

-- Batches -----------------------------------------------------------------------------------------------------------

create table drug_batches (
  id                  uuid primary key,
  drug_id             uuid not null constraint drug_batches_drug_id_fkey references drug_catalogue deferrable,
  batch_number        text not null constraint drug_batches_batch_number_check check (batch_number <> '' and length(batch_number) <= 60),
  expiry_date         date not null,
  manufacture_date    date constraint drug_batches_manufacture_date_check check (manufacture_date <= expiry_date),
  -- both are added up from the ledger of all clinics
  quantity_received   numeric(14, 3) not null default 0,
  quantity_remaining  numeric(14, 3) not null default 0 constraint drug_batches_quantity_remaining_check check (quantity_remaining >= 0),
  supplier_name       text constraint drug_batches_supplier_name_check check (length(supplier_name) <= 200),
  purchase_price      numeric constraint drug_batches_purchase_price_check check (purchase_price >= 0),
  purchase_currency   text constraint drug_batches_purchase_currency_check check (purchase_currency ~ '^[A-Z]{3}$'),
  received_date       date not null,
  is_quarantined      boolean not null default false,
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint drug_batches_id_drug_id_key unique (id, drug_id)
);
-- people write the same number in capitals and not
create unique index drug_batches_drug_id_batch_number_key on drug_batches (drug_id, lower(batch_number));
create index drug_batches_expiry_idx on drug_batches (expiry_date) where not is_deleted and quantity_remaining > 0;
select keep_record('drug_batches');
create trigger recorder before insert on drug_batches for each row execute function keep_recorder();

-- Stock: one row for each batch that a clinic holds or held ------------------------------------------------------------

create table clinic_inventory (
  id                  uuid primary key default gen_random_uuid(),
  clinic_id           uuid not null references clinics deferrable,
  drug_id             uuid not null references drug_catalogue deferrable,
  batch_id            uuid not null,
  quantity_available  numeric(14, 3) not null default 0 constraint clinic_inventory_quantity_available_check check (quantity_available >= 0),
  -- what prepared prescriptions hold of it
  reserved_quantity   numeric(14, 3) not null default 0 constraint clinic_inventory_reserved_quantity_check check (reserved_quantity >= 0),
  last_counted_at     timestamptz(3),
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  -- copies of the batch, because phones know batches only from here
  batch_number        text not null,
  batch_expiry_date   date not null,
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint clinic_inventory_clinic_id_batch_id_key unique (clinic_id, batch_id),
  constraint clinic_inventory_batch_id_fkey foreign key (batch_id, drug_id) references drug_batches (id, drug_id) deferrable
);
create index clinic_inventory_drug_idx on clinic_inventory (drug_id, clinic_id) where not is_deleted;
create index clinic_inventory_clinic_idx on clinic_inventory (clinic_id, drug_id) where not is_deleted;
create index clinic_inventory_batch_idx on clinic_inventory (batch_id);
-- no audit triggers: the ledger is its trail, and says more
create trigger stamp before insert or update on clinic_inventory for each row execute function stamp();
create trigger tell after insert or update or delete on clinic_inventory for each statement execute function tell_change();
create trigger archived before insert or update of quantity_available on clinic_inventory for each row execute function refuse_in_archived_clinic();

insert into cascade_rules values
  ('drug_catalogue', 'drug_batches', 'drug_id', 'delete'),
  ('drug_batches', 'clinic_inventory', 'batch_id', 'delete');

-- A medicine of which somebody holds stock is not deleted, only made inactive.
create function refuse_deleting_stock() returns trigger language plpgsql as $$
begin
  if exists (select from clinic_inventory where drug_id = new.id and quantity_available > 0) then
    raise exception 'there is stock' using errcode = 'restrict_violation', constraint = 'drug_catalogue_has_stock';
  end if;
  return new;
end $$;
create trigger has_stock before update of is_deleted on drug_catalogue for each row
  when (new.is_deleted and not old.is_deleted) execute function refuse_deleting_stock();

-- Phones learn about a batch through the stock: a corrected number or expiry, a quarantine, moves their rows.
create function follow_batch() returns trigger language plpgsql as $$
begin
  update clinic_inventory set batch_number = new.batch_number, batch_expiry_date = new.expiry_date,
    metadata = metadata - 'is_quarantined' || case when new.is_quarantined then '{"is_quarantined": true}' else '{}' end::jsonb
  where batch_id = new.id;
  return null;
end $$;
create trigger inventory after update of batch_number, expiry_date, is_quarantined on drug_batches for each row
  when ((old.batch_number, old.expiry_date, old.is_quarantined) is distinct from (new.batch_number, new.expiry_date, new.is_quarantined))
  execute function follow_batch();

-- The ledger ----------------------------------------------------------------------------------------------------------

create table inventory_transactions (
  id               uuid primary key default gen_random_uuid(),
  -- in the order in which it happened to the stock, whatever the clocks say
  position         bigint generated always as identity,
  clinic_id        uuid not null constraint inventory_transactions_clinic_id_fkey references clinics,
  drug_id          uuid not null,
  batch_id         uuid not null,
  transaction_type text not null check (transaction_type in
                   ('received', 'dispensed', 'transferred_in', 'transferred_out', 'expired', 'damaged', 'adjustment', 'returned')),
  quantity         numeric(14, 3) not null,
  -- of this batch in this clinic; written by the database
  balance_after    numeric(14, 3) not null default 0,
  -- what asked for it: receipt, transfer, stock_take, write_off, adjustment, dispensing
  reference_type   text not null check (reference_type <> ''),
  reference_id     uuid not null,
  -- the other clinic of a transfer
  other_clinic_id  uuid references clinics,
  reason           text constraint inventory_transactions_reason_check check (length(reason) <= 500),
  -- it has happened already, away from here (a phone): then no rule can undo it
  is_reported      boolean not null default false,
  performed_by     uuid references users,
  -- the clinic's calendar day and the moment, as whoever did it saw them
  day              date not null,
  occurred_at      timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default clock_timestamp(),
  constraint inventory_transactions_batch_id_fkey foreign key (batch_id, drug_id) references drug_batches (id, drug_id),
  constraint inventory_transactions_quantity_check check (case
    when transaction_type in ('received', 'transferred_in', 'returned') then quantity > 0
    when transaction_type = 'adjustment' then quantity <> 0
    else quantity < 0 end)
);
create index inventory_transactions_drug_idx on inventory_transactions (clinic_id, drug_id, position desc);
create index inventory_transactions_clinic_idx on inventory_transactions (clinic_id, position desc);
create index inventory_transactions_batch_idx on inventory_transactions (batch_id, position desc);
create index inventory_transactions_reference_idx on inventory_transactions (reference_id);
create unique index inventory_transactions_position_key on inventory_transactions (position);
-- a repeated request moves nothing twice; a dispensing may be countered and posted again
create unique index inventory_transactions_reference_key on inventory_transactions (reference_id, clinic_id, batch_id, transaction_type)
  where reference_type <> 'dispensing';

-- Every movement passes here: it waits its turn, is checked, and the sums follow.
create function post_movement() returns trigger language plpgsql as $$
declare
  batch drug_batches;
  held clinic_inventory;
begin
  -- nobody, when a phone names somebody who is not there
  new.performed_by := (select id from users where id = coalesce(new.performed_by, acting_user()));
  -- always the batch first, then the clinic's row: two movements of one batch cannot wait for each other
  select * into batch from drug_batches where id = new.batch_id for no key update;
  if new.transaction_type = 'dispensed' and not new.is_reported then
    if batch.is_quarantined then
      raise exception 'quarantined' using errcode = 'restrict_violation', constraint = 'drug_batches_quarantined';
    end if;
    if batch.expiry_date < new.day then
      raise exception 'expired' using errcode = 'restrict_violation', constraint = 'drug_batches_expired';
    end if;
  end if;

  if new.quantity > 0 then
    insert into clinic_inventory (clinic_id, drug_id, batch_id, batch_number, batch_expiry_date, recorded_by_user_id, metadata, quantity_available)
      values (new.clinic_id, new.drug_id, new.batch_id, batch.batch_number, batch.expiry_date, new.performed_by,
        case when batch.is_quarantined then '{"is_quarantined": true}' else '{}' end::jsonb, new.quantity)
      on conflict (clinic_id, batch_id) do update set updated_at = now(), quantity_available = clinic_inventory.quantity_available + new.quantity
      returning * into held;
  else
    update clinic_inventory set updated_at = now(), quantity_available = quantity_available + new.quantity
      where clinic_id = new.clinic_id and batch_id = new.batch_id returning * into held;
    if held is null then
      raise exception 'nothing there' using errcode = 'check_violation', constraint = 'clinic_inventory_quantity_available_check';
    end if;
  end if;
  if new.transaction_type in ('dispensed', 'transferred_out') and not new.is_reported and held.quantity_available < held.reserved_quantity then
    raise exception 'held for others' using errcode = 'check_violation', constraint = 'clinic_inventory_held';
  end if;

  update drug_batches set quantity_remaining = quantity_remaining + new.quantity,
    quantity_received = quantity_received + case when new.transaction_type = 'received' then new.quantity else 0 end
    where id = new.batch_id;
  new.balance_after := held.quantity_available;
  return new;
end $$;
create trigger post before insert on inventory_transactions for each row execute function post_movement();
create trigger append_only before update or delete or truncate on inventory_transactions for each statement execute function refuse_change();
create trigger tell after insert on inventory_transactions for each statement execute function tell_change();

-- Nobody writes a sum by hand: only from within a movement.
create function refuse_written_sum() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'post a movement instead' using errcode = 'restrict_violation', constraint = tg_table_name || '_by_ledger';
  end if;
  return new;
end $$;
create trigger by_ledger before update on clinic_inventory for each row
  when (old.quantity_available <> new.quantity_available or old.reserved_quantity <> new.reserved_quantity) execute function refuse_written_sum();
create trigger by_ledger_new before insert on clinic_inventory for each row
  when (new.quantity_available <> 0 or new.reserved_quantity <> 0) execute function refuse_written_sum();
create trigger by_ledger before update on drug_batches for each row
  when (old.quantity_remaining <> new.quantity_remaining or old.quantity_received <> new.quantity_received) execute function refuse_written_sum();
create trigger by_ledger_new before insert on drug_batches for each row
  when (new.quantity_remaining <> 0 or new.quantity_received <> 0) execute function refuse_written_sum();

-- One movement: a signed quantity of a batch. Returns what the clinic then holds of it.
create function post_stock(p_clinic uuid, p_drug uuid, p_batch uuid, p_type text, p_quantity numeric, p_reference_type text,
  p_reference uuid, p_reason text, p_by uuid, p_day date, p_at timestamptz default clock_timestamp(), p_reported boolean default false)
returns numeric language sql as $$
  insert into inventory_transactions (clinic_id, drug_id, batch_id, transaction_type, quantity, reference_type, reference_id, reason,
    performed_by, day, occurred_at, is_reported)
  values (p_clinic, p_drug, p_batch, p_type, p_quantity, p_reference_type, p_reference, p_reason, p_by, p_day, p_at, p_reported)
  returning balance_after
$$;

-- What is held for somebody ----------------------------------------------------------------------------------------------

-- One row for each batch that is put aside for a prescription's item; it goes when the item is given out or put back.
create table stock_reservations (
  reference_id uuid not null,
  clinic_id    uuid not null,
  batch_id     uuid not null,
  quantity     numeric(14, 3) not null check (quantity > 0),
  reserved_by  uuid default acting_user(),
  reserved_at  timestamptz(3) not null default clock_timestamp(),
  primary key (reference_id, clinic_id, batch_id),
  constraint stock_reservations_inventory_fkey foreign key (clinic_id, batch_id) references clinic_inventory (clinic_id, batch_id)
);
create index stock_reservations_inventory_idx on stock_reservations (clinic_id, batch_id);

create function follow_reservation() returns trigger language plpgsql as $$
declare
  held clinic_inventory;
begin
  if tg_op in ('UPDATE', 'DELETE') then
    update clinic_inventory set reserved_quantity = reserved_quantity - old.quantity
      where clinic_id = old.clinic_id and batch_id = old.batch_id;
  end if;
  if tg_op in ('INSERT', 'UPDATE') then
    update clinic_inventory set reserved_quantity = reserved_quantity + new.quantity
      where clinic_id = new.clinic_id and batch_id = new.batch_id returning * into held;
    if held.reserved_quantity > held.quantity_available then
      raise exception 'held for others' using errcode = 'check_violation', constraint = 'clinic_inventory_held';
    end if;
  end if;
  return null;
end $$;
create trigger reserved after insert or update or delete on stock_reservations for each row execute function follow_reservation();

-- What phones gave out beyond the stock -----------------------------------------------------------------------------------

create table stock_shortfalls (
  id                uuid primary key default gen_random_uuid(),
  clinic_id         uuid not null references clinics,
  drug_id           uuid not null references drug_catalogue,
  batch_id          uuid,
  quantity          numeric(14, 3) not null constraint stock_shortfalls_quantity_check check (quantity > 0),
  -- the dispensing record
  reference_id      uuid not null,
  occurred_at       timestamptz(3) not null default now(),
  -- no foreign key: phones write here whoever used them
  performed_by      uuid,
  -- posted: taken from stock that turned up; explained: nothing to take; withdrawn: the record itself was taken back
  settlement        text check (settlement in ('posted', 'explained', 'withdrawn')),
  settled_reason    text constraint stock_shortfalls_settled_reason_check check (length(settled_reason) <= 500),
  settled_by        uuid,
  settled_at        timestamptz(3),
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint stock_shortfalls_batch_id_fkey foreign key (batch_id, drug_id) references drug_batches (id, drug_id),
  constraint stock_shortfalls_settled_check check ((settlement is null) = (settled_at is null))
);
create index stock_shortfalls_open_idx on stock_shortfalls (clinic_id, occurred_at desc) where settlement is null and not is_deleted;
create index stock_shortfalls_reference_idx on stock_shortfalls (reference_id);
select keep_record('stock_shortfalls');
