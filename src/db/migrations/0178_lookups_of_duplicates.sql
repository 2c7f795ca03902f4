-- Look-ups of possible duplicates are counted, too: over all clinics, found or not. They have a limit of their own.
alter table identity_lookups add column kind text not null default 'details'
  constraint identity_lookups_kind_check check (kind in ('details', 'duplicates'));
comment on column identity_lookups.kind is
  'details: a patient of other clinics was opened. duplicates: a person was compared with the patients of all clinics.';
