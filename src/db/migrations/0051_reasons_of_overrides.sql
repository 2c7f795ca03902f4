-- Why a warning was overridden, as a code beside the text; a code of its own asks for a text that says something.
alter table safety_overrides add column reason_code text not null default 'other'
  constraint safety_overrides_reason_code_check check (reason_code in ('tolerated', 'benefit', 'record_error', 'monitored', 'other'));
alter table safety_overrides add constraint safety_overrides_reason_length_check
  check (reason_code = 'other' or length(trim(reason)) >= 10);
