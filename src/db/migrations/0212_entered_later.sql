-- What happened on an earlier day and was typed later: the day of typing, on the server only. Null: entered when it
-- happened, or sent by a device.
alter table inventory_transactions add column entered_on date;
alter table dispensing_records add column entered_on date;

-- A repeated request moves nothing twice. What is entered later may be posted in parts, as its receipt is entered.
drop index inventory_transactions_reference_key;
create unique index inventory_transactions_reference_key
  on inventory_transactions (reference_id, clinic_id, batch_id, transaction_type)
  where reference_type <> 'dispensing' and entered_on is null;

-- Bin cards and balances follow the day, then the order of the ledger.
drop index inventory_transactions_drug_idx;
create index inventory_transactions_drug_idx
  on inventory_transactions (clinic_id, drug_id, day desc, position desc);
drop index inventory_transactions_clinic_idx;
create index inventory_transactions_clinic_idx
  on inventory_transactions (clinic_id, day desc, position desc);
drop index inventory_transactions_batch_idx;
create index inventory_transactions_batch_idx
  on inventory_transactions (batch_id, day desc, position desc);

create index report_runs_period_idx on report_runs (ends_at, starts_at);

-- Beyond the stock of an earlier day: also what was lost, transferred or counted. Covered: a receipt that was entered
-- later holds it, so the quantity was never missing.
alter table stock_shortfalls
  add column transaction_type text not null default 'dispensed'
    constraint stock_shortfalls_transaction_type_check
    check (transaction_type in ('dispensed', 'transferred_out', 'expired', 'damaged', 'adjustment')),
  add column reference_type text not null default 'dispensing'
    constraint stock_shortfalls_reference_type_check check (reference_type <> ''),
  add column other_clinic_id uuid references clinics,
  add column reason text constraint stock_shortfalls_reason_check check (length(reason) <= 500),
  add column entered_on date,
  drop constraint stock_shortfalls_settlement_check,
  add constraint stock_shortfalls_settlement_check
    check (settlement in ('posted', 'explained', 'withdrawn', 'covered'));
create index stock_shortfalls_entered_idx
  on stock_shortfalls (clinic_id, drug_id, occurred_at)
  where entered_on is not null and settlement is null and not is_deleted;
