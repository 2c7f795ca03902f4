-- Keeps the stock of a clinic without administering the clinic. Phones do not know the permission.
alter table user_clinic_permissions add column can_manage_stock boolean not null default false;
update user_clinic_permissions set can_manage_stock = true where is_clinic_admin;

-- The language that is spoken with a patient: of papers, labels and messages. Null: that of the primary clinic. Phones
-- do not know the columns.
alter table patients add column language text
  constraint patients_language_check check (language in ('en', 'ar', 'es'));
alter table clinics add column language text
  constraint clinics_language_check check (language in ('en', 'ar', 'es'));
