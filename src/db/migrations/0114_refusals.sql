-- Refusals are few among the reads: to list them without reading the others.
create index access_log_refusals_idx on access_log (at desc, id desc) where outcome <> 'shown';
