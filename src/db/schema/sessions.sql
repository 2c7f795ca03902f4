-- What a request may do. Functions in plpgsql, so that each connection keeps their plans: planning took three
-- quarters of the time of these statements, which run once for each request (docs/decisions/0023-one-session-lookup.md).

-- False for a time that a clock wrote while it was ahead: what began then is void until it is made again. Corrections of
-- a few minutes void nothing. Never used for clinical records.
create function has_happened(at timestamptz) returns boolean language sql volatile as $$
  select at <= clock_timestamp() + interval '5 minutes'
$$;

-- The permissions of a user by clinic (null for administrators, who need none), whether the clinics of the
-- organization share their histories, and the patients that the user can read by emergency access.
create function access_of(p_user uuid, permissions text[])
returns table (grants jsonb, shares_history boolean, emergency uuid[]) language plpgsql stable as $$
begin
  return query select
    (select jsonb_object_agg(p.clinic_id, (
       select coalesce(jsonb_agg(key), '[]') from jsonb_each(to_jsonb(p))
       where value = 'true' and key = any(permissions)))
     from user_clinic_permissions p
       join clinics c on c.id = p.clinic_id and not c.is_deleted
       join users u on u.id = p.user_id and u.role not in ('admin', 'super_admin')
     where p.user_id = p_user and not p.is_deleted),
    exists (
      select from app_config
      where namespace = 'care' and key = 'share-history' and value = 'organization'
        and not is_deleted),
    (select array_agg(e.patient_id) from emergency_accesses e
     where e.user_id = p_user and e.until > clock_timestamp() and has_happened(e.created_at)
       and not e.is_deleted);
end $$;

-- The session of a token, with its user; no row if it has ended or the user was deleted. A browser that was
-- not used for `lock_after` is locked.
create function session_of(p_token_hash bytea, lock_after interval, permissions text[])
returns table (
  id uuid, kind text, expires_at timestamptz, app_password_id uuid, client_id uuid, scopes text,
  is_locked boolean, is_stale boolean, must_change boolean, is_closed_to_phones boolean, user_id uuid,
  name text, email text, role text, language text, theme text, clinic_id uuid, grants jsonb,
  shares_history boolean,
  emergency uuid[]
) language plpgsql stable as $$
begin
  return query select s.id, s.kind, s.expires_at::timestamptz, s.app_password_id, s.client_id,
    s.scopes,
    s.kind = 'browser'
      and (s.locked_at is not null or s.last_seen_at < clock_timestamp() - lock_after
        or not has_happened(s.last_seen_at)),
    s.last_seen_at < clock_timestamp() - interval '1 minute' or not has_happened(s.last_seen_at),
    exists (select from credentials c where c.user_id = u.id and c.must_change),
    exists (select from credentials c where c.user_id = u.id and (c.phones_until < clock_timestamp()
      or c.phones_until > clock_timestamp() + interval '15 days')),
    u.id, u.name, u.email, u.role, u.language, u.theme, u.clinic_id, a.*
  from sessions s
    join users u on u.id = s.user_id and not u.is_deleted
    cross join access_of(u.id, permissions) a
  where s.token_hash = p_token_hash and s.expires_at > clock_timestamp()
    and has_happened(s.created_at)
    and (s.client_id is null
      or exists (select from api_clients c where c.id = s.client_id and c.is_active and not c.is_deleted));
end $$;

-- The wrong guesses of the time `lately`, and the seconds since the last one: for this secret from this address, for this
-- secret from all addresses, and from this address for all secrets. With `p_turns`, the caller waits until other callers'
-- transactions for the same secret have ended, and counts what they have added: a volatile function takes a new snapshot
-- for each statement. Waits at most 5 s, then fails with 55P03.
create function wrong_guesses_of(p_subject text, p_address text, lately interval, p_turns boolean)
returns table (
  "subjectHere" bigint, subject bigint, address bigint,
  "subjectHereAge" float8, "subjectAge" float8, "addressAge" float8
) language plpgsql volatile set lock_timeout = '5s' as $$
begin
  if p_turns then
    perform pg_advisory_xact_lock(hashtextextended('sanad.guess ' || p_subject, 0));
  end if;
  return query
    select count(*) filter (where g.subject = p_subject and g.address = p_address),
      count(*) filter (where g.subject = p_subject),
      count(*) filter (where g.address = p_address),
      extract(epoch from clock_timestamp() - max(g.at)
        filter (where g.subject = p_subject and g.address = p_address))::float8,
      extract(epoch from clock_timestamp() - max(g.at) filter (where g.subject = p_subject))::float8,
      extract(epoch from clock_timestamp() - max(g.at) filter (where g.address = p_address))::float8
    from wrong_guesses g
    where (g.subject = p_subject or g.address = p_address) and g.at > clock_timestamp() - lately
      and has_happened(g.at);
end $$;
