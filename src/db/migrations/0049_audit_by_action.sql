-- The audit trail by kind of action: a rare action would otherwise need a scan of the whole trail.
create index audit_log_action_idx on audit_log (action, id desc);
