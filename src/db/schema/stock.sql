-- Stock: every movement is a row of the append-only ledger, and the sums follow it.

-- The ledger -------------------------------------------------------------------------------------

-- Checks a movement and updates the sums. Movements of one batch take turns.
create function post_movement() returns trigger language plpgsql as $$
declare
  batch drug_batches;
  held clinic_inventory;
begin
  -- null if a device names an unknown user
  new.performed_by := (select id from users where id = coalesce(new.performed_by, acting_user()));
  -- Always the batch before the row of the clinic, so that two movements of one batch cannot deadlock.
  select * into batch from drug_batches where id = new.batch_id for no key update;
  if new.transaction_type = 'dispensed' and not new.is_reported then
    if batch.is_quarantined then
      raise exception 'quarantined'
        using errcode = 'restrict_violation', constraint = 'drug_batches_quarantined';
    end if;
    if batch.expiry_date < new.day then
      raise exception 'expired'
        using errcode = 'restrict_violation', constraint = 'drug_batches_expired';
    end if;
  end if;

  if new.quantity > 0 then
    insert into clinic_inventory
      (clinic_id, drug_id, batch_id, batch_number, batch_expiry_date, recorded_by_user_id, metadata,
       quantity_available)
      values (new.clinic_id, new.drug_id, new.batch_id, batch.batch_number, batch.expiry_date,
        new.performed_by,
        case when batch.is_quarantined then '{"is_quarantined": true}' else '{}' end::jsonb,
        new.quantity)
      on conflict (clinic_id, batch_id) do update set updated_at = now(),
        quantity_available = clinic_inventory.quantity_available + new.quantity
      returning * into held;
  else
    update clinic_inventory
      set updated_at = now(), quantity_available = quantity_available + new.quantity
      where clinic_id = new.clinic_id and batch_id = new.batch_id returning * into held;
    if held is null then
      raise exception 'nothing there'
        using errcode = 'check_violation', constraint = 'clinic_inventory_quantity_available_check';
    end if;
  end if;
  if new.transaction_type in ('dispensed', 'transferred_out') and not new.is_reported
     and held.quantity_available < held.reserved_quantity then
    raise exception 'held for others'
      using errcode = 'check_violation', constraint = 'clinic_inventory_held';
  end if;

  update drug_batches set quantity_remaining = quantity_remaining + new.quantity,
    quantity_received = quantity_received
      + case when new.transaction_type = 'received' then new.quantity else 0 end
    where id = new.batch_id;
  new.balance_after := held.quantity_available;
  -- the position that it came with is older than the wait for another movement of the batch
  new.position := nextval(pg_get_serial_sequence('inventory_transactions', 'position'));
  return new;
end $$;
create trigger post before insert on inventory_transactions
  for each row execute function post_movement();
create trigger append_only before update or delete or truncate on inventory_transactions
  for each statement execute function refuse_change();
create trigger tell after insert on inventory_transactions
  for each statement execute function tell_change();

-- Only the trigger of a movement or of a reservation writes a sum.
create function refuse_written_sum() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 2 then
    raise exception 'post a movement instead'
      using errcode = 'restrict_violation', constraint = tg_table_name || '_by_ledger';
  end if;
  return new;
end $$;
create trigger by_ledger before update on clinic_inventory
  for each row when (
    old.quantity_available <> new.quantity_available or old.reserved_quantity <> new.reserved_quantity
  ) execute function refuse_written_sum();
create trigger by_ledger_new before insert on clinic_inventory
  for each row when (new.quantity_available <> 0 or new.reserved_quantity <> 0)
  execute function refuse_written_sum();
create trigger by_ledger before update on drug_batches
  for each row when (
    old.quantity_remaining <> new.quantity_remaining or old.quantity_received <> new.quantity_received
  ) execute function refuse_written_sum();
create trigger by_ledger_new before insert on drug_batches
  for each row when (new.quantity_remaining <> 0 or new.quantity_received <> 0)
  execute function refuse_written_sum();

/* Posts one movement: a signed quantity of a batch. Returns the stock of the batch at the clinic. */
create function post_stock(
  p_clinic uuid, p_drug uuid, p_batch uuid, p_type text, p_quantity numeric, p_reference_type text,
  p_reference uuid, p_reason text, p_by uuid, p_day date, p_at timestamptz default clock_timestamp(),
  p_reported boolean default false
) returns numeric language sql as $$
  insert into inventory_transactions (clinic_id, drug_id, batch_id, transaction_type, quantity,
    reference_type, reference_id, reason, performed_by, day, occurred_at, is_reported)
  values (p_clinic, p_drug, p_batch, p_type, p_quantity, p_reference_type, p_reference, p_reason,
    p_by, p_day, p_at, p_reported)
  returning balance_after
$$;

-- Medicines and batches --------------------------------------------------------------------------

-- A medicine with stock at a clinic can be made inactive but not deleted.
create function refuse_deleting_stock() returns trigger language plpgsql as $$
begin
  if exists (select from clinic_inventory where drug_id = new.id and quantity_available > 0) then
    raise exception 'there is stock'
      using errcode = 'restrict_violation', constraint = 'drug_catalogue_has_stock';
  end if;
  return new;
end $$;
create trigger has_stock before update of is_deleted on drug_catalogue
  for each row when (new.is_deleted and not old.is_deleted)
  execute function refuse_deleting_stock();

-- Devices have no table of batches: a corrected number or expiry date and a quarantine are copied to
-- the rows of the stock.
create function follow_batch() returns trigger language plpgsql as $$
begin
  update clinic_inventory
    set batch_number = new.batch_number, batch_expiry_date = new.expiry_date,
      metadata = metadata - 'is_quarantined'
        || case when new.is_quarantined then '{"is_quarantined": true}' else '{}' end::jsonb
    where batch_id = new.id;
  return null;
end $$;
create trigger inventory after update of batch_number, expiry_date, is_quarantined on drug_batches
  for each row when (
    (old.batch_number, old.expiry_date, old.is_quarantined)
    is distinct from (new.batch_number, new.expiry_date, new.is_quarantined)
  ) execute function follow_batch();

-- Reservations -----------------------------------------------------------------------------------

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
      raise exception 'held for others'
        using errcode = 'check_violation', constraint = 'clinic_inventory_held';
    end if;
  end if;
  return null;
end $$;
create trigger reserved after insert or update or delete on stock_reservations
  for each row execute function follow_reservation();
