-- Lists say how many there are in all: what is counted each time is in an index, and nothing else is looked at for it.

-- The living patients by the clinics that they have to do with. Few combinations, so a hundred thousand people are about
-- a hundred pages; "whom somebody of these clinics may know" is counted from them.
create index patient_search_clinics_idx on patient_search (clinics, patient_id);

-- Deleted items, too: what was handed out of one, and what is held for it, is sought by its prescription.
drop index prescription_items_prescription_idx;
create index prescription_items_prescription_idx on prescription_items (prescription_id, position);
