-- The gateway that may have a message; null: none has it. Of the attempts so far only their number is known.
alter table messages add column gateway text;
alter table messages disable trigger user;
update messages set gateway = 'unknown'
  where attempts > 0 and (state in ('queued', 'sent', 'delivered') or error in ('expired', 'no_gateway', 'cancelled'));
alter table messages enable trigger user;
