-- The check of medicines that came past the screens begins with what is current, of that with the newest, and says how
-- far it has come.
alter table unchecked_medicines
  -- the patient may take it now
  add column is_current boolean not null default true,
  -- when it was prescribed, dispensed or written down
  add column happened_at timestamptz(3) not null default clock_timestamp();
drop index unchecked_medicines_oldest_idx;
create index unchecked_medicines_order_idx
  on unchecked_medicines (is_current desc, happened_at desc, table_name desc, row_id);

-- How many rows were checked since rows began to wait; one row at most, none while no row waits.
create table medicine_checks (
  is_only  boolean primary key default true constraint medicine_checks_only_one check (is_only),
  began_at timestamptz(3) not null default clock_timestamp(),
  checked  integer not null constraint medicine_checks_checked_check check (checked >= 0)
);
