-- Phones that move in with their former server (docs/exchange.md, "Phones", and docs/phone-sync.md).

-- When the former server wrote the row last. A phone that synced there later has seen what was imported.
alter table import_rows add column source_at timestamptz(3);

-- Transactions of a repeated import that changed rows: what they wrote was the former server's.
create table import_transactions (
  xid xid8 primary key
);

-- The time of the former server up to which a phone has its rows, from the phone's first pull here.
alter table sync_chains add column former_at bigint;

-- A password of the former server that Sanad would refuse: phones go on with it until then.
alter table credentials add column phones_until timestamptz(3);
