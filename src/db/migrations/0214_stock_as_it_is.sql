-- What happens to stock beside receiving and dispensing: returned to the supplier, donated, the rest of an opened vial
-- discarded, and a corrected expiry date, which moves nothing.
alter table inventory_transactions
  drop constraint inventory_transactions_transaction_type_check,
  add constraint inventory_transactions_transaction_type_check check (transaction_type in
    ('received', 'dispensed', 'transferred_in', 'transferred_out', 'expired', 'damaged', 'adjustment', 'returned',
     'to_supplier', 'donated', 'opened', 'corrected')),
  drop constraint inventory_transactions_quantity_check,
  add constraint inventory_transactions_quantity_check check (case
    when transaction_type in ('received', 'transferred_in', 'returned') then quantity > 0
    when transaction_type = 'adjustment' then quantity <> 0
    when transaction_type = 'corrected' then quantity = 0
    else quantity < 0 end),
  -- of a receipt: a batch can come twice, at two prices
  add column purchase_price numeric
    constraint inventory_transactions_purchase_price_check check (purchase_price >= 0),
  add column purchase_currency text
    constraint inventory_transactions_purchase_currency_check check (purchase_currency ~ '^[A-Z]{3}$'),
  -- of a corrected expiry date
  add column expiry_before date,
  add column expiry_after date,
  add constraint inventory_transactions_corrected_check
    check ((transaction_type = 'corrected') = (expiry_before is not null and expiry_after is not null));
alter table stock_shortfalls
  drop constraint stock_shortfalls_transaction_type_check,
  add constraint stock_shortfalls_transaction_type_check check (transaction_type in
    ('dispensed', 'transferred_out', 'expired', 'damaged', 'adjustment', 'to_supplier', 'donated', 'opened'));
