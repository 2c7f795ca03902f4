-- Reports read the visits of a window and the events of a form from the index alone: the rows of both lie all over their
-- tables, and a report of 100,000 patients read most of the tables' pages for four columns.
create index visits_at_covering_idx on visits (check_in_timestamp, patient_id) include (id, clinic_id) where not is_deleted;
drop index visits_at_idx;
alter index visits_at_covering_idx rename to visits_at_idx;

create index events_form_covering_idx on events (form_id, created_at desc, id) include (visit_id, patient_id)
  where not is_deleted;
drop index events_form_idx;
alter index events_form_covering_idx rename to events_form_idx;
