-- Each line of text of a phone asks whether a review stopped it, and when that was taken back.
create index medicine_decisions_line_stopped_idx on medicine_decisions (patient_id, name)
  where kind = 'text' and decision = 'stop';
