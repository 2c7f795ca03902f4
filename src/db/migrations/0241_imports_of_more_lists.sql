-- Files of clinics, departments, users and codes. Clinics and codes belong to no clinic, as medicines.
alter table imports
  drop constraint imports_list_check,
  add constraint imports_list_check check (list in
    ('patients', 'medicines', 'stock', 'clinics', 'departments', 'users', 'codes', 'appointments', 'visits', 'vitals')),
  drop constraint imports_list_clinic_check,
  add constraint imports_list_clinic_check
    check (clinic_id is not null or list in ('medicines', 'clinics', 'codes'));

-- Users that an undo of an import deleted. Their e-mail addresses stay reserved, so the same file imported again
-- restores them. The row goes with the user.
create table undone_users (
  user_id     uuid primary key references users on delete cascade,
  deletion_id uuid not null
);
