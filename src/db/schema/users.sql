-- Users: who may give which rights, and what ends sessions. The rules hold whatever the code does. They
-- apply to the acting user; without one (the system, commands of the server's owner) nothing is checked.

-- Roles ------------------------------------------------------------------------------------------

-- At least one super_admin must remain. The lock makes two of them who demote each other take turns.
create function keep_a_super_admin() returns trigger language plpgsql as $$
begin
  if old.role = 'super_admin' and not old.is_deleted
     and (new.role <> 'super_admin' or new.is_deleted) then
    perform pg_advisory_xact_lock(hashtext('sanad.super_admin'));
    if not exists (
      select from users where role = 'super_admin' and not is_deleted and id <> old.id
    ) then
      raise exception 'the last super_admin'
        using errcode = 'restrict_violation', constraint = 'users_last_super_admin';
    end if;
  end if;
  return new;
end $$;
create trigger super_admin before update of role, is_deleted on users
  for each row execute function keep_a_super_admin();

create function rank_of(role text) returns integer language sql immutable as $$
  select array_position(array['registrar', 'provider', 'admin', 'super_admin'], role)
$$;

-- Only a super_admin changes administrators, and no user gives a role above their own: by a save, from
-- the trash or by sync.
create function refuse_above_own_rank() returns trigger language plpgsql as $$
declare
  own text := (select role from users where id = acting_user());
  highest integer := case
    when tg_op = 'UPDATE' then greatest(rank_of(old.role), rank_of(new.role))
    else rank_of(new.role) end;
begin
  if own is null or own = 'super_admin' then return new; end if;
  if rank_of(new.role) > rank_of(own)
     or (highest > rank_of('provider') and new.id <> acting_user()) then
    raise exception 'above the rank of %', acting_user()
      using errcode = 'insufficient_privilege', constraint = 'users_role_rank';
  end if;
  return new;
end $$;
create trigger role_rank before insert or update of role, is_deleted, email on users
  for each row execute function refuse_above_own_rank();

-- A user who sets another user's password can sign in as that user.
create function refuse_password_above_own_rank() returns trigger language plpgsql as $$
declare
  own text := (select role from users where id = acting_user());
  theirs text := (select role from users where id = new.user_id);
begin
  if new.user_id <> acting_user() and own <> 'super_admin'
     and rank_of(theirs) > least(rank_of(own), rank_of('provider')) then
    raise exception 'above the rank of %', acting_user()
      using errcode = 'insufficient_privilege', constraint = 'users_role_rank';
  end if;
  return new;
end $$;
create trigger role_rank before insert or update of password on credentials
  for each row execute function refuse_password_above_own_rank();

-- A user who sets another user's password knows it, so its owner must replace it. Without an acting user, the caller
-- says who chose the password.
create function refuse_password_to_keep() returns trigger language plpgsql as $$
begin
  if acting_user() <> new.user_id and not new.must_change then
    raise exception 'a password of another user that need not be replaced'
      using errcode = 'restrict_violation', constraint = 'credentials_must_change';
  end if;
  return new;
end $$;
create trigger to_replace before insert or update of password on credentials
  for each row execute function refuse_password_to_keep();

-- Permissions ------------------------------------------------------------------------------------

create function rights_of(held user_clinic_permissions) returns text[] language sql immutable as $$
  select coalesce(array_agg(key), '{}') from jsonb_each(to_jsonb(held))
  where value = 'true' and (key like 'can\_%' or key = 'is_clinic_admin')
$$;

create function keep_rights() returns trigger language plpgsql as $$
declare
  gains boolean := case
    when tg_op = 'UPDATE' then not rights_of(new) <@ rights_of(old)
    else rights_of(new) <> '{}' end;
begin
  -- Who may change a user's password or record depends on that user's rights: they change one by one.
  perform from users where id = new.user_id for no key update;
  if gains and new.user_id = acting_user() then
    raise exception 'rights for oneself'
      using errcode = 'insufficient_privilege', constraint = 'user_clinic_permissions_own';
  end if;
  -- for share: the clinic cannot be archived between this check and the commit
  if gains and not exists (
    select from clinics where id = new.clinic_id and not is_archived and not is_deleted for share
  ) then
    raise exception 'this clinic is closed'
      using errcode = 'restrict_violation', constraint = 'user_clinic_permissions_clinic_closed';
  end if;
  new.last_modified_by := coalesce(
    (select id from users where id = acting_user()), new.last_modified_by);
  if tg_op = 'INSERT' then
    new.created_by := coalesce(new.created_by, new.last_modified_by);
  end if;
  return new;
end $$;
create trigger rights before insert or update on user_clinic_permissions
  for each row execute function keep_rights();

-- Sessions ---------------------------------------------------------------------------------------

-- Any change of a user's role, email, password or second factor ends the user's sessions.
create function end_sessions() returns trigger language plpgsql as $$
begin
  update sessions set expires_at = clock_timestamp() - interval '1 second'
    where expires_at > clock_timestamp()
      and user_id = (
        to_jsonb(new) ->> case when tg_table_name = 'users' then 'id' else 'user_id' end)::uuid;
  return null;
end $$;
create trigger end_sessions after update of role, is_deleted, email on users
  for each row when (
    old.role <> new.role or old.email <> new.email or old.is_deleted <> new.is_deleted
  ) execute function end_sessions();
create trigger end_sessions after update of password on credentials
  for each row when (old.password <> new.password) execute function end_sessions();
create trigger end_sessions after update of enabled_at on second_factors
  for each row when (old.enabled_at is distinct from new.enabled_at) execute function end_sessions();

-- Every process of Sanad listens and closes the streams of sessions that have ended.
create function tell_session_ended() returns trigger language plpgsql as $$
begin
  perform pg_notify('sanad_sessions_ended', old.user_id::text);
  return null;
end $$;
create trigger tell_ended after update of expires_at on sessions
  for each row when (new.expires_at < old.expires_at) execute function tell_session_ended();
create trigger tell_deleted after delete on sessions
  for each row execute function tell_session_ended();

-- The form that asks for a new password does not ask for the old one, so a screen left open must not lead to it: the
-- user signs in again. Phones with an app password and programs with a key stay signed in.
create function end_sessions_to_replace() returns trigger language plpgsql as $$
begin
  update sessions set expires_at = clock_timestamp() - interval '1 second'
    where expires_at > clock_timestamp() and user_id = new.user_id
      and kind in ('browser', 'pending', 'token');
  return null;
end $$;
create trigger end_sessions_to_replace after update of must_change on credentials
  for each row when (new.must_change and not old.must_change)
  execute function end_sessions_to_replace();

-- A revoked app password ends the session of its phone.
create function end_phone_session() returns trigger language plpgsql as $$
begin
  update sessions set expires_at = clock_timestamp() - interval '1 second'
    where expires_at > clock_timestamp() and app_password_id = new.id;
  return null;
end $$;
create trigger end_session after update of revoked_at on app_passwords
  for each row when (new.revoked_at is not null) execute function end_phone_session();

-- Whatever changes of a program ends its tokens: the next one has what it may do now.
create function end_client_sessions() returns trigger language plpgsql as $$
begin
  update sessions set expires_at = clock_timestamp() - interval '1 second'
    where expires_at > clock_timestamp() and client_id = new.id;
  return null;
end $$;
create trigger end_sessions after update on api_clients
  for each row execute function end_client_sessions();

-- A password that another user sets is how an administrator locks out a thief: the phones' own passwords
-- end with it.
create function revoke_app_passwords() returns trigger language plpgsql as $$
begin
  if acting_user() is distinct from new.user_id then
    update app_passwords set revoked_at = clock_timestamp()
      where user_id = new.user_id and revoked_at is null;
  end if;
  return null;
end $$;
create trigger revoke_app_passwords after update of password on credentials
  for each row when (old.password <> new.password) execute function revoke_app_passwords();

-- for share: the user cannot be deleted between this check and the commit of the session
create function refuse_deleted_user() returns trigger language plpgsql as $$
begin
  if not exists (select from users where id = new.user_id and not is_deleted for share) then
    raise exception 'this user is deleted'
      using errcode = 'restrict_violation', constraint = 'sessions_user_deleted';
  end if;
  return new;
end $$;
create trigger user_live before insert on sessions
  for each row execute function refuse_deleted_user();

-- Set-up is open until a super_admin exists.
create function close_setup() returns trigger language plpgsql as $$
begin
  delete from setup_codes;
  return null;
end $$;
create trigger close_setup after insert or update of role, is_deleted on users
  for each row when (new.role = 'super_admin' and not new.is_deleted)
  execute function close_setup();
