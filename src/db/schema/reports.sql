-- Reports: versions of definitions, and closed runs, which never change but for their signatures.

create function number_report_definition() returns trigger language plpgsql as $$
begin
  new.version := case
    when tg_op = 'INSERT' then 1
    else old.version + (new.body is distinct from old.body)::int
  end;
  return new;
end $$;
create trigger number_version before insert or update on report_definitions
  for each row execute function number_report_definition();

create function keep_report_version() returns trigger language plpgsql as $$
begin
  insert into report_definition_versions (definition_id, version, body, saved_by)
  values (new.id, new.version, new.body, acting_user())
  on conflict do nothing;
  return null;
end $$;
create trigger keep_first_version after insert on report_definitions
  for each row execute function keep_report_version();
create trigger keep_next_version after update on report_definitions
  for each row when (new.version <> old.version) execute function keep_report_version();

create trigger report_definition_versions_append_only
  before update or delete or truncate on report_definition_versions
  for each statement execute function refuse_change();
create trigger report_cells_append_only
  before update or delete or truncate on report_cells
  for each statement execute function refuse_change();
create trigger follow_up_calls_append_only
  before update or delete or truncate on follow_up_calls
  for each statement execute function refuse_change();

/* Of a closed run only an empty signature can be filled, once. */
create function keep_report_closed() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or to_jsonb(new) - '{prepared_by,prepared_at,checked_by,checked_at}'::text[]
      is distinct from to_jsonb(old) - '{prepared_by,prepared_at,checked_by,checked_at}'::text[]
    or old.prepared_by is not null and new.prepared_by is distinct from old.prepared_by
    or old.prepared_at is not null and new.prepared_at is distinct from old.prepared_at
    or old.checked_by is not null and new.checked_by is distinct from old.checked_by
    or old.checked_at is not null and new.checked_at is distinct from old.checked_at
  then
    raise exception 'report run % is closed', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger report_runs_closed before update or delete on report_runs
  for each row execute function keep_report_closed();
