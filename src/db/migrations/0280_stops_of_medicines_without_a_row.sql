-- A medicine without a row of its own (dispensed without a prescription, in a form, as text of a phone) is stopped by
-- the decision alone. Only one with a row is changed, because the row ends when the new prescription is saved.
alter table medicine_decisions
  drop constraint medicine_decisions_stop_check,
  add constraint medicine_decisions_stop_check check (
    decision <> 'change' or prescription_item_id is not null or patient_medicine_id is not null);
