-- The ids of fields of older and imported registration forms are texts such as "num".
alter table patient_additional_attributes alter column attribute_id type text;
