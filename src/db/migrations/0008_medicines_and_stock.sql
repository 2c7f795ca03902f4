-- Medicines: the catalogue, its batches, and an append-only ledger of every movement. Nobody writes
-- the stock on hand: the database adds up the ledger (src/db/schema/stock.sql).

-- The catalogue ----------------------------------------------------------------------------------

-- A CHECK and an index use the two functions, so they are here and not in src/db/schema.
create function words_of(words text[]) returns text language sql immutable strict parallel safe as $$
  select array_to_string(words, ' ')
$$;

-- What a medicine is searched by, in one alphabet (0005): its names and ingredients. The search
-- path is fixed because PostgreSQL 17 and later build indexes with an empty one.
create function drug_names(generic_name text, brand_name text, ingredients text[]) returns text
language sql immutable parallel safe set search_path from current as $$
  select search_text(generic_name || ' ' || coalesce(brand_name, '') || ' ' || words_of(ingredients))
$$;

create table drug_catalogue (
  id                     uuid primary key,
  barcode                text
    constraint drug_catalogue_barcode_check check (barcode ~ '^\S{1,64}$'),
  generic_name           text not null
    constraint drug_catalogue_generic_name_check
    check (generic_name <> '' and length(generic_name) <= 200),
  brand_name             text
    constraint drug_catalogue_brand_name_check check (length(brand_name) <= 200),
  -- active substances by their international nonproprietary names, in lower case: the allergy and
  -- interaction checks compare them
  ingredients            text[] not null default '{}' constraint drug_catalogue_ingredients_check
    check (words_of(ingredients) = lower(words_of(ingredients))
      and array_position(ingredients, '') is null
      and array_position(ingredients, null) is null),
  form                   text not null constraint drug_catalogue_form_check
    check (form in ('tablet', 'syrup', 'ampule', 'suppository', 'cream', 'drops', 'bottle', 'spray',
      'gel', 'lotion', 'inhaler', 'capsule', 'injection', 'patch', 'other')),
  route                  text not null constraint drug_catalogue_route_check
    check (route in ('oral', 'sublingual', 'rectal', 'topical', 'inhalation', 'intravenous',
      'intramuscular', 'intradermal', 'subcutaneous', 'nasal', 'ophthalmic', 'otic', 'vaginal',
      'transdermal', 'other')),
  dosage_quantity        numeric
    constraint drug_catalogue_dosage_quantity_check check (dosage_quantity > 0),
  dosage_units           text not null
    constraint drug_catalogue_dosage_units_check
    check (dosage_units in ('mg', 'g', 'mcg', 'mL', 'L', 'units')),
  manufacturer           text,
  sale_price             numeric constraint drug_catalogue_sale_price_check check (sale_price >= 0),
  sale_currency          text
    constraint drug_catalogue_sale_currency_check check (sale_currency ~ '^[A-Z]{3}$'),
  min_stock_level        numeric not null default 0
    constraint drug_catalogue_min_stock_level_check check (min_stock_level >= 0),
  max_stock_level        numeric
    constraint drug_catalogue_max_stock_level_check check (max_stock_level >= min_stock_level),
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
  deleted_at             timestamptz(3),
  -- What a strength refers to: 250 mg per 5 mL, 100 units per 1 mL. Not synced columns.
  per_quantity           numeric
    constraint drug_catalogue_per_quantity_check check (per_quantity > 0),
  per_unit               text constraint drug_catalogue_per_unit_check
    check (per_unit in ('mL', 'g', 'dose', 'actuation', 'drop', 'hour', 'vial', 'sachet')),
  -- the strengths of a combination in the order of its ingredients: "500 mg + 125 mg"
  ingredient_strengths   text constraint drug_catalogue_ingredient_strengths_check
    check (ingredient_strengths ~
      '^\d+(\.\d+)? (mg|g|mcg|mL|L|units)( \+ \d+(\.\d+)? (mg|g|mcg|mL|L|units))+$'),
  constraint drug_catalogue_per_check check ((per_quantity is null) = (per_unit is null))
);
-- the same package, scanned as EAN-13 or, with leading zeros, as the 14 digits of a GS1 code
create unique index drug_catalogue_barcode_key
  on drug_catalogue (ltrim(barcode, '0')) where not is_deleted and barcode is not null;
