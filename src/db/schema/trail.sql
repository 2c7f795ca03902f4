-- The log of reads and refusals (0111). Triggers on the table itself are for statements that name it;
-- the row triggers are inherited by each partition.

create trigger append_only before truncate on access_log
  for each statement execute function refuse_change();
create trigger append_only_rows before update or delete on access_log
  for each row execute function refuse_change();

/*
 * Makes the partitions of the present month and the two that follow, and one for each other month that
 * the default partition holds rows of: after a restore, or while the clock was wrong. Runs as the owner
 * of the tables. Waits at most 3 s for readers of the log, then fails: the next run tries again.
 */
create function keep_access_log_months() returns void language plpgsql
security definer set search_path from current set lock_timeout = '3s' as $$
declare
  months timestamp[];
  month timestamp;
  name text;
begin
  perform pg_advisory_xact_lock(hashtextextended('access_log', 0));
  -- no query may be open on the tables that are altered
  select array_agg(wanted order by wanted) into months from (
    select date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead)
    from generate_series(0, 2) ahead
    union
    select date_trunc('month', at at time zone 'UTC') from access_log_default where isfinite(at)
  ) of_default (wanted);
  foreach month in array months loop
    name := 'access_log_' || to_char(month, 'YYYY_MM');
    continue when to_regclass(quote_ident(name)) is not null;
    execute format('create table %I (like access_log including defaults including constraints)', name);
    if exists (
      select from access_log_default
      where at >= month at time zone 'UTC' and at < (month + interval '1 month') at time zone 'UTC')
    then
      alter table access_log_default disable trigger user;
      execute format(
        'with moved as (
           delete from access_log_default where at >= %2$L and at < %3$L returning *)
         insert into %1$I select * from moved',
        name, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
      alter table access_log_default enable trigger user;
    end if;
    execute format(
      'alter table access_log attach partition %I for values from (%L) to (%L)',
      name, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
  end loop;
end $$;

-- Seals (0112) -----------------------------------------------------------------------------------

create trigger append_only before update or delete or truncate on audit_blocks
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on audit_epochs
  for each statement execute function refuse_change();

/*
 * A block continues the chain, also if it is inserted by hand, and seals only transactions that have ended:
 * one beyond them would keep later entries from being sealed.
 */
create function check_block() returns trigger language plpgsql as $$
declare
  last record;
begin
  select no, hash into last from audit_blocks order by no desc limit 1;
  if new.no <> coalesce(last.no, 0) + 1
    or new.previous <> coalesce(last.hash, decode(repeat('00', 32), 'hex'))
    or (new.epoch, new.xid) >= (
      (select max(epoch) from audit_epochs), pg_snapshot_xmin(pg_current_snapshot()))
  then
    raise exception 'block % does not continue the chain', new.no using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger continues before insert on audit_blocks
  for each row execute function check_block();

/* From now on numbers of transactions begin anew. */
create function begin_audit_epoch() returns void language plpgsql as $$
declare
  next integer;
begin
  insert into audit_epochs (epoch) select max(epoch) + 1 from audit_epochs returning epoch into next;
  execute format('alter table audit_log alter column epoch set default %s', next);
  execute format('alter table access_log alter column epoch set default %s', next);
end $$;

/*
 * At each start, as the owner of the tables: a new epoch if this server's transactions have lower
 * numbers than entries of the present one, and partitions. If readers of the log are in the way, the
 * job makes them later.
 */
create function open_trail() returns void language plpgsql as $$
declare
  present integer := (select max(epoch) from audit_epochs);
begin
  if pg_current_xact_id() < any (array(
    (select xid from audit_log where epoch = present order by xid desc limit 1)
    union all
    (select xid from access_log where epoch = present order by xid desc limit 1)))
  then
    perform begin_audit_epoch();
  end if;
  begin
    perform keep_access_log_months();
  exception when lock_not_available then
    raise warning 'the partitions of access_log could not be made now';
  end;
end $$;

/*
 * Drops the months of the access log that are older than the setting says, if every entry is sealed.
 * The audit trail says which. Runs as the owner of the tables; waits at most 3 s for readers of the log.
 */
create function remove_expired_access() returns void language plpgsql
security definer set search_path from current set lock_timeout = '3s' as $$
declare
  -- of a deleted setting: as long as without one
  kept integer := coalesce((
    select value::integer from app_config
    where namespace = 'audit' and key = 'access-log-months' and not is_deleted), 24);
  expired record;
  entries bigint;
begin
  for expired in
    select name, month, (
      select coalesce(sum(count), 0) from audit_blocks
      where table_name = 'access_log' and audit_blocks.month = dated.month) as sealed
    from (
      select relname as name, to_date(right(relname, 7), 'YYYY_MM') as month
      from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'access_log'::regclass and relname ~ '^access_log_\d{4}_\d\d$') dated
    where month < date_trunc('month', now() at time zone 'UTC') - make_interval(months => kept)
    order by month
  loop
    execute format('select count(*) from %I', expired.name) into entries;
    -- an entry that is not sealed, or is missing: verify-audit names it
    continue when entries <> expired.sealed;
    execute format('drop table %I', expired.name);
    continue when entries = 0;
    insert into audit_log (action, via, request_id, table_name, changes)
    values ('audit.removeExpired', 'system', '', 'access_log', jsonb_build_object(
      'month', jsonb_build_array(to_char(expired.month, 'YYYY-MM'), null),
      'entries', jsonb_build_array(entries, null)));
  end loop;
end $$;
