-- What the application may do in the database. The server calls grant_application() at each start, as the
-- owner, so a table that a migration makes gets its privileges there. The owner makes tables, functions
-- and triggers; the application reads and writes rows (docs/decisions/0026).

/* The privileges of the application on a table or view, in the order of their names. */
create function application_privileges(p_table oid) returns text[] language sql stable as $$
  select (case
    when c.relkind in ('v', 'm')
      -- a partition is written through its table
      or c.relispartition
      -- what migrations, db/schema and a restore write
      or c.relname in (
        'audit_epochs', 'cascade_rules', 'schema_in_force', 'schema_migrations', 'sync_epochs')
      then '{SELECT}'
    when c.relname in (
        'access_log', 'audit_blocks', 'audit_log', 'event_logs', 'inventory_transactions')
      or 'refuse_change' = any(f.names)
      then '{INSERT,SELECT}'
    -- Tombstones stay, because devices learn of a deletion by them. A delete of a chain or a user would
    -- reach event_logs by their foreign keys.
    when f.names && '{follow_for_sync,refuse_removal}' or c.relname in ('sync_chains', 'users')
      then '{INSERT,SELECT,UPDATE}'
    else '{DELETE,INSERT,SELECT,UPDATE}'
  end)::text[]
  from pg_class c, lateral (
    select array_agg(p.proname::text) as names
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgrelid = c.oid
  ) f
  where c.oid = p_table
$$;

/*
 * Gives the role the privileges of the application and takes all others; writes only what differs. A role
 * that is, or can become, the owner is left as it is.
 */
create function grant_application(p_role text) returns void language plpgsql as $$
declare
  role oid := to_regrole(quote_ident(p_role));
  here text := current_schema();
  part record;
begin
  if pg_has_role(role, current_user, 'member') then return; end if;
  -- processes that start together take turns
  perform pg_advisory_xact_lock(7262025);

  if not has_database_privilege(role, current_database(), 'connect') then
    execute format('grant connect on database %I to %I', current_database(), p_role);
  end if;
  -- imports sort in temporary tables
  if not has_database_privilege(role, current_database(), 'temporary') then
    execute format('grant temporary on database %I to %I', current_database(), p_role);
  end if;
  if has_schema_privilege(role, here, 'create') then
    execute format('revoke create on schema %I from public, %I', here, p_role);
  end if;
  for part in
    select nspname from pg_namespace
    where nspname in (here, 'graphile_worker') and not has_schema_privilege(role, oid, 'usage')
  loop
    execute format('grant usage on schema %I to %I', part.nspname, p_role);
  end loop;

  for part in
    select format('%s %I.%I', case relkind when 'S' then 'sequence' else 'table' end, nspname, relname)
      as name, wanted
    from pg_class c join pg_namespace n on n.oid = relnamespace, lateral (
      select case
        when relkind = 'S' then '{SELECT,USAGE}'
        when nspname = 'graphile_worker' then '{DELETE,INSERT,SELECT,UPDATE}'
        else application_privileges(c.oid)
      end as wanted
    ) w
    where nspname in (here, 'graphile_worker') and relkind in ('r', 'p', 'v', 'm', 'S')
      and not exists (
        select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      and wanted is distinct from (
        select array_agg(distinct privilege_type order by privilege_type)
        from aclexplode(relacl) where grantee in (0, role))
  loop
    execute format('revoke all on %s from public, %I', part.name, p_role);
    execute format('grant %s on %s to %I', array_to_string(part.wanted, ', '), part.name, p_role);
  end loop;

  -- partitions that are made between two starts are read by backups
  if not exists (
    select from pg_default_acl, aclexplode(defaclacl)
    where defaclrole = current_user::regrole and defaclnamespace = here::regnamespace
      and defaclobjtype = 'r' and grantee = role)
  then
    execute format('alter default privileges in schema %I grant select on tables to %I', here, p_role);
  end if;

  -- the queue has row security without a policy, which lets in only its owner
  for part in
    select nspname, relname from pg_class c join pg_namespace n on n.oid = relnamespace
    where nspname = 'graphile_worker' and relrowsecurity
      and not exists (select from pg_policy where polrelid = c.oid)
  loop
    execute format(
      'create policy application on %I.%I using (true) with check (true)', part.nspname, part.relname);
  end loop;
end $$;

/*
 * Whether the user of this connection can neither rewrite append-only tables nor become a role that can.
 */
create function trail_is_protected() returns boolean language sql stable as $$
  select not exists (
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and application_privileges(c.oid) = '{INSERT,SELECT}'
      and c.relkind in ('r', 'p')
      and (has_table_privilege(c.oid, 'update, delete, truncate, trigger')
        or has_any_column_privilege(c.oid, 'update')
        or pg_has_role(c.relowner, 'member')
        -- the owner of a schema may drop what is in it
        or pg_has_role(n.nspowner, 'member')
        or has_schema_privilege(n.oid, 'create')))
    and not exists (
      select from pg_roles
      where rolname = current_user and rolcreaterole
        or rolname in ('pg_execute_server_program', 'pg_read_server_files', 'pg_write_server_files')
          and pg_has_role(oid, 'member'))
$$;
