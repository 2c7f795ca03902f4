-- An import that was interrupted goes on after its last committed batch, with what it has counted so far.
alter table imports add column rows_done integer not null default 0;
