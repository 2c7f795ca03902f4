-- The day on which the ages of a list of patients were right, where the list itself does not say it.
alter table imports add column ages_on date;
