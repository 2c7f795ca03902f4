-- Entries that could not be written because the disk was full, and of which only the number is known.
alter table access_log drop constraint access_log_outcome_check,
  add constraint access_log_outcome_check
    check (outcome in ('shown', 'refused', 'not_found', 'lost'));

-- A phone of the clinic's network has a line for each user who signs in on it: another user who says its `client_id`
-- does not take its line. `client_id` is no secret.
alter table hub_phones drop constraint hub_phones_client_id_key,
  add constraint hub_phones_client_id_key unique (client_id, user_id);
