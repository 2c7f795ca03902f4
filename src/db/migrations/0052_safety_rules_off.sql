-- Clinical rules that an administrator switched off for this installation, and switched on again: each row is one such time.
create table safety_rules_off (
  id                uuid primary key,
  rule_table        text not null constraint safety_rules_off_table_check check (rule_table ~ '^[a-z_]{1,40}$'),
  rule              text not null constraint safety_rules_off_rule_check check (rule ~ '^\S{1,200}$'),
  reason            text not null constraint safety_rules_off_reason_check check (length(trim(reason)) >= 10 and length(reason) <= 1000),
  switched_off_by   uuid references users deferrable,
  switched_off_at   timestamptz(3) not null default clock_timestamp(),
  switched_on_by    uuid references users deferrable,
  switched_on_at    timestamptz(3),
  is_deleted        boolean not null default false,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  last_modified     timestamptz(3) not null default now(),
  server_created_at timestamptz(3) not null default now(),
  deleted_at        timestamptz(3),
  constraint safety_rules_off_order_check check (switched_on_at >= switched_off_at)
);
-- a rule is off once at a time
create unique index safety_rules_off_key on safety_rules_off (rule_table, rule) where switched_on_at is null and not is_deleted;
select keep_record('safety_rules_off');
