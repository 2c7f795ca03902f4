-- Who may give whom what: the rules that hold whatever the code above does. `sanad.user_id` is the person in whose name
-- an operation writes; without one it is the system or a command of whoever runs the server, and nothing is checked.

create function acting_user() returns uuid language sql stable as $$
  select nullif(current_setting('sanad.user_id', true), '')::uuid
$$;

create function rank_of(role text) returns integer language sql immutable as $$
  select array_position(array['registrar', 'provider', 'admin', 'super_admin'], role)
$$;

-- Only a super_admin touches administrators, and nobody gives a role above his own: by a save, by the trash, by sync.
create function refuse_above_own_rank() returns trigger language plpgsql as $$
declare
  own text := (select role from users where id = acting_user());
  highest integer := case when tg_op = 'UPDATE' then greatest(rank_of(old.role), rank_of(new.role)) else rank_of(new.role) end;
begin
  if own is null or own = 'super_admin' then return new; end if;
  if rank_of(new.role) > rank_of(own) or (highest > rank_of('provider') and new.id <> acting_user()) then
    raise exception 'above the rank of %', acting_user() using errcode = 'insufficient_privilege', constraint = 'users_role_rank';
  end if;
  return new;
end $$;
create trigger role_rank before insert or update of role, is_deleted, email on users
  for each row execute function refuse_above_own_rank();

-- Whoever sets somebody's password can sign in as him.
create function refuse_password_above_own_rank() returns trigger language plpgsql as $$
declare
  own text := (select role from users where id = acting_user());
  theirs text := (select role from users where id = new.user_id);
begin
  if new.user_id <> acting_user() and own <> 'super_admin' and rank_of(theirs) > least(rank_of(own), rank_of('provider')) then
    raise exception 'above the rank of %', acting_user() using errcode = 'insufficient_privilege', constraint = 'users_role_rank';
  end if;
  return new;
end $$;
create trigger role_rank before insert or update of password on credentials
  for each row execute function refuse_password_above_own_rank();

create function rights_of(held user_clinic_permissions) returns text[] language sql immutable as $$
  select coalesce(array_agg(key), '{}') from jsonb_each(to_jsonb(held))
  where value = 'true' and (key like 'can\_%' or key = 'is_clinic_admin')
$$;

create function keep_rights() returns trigger language plpgsql as $$
declare
  gains boolean := case when tg_op = 'UPDATE' then not rights_of(new) <@ rights_of(old) else rights_of(new) <> '{}' end;
begin
  -- Who may change a person's password or record depends on his rights: they change one at a time.
  perform from users where id = new.user_id for no key update;
  if gains and new.user_id = acting_user() then
    raise exception 'rights for oneself' using errcode = 'insufficient_privilege', constraint = 'user_clinic_permissions_own';
  end if;
  -- for share: the clinic cannot be archived between this check and the commit
  if gains and not exists (select from clinics where id = new.clinic_id and not is_archived and not is_deleted for share) then
    raise exception 'this clinic is closed' using errcode = 'restrict_violation', constraint = 'user_clinic_permissions_clinic_closed';
  end if;
  new.last_modified_by := coalesce((select id from users where id = acting_user()), new.last_modified_by);
  if tg_op = 'INSERT' then
    new.created_by := coalesce(new.created_by, new.last_modified_by);
  end if;
  return new;
end $$;
create trigger rights before insert or update on user_clinic_permissions for each row execute function keep_rights();
