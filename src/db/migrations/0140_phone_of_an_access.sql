-- The phone of an access: its app password, and its entry in `hub_phones` on the clinic's own network. Seals cover both
-- columns where they have a value, so that entries sealed before keep their digests.
alter table access_log add column app_password_id uuid, add column hub_phone_id uuid;
