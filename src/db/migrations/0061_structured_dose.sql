-- A dose as numbers: amount and unit, how often, for how long. `text` is the sentence that was made of it for
-- dosage_instructions, which is what phones know; once a phone writes another sentence, the numbers no longer count.
alter table prescription_items add column dose jsonb
  constraint prescription_items_dose_check check (jsonb_typeof(dose) = 'object' and dose ? 'text');
alter table dispensing_records add column dose jsonb
  constraint dispensing_records_dose_check check (jsonb_typeof(dose) = 'object' and dose ? 'text');
select keep_audit('prescription_items');
select keep_audit('dispensing_records');
