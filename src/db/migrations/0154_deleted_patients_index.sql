-- The count of a provider's patients leaves out the few that are deleted.
create index patients_deleted_idx on patients (id) where is_deleted;
