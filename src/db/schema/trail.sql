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
