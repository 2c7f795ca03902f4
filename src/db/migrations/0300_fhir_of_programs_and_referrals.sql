-- Searches by _lastUpdated, and exports since a moment.
create index program_enrollments_modified_idx on program_enrollments (last_modified, id);
create index referrals_modified_idx on referrals (last_modified, id);
