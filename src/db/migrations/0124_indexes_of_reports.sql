-- Reports find the rows of a period by the visits of the period, and rows without a visit by their own time. Nearly all
-- rows have a visit, so that these indexes stay small and a write of a phone rarely touches them.
create index patient_vitals_no_visit_idx on patient_vitals (timestamp)
  where visit_id is null and not is_deleted;
create index patient_problems_no_visit_idx on patient_problems (created_at)
  where visit_id is null and not is_deleted;
create index events_no_visit_idx on events (created_at) where visit_id is null and not is_deleted;
create index patients_died_idx on patients (died_on) where died_on is not null;
-- The ledger by its day: one entry for each movement of stock, beside five that it has.
create index inventory_transactions_day_idx on inventory_transactions (clinic_id, day);
