-- Head and mid-upper arm circumference. Not synced columns: a write of a device leaves them unchanged.
alter table patient_vitals
  add column head_circumference_cm numeric,
  add column arm_circumference_cm numeric;
