-- Keeps the stock of a clinic without administering the clinic. Phones do not know the permission.
alter table user_clinic_permissions add column can_manage_stock boolean not null default false;
update user_clinic_permissions set can_manage_stock = true where is_clinic_admin;
