-- How a visit was closed where no user said when the patient left: as of its last entry, or because the arrival was
-- moved to after the closing.
alter table visits add column closed_as text
  constraint visits_closed_as_check check (closed_as in ('last_entry', 'arrival'));

-- Visits that were closed before they began: closed at their arrival, with the mark.
update visits set closed_at = check_in_timestamp, closed_as = 'arrival', last_modified = clock_timestamp()
  where closed_at < check_in_timestamp;
alter table visits add constraint visits_closed_after_arrival check (closed_at >= check_in_timestamp);

-- The list of open visits, and the question whether a clinic has any of earlier days.
create index visits_open_idx on visits (clinic_id, check_in_timestamp)
  where closed_at is null and not is_deleted;
