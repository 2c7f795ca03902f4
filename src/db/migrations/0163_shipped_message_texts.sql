-- A text that went back to the shipped one is deleted and can be restored; its schedule and language may have a new one.
alter table message_texts drop constraint message_texts_unique;
create unique index message_texts_unique on message_texts (schedule_code, language) where not is_deleted;