create index drug_catalogue_name_idx
  on drug_catalogue (generic_name collate names, brand_name collate names, id) where not is_deleted;
create index drug_catalogue_names_idx
  on drug_catalogue using gin (drug_names(generic_name, brand_name, ingredients) gin_trgm_ops)
  where not is_deleted;
create index drug_catalogue_ingredients_idx
  on drug_catalogue using gin (ingredients) where not is_deleted;

-- Batches and stock ------------------------------------------------------------------------------

create table drug_batches (
  id                  uuid primary key,
  drug_id             uuid not null
    constraint drug_batches_drug_id_fkey references drug_catalogue deferrable,
  batch_number        text not null
    constraint drug_batches_batch_number_check
    check (batch_number <> '' and length(batch_number) <= 60),
  expiry_date         date not null,
  manufacture_date    date
    constraint drug_batches_manufacture_date_check check (manufacture_date <= expiry_date),
  -- both are sums of the ledger over all clinics
  quantity_received   numeric(14, 3) not null default 0,
  quantity_remaining  numeric(14, 3) not null default 0
    constraint drug_batches_quantity_remaining_check check (quantity_remaining >= 0),
  supplier_name       text
    constraint drug_batches_supplier_name_check check (length(supplier_name) <= 200),
  purchase_price      numeric
    constraint drug_batches_purchase_price_check check (purchase_price >= 0),
  purchase_currency   text
    constraint drug_batches_purchase_currency_check check (purchase_currency ~ '^[A-Z]{3}$'),
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
-- users write the same number in capitals or not
create unique index drug_batches_drug_id_batch_number_key
  on drug_batches (drug_id, lower(batch_number));
create index drug_batches_expiry_idx
  on drug_batches (expiry_date) where not is_deleted and quantity_remaining > 0;

-- The stock: one row for each batch that a clinic has or had.

create table clinic_inventory (
  id                  uuid primary key default gen_random_uuid(),
  clinic_id           uuid not null references clinics deferrable,
  drug_id             uuid not null references drug_catalogue deferrable,
  batch_id            uuid not null,
  quantity_available  numeric(14, 3) not null default 0
    constraint clinic_inventory_quantity_available_check check (quantity_available >= 0),
  -- the part that prepared prescriptions reserve
  reserved_quantity   numeric(14, 3) not null default 0
    constraint clinic_inventory_reserved_quantity_check check (reserved_quantity >= 0),
  last_counted_at     timestamptz(3),
  recorded_by_user_id uuid references users deferrable,
  metadata            jsonb not null default '{}',
  -- copies of the batch's values: devices have no table of batches
  batch_number        text not null,
  batch_expiry_date   date not null,
  is_deleted          boolean not null default false,
  created_at          timestamptz(3) not null default now(),
  updated_at          timestamptz(3) not null default now(),
  last_modified       timestamptz(3) not null default now(),
  server_created_at   timestamptz(3) not null default now(),
  deleted_at          timestamptz(3),
  constraint clinic_inventory_clinic_id_batch_id_key unique (clinic_id, batch_id),
  constraint clinic_inventory_batch_id_fkey
    foreign key (batch_id, drug_id) references drug_batches (id, drug_id) deferrable
);
create index clinic_inventory_drug_idx
  on clinic_inventory (drug_id, clinic_id) where not is_deleted;
create index clinic_inventory_clinic_idx
  on clinic_inventory (clinic_id, drug_id) where not is_deleted;
create index clinic_inventory_batch_idx on clinic_inventory (batch_id);

-- The ledger -------------------------------------------------------------------------------------

create table inventory_transactions (
  id               uuid primary key default gen_random_uuid(),
  -- the order of the movements; clocks may disagree with it
  position         bigint generated always as identity,
  clinic_id        uuid not null
    constraint inventory_transactions_clinic_id_fkey references clinics,
  drug_id          uuid not null,
  batch_id         uuid not null,
  transaction_type text not null check (transaction_type in
    ('received', 'dispensed', 'transferred_in', 'transferred_out', 'expired', 'damaged',
     'adjustment', 'returned')),
  quantity         numeric(14, 3) not null,
  -- stock of this batch in this clinic after the movement; the database writes it
  balance_after    numeric(14, 3) not null default 0,
  -- what caused it: receipt, transfer, stock_take, write_off, adjustment, dispensing
  reference_type   text not null check (reference_type <> ''),
  reference_id     uuid not null,
  -- the other clinic of a transfer
  other_clinic_id  uuid references clinics,
  reason           text
    constraint inventory_transactions_reason_check check (length(reason) <= 500),
  -- it already happened on a device, so no rule can refuse it
  is_reported      boolean not null default false,
  performed_by     uuid references users,
  -- the calendar day at the clinic, and the time, as the user who did it saw them
  day              date not null,
  occurred_at      timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default clock_timestamp(),
  constraint inventory_transactions_batch_id_fkey
    foreign key (batch_id, drug_id) references drug_batches (id, drug_id),
  constraint inventory_transactions_quantity_check check (case
    when transaction_type in ('received', 'transferred_in', 'returned') then quantity > 0
    when transaction_type = 'adjustment' then quantity <> 0
    else quantity < 0 end)
);
create index inventory_transactions_drug_idx
  on inventory_transactions (clinic_id, drug_id, position desc);
create index inventory_transactions_clinic_idx on inventory_transactions (clinic_id, position desc);
create index inventory_transactions_batch_idx on inventory_transactions (batch_id, position desc);
create index inventory_transactions_reference_idx on inventory_transactions (reference_id);
create unique index inventory_transactions_position_key on inventory_transactions (position);
-- A repeated request moves nothing twice. A dispensing may be reversed and posted again.
create unique index inventory_transactions_reference_key
  on inventory_transactions (reference_id, clinic_id, batch_id, transaction_type)
  where reference_type <> 'dispensing';

-- Reservations and shortfalls --------------------------------------------------------------------

-- One row for each batch that is reserved for an item of a prescription; deleted when the item is
-- dispensed or released.
create table stock_reservations (
  reference_id uuid not null,
  clinic_id    uuid not null,
  batch_id     uuid not null,
  quantity     numeric(14, 3) not null check (quantity > 0),
  reserved_by  uuid default acting_user(),
  reserved_at  timestamptz(3) not null default clock_timestamp(),
  primary key (reference_id, clinic_id, batch_id),
  constraint stock_reservations_inventory_fkey
    foreign key (clinic_id, batch_id) references clinic_inventory (clinic_id, batch_id)
);
create index stock_reservations_inventory_idx on stock_reservations (clinic_id, batch_id);

-- Quantities that devices dispensed beyond the stock on hand.
create table stock_shortfalls (
  id                uuid primary key default gen_random_uuid(),
  clinic_id         uuid not null references clinics,
  drug_id           uuid not null references drug_catalogue,
  batch_id          uuid,
  quantity          numeric(14, 3) not null
    constraint stock_shortfalls_quantity_check check (quantity > 0),
  -- the dispensing record
  reference_id      uuid not null,
  occurred_at       timestamptz(3) not null default now(),
  -- no foreign key: a device writes the id of its user, who may be unknown here
  performed_by      uuid,
  -- posted: taken from stock that was found; explained: nothing to take; withdrawn: the record was
  -- reversed
  settlement        text check (settlement in ('posted', 'explained', 'withdrawn')),
  settled_reason    text
    constraint stock_shortfalls_settled_reason_check check (length(settled_reason) <= 500),
  settled_by        uuid,
  settled_at        timestamptz(3),
  metadata          jsonb not null default '{}',
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint stock_shortfalls_batch_id_fkey
    foreign key (batch_id, drug_id) references drug_batches (id, drug_id),
  constraint stock_shortfalls_settled_check check ((settlement is null) = (settled_at is null))
);
create index stock_shortfalls_open_idx
  on stock_shortfalls (clinic_id, occurred_at desc) where settlement is null and not is_deleted;
create index stock_shortfalls_reference_idx on stock_shortfalls (reference_id);

insert into cascade_rules (parent, child, child_column, effect) values
  ('drug_catalogue', 'drug_batches', 'drug_id', 'delete'),
  ('drug_batches', 'clinic_inventory', 'batch_id', 'delete');
