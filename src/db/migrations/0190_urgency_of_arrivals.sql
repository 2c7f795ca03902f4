-- How urgent an arrival is (docs/rules.md, "Urgency"). Phones do not know the column: a row that they write keeps it.
alter table appointments add column urgency text not null default 'routine'
  constraint appointments_urgency_check check (urgency in ('emergency', 'priority', 'routine'));
