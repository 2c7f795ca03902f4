-- How often an import began or went on without getting further: one that ends PostgreSQL must not do so for ever.
alter table imports add column tries integer not null default 0;
