import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Actor } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { type Permission, PERMISSIONS, type Role } from '~/shared/permissions'
import type { Theme } from '~/shared/viewer'
import type { Via } from './operation'
import { hashOf } from './secret.server'
import { sessionSettings } from './session-settings'

type SessionKind = 'browser' | 'token' | 'phone' | 'pending'

export type Session = {
  id: string
  kind: SessionKind
  /** Nothing but unlocking and signing out until the user unlocks the session. */
  isLocked: boolean
  /**
   * Another user created the password and so knows it: screens and programs open once the user
   * has changed it.
   */
  mustChange: boolean
  expiresAt: Date
  theme: Theme
  email: string
  /** Of a phone: the app password that its token was given for. */
  appPasswordId: string | null
  actor: Actor
}

/**
 * What each way in accepts. A phone's token opens sync and /rpc alone: it was given for an app
 * password.
 */
const opens: Record<Via, readonly SessionKind[]> = {
  web: ['browser', 'token'],
  trpc: ['browser', 'token'],
  phone: ['token', 'phone'],
  command: [],
  system: [],
}

/** Who sent the request, as far as this way in goes; null without a user. */
export async function actorOf(
  db: Kysely<DB>,
  request: Pick<Request, 'headers'>,
  via: Via,
): Promise<Actor | null> {
  return (await openSessionOf(db, request, via))?.actor ?? null
}

/** The session of the request, if it opens this way in. */
export async function openSessionOf(
  db: Kysely<DB>,
  request: Pick<Request, 'headers'>,
  via: Via,
): Promise<Session | null> {
  const session = await sessionOf(db, request.headers, via)
  if (!session || session.isLocked || (session.mustChange && via !== 'phone')) return null
  return opens[via].includes(session.kind) ? session : null
}

/** The session that the request belongs to, of whatever kind, locked or not. */
export async function sessionOf(
  db: Kysely<DB>,
  headers: Headers,
  via: Via,
): Promise<Session | null> {
  const token = tokenOf(headers, via)
  return token ? findSession(db, token) : null
}

// A page served over https can be reached by plain http as well: the prefix keeps what http sets from counting there.
export const cookieName = (https: boolean) => (https ? '__Host-sanad_session' : 'sanad_session')

export const cookiesOf = (headers: Headers): Map<string, string> =>
  new Map(
    (headers.get('cookie') ?? '')
      .split(/; */)
      .map((pair) => pair.split('=', 2) as [string, string]),
  )

/** A Bearer token, or the cookie. Phones send cookies of other servers along, so theirs are not looked at. */
export function tokenOf(headers: Headers, via: Via): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (bearer || via === 'phone') return bearer
  const cookies = cookiesOf(headers)
  return cookies.get(cookieName(true)) ?? cookies.get(cookieName(false))
}

/** Of `users`: what the user may do, by clinic. */
const grants = sql<Record<string, Permission[]> | null>`(
  select jsonb_object_agg(p.clinic_id, (
    select coalesce(jsonb_agg(key), '[]') from jsonb_each(to_jsonb(p))
    where value = 'true' and key = any(${PERMISSIONS})))
  from user_clinic_permissions p join clinics on clinics.id = p.clinic_id
  where p.user_id = users.id and not p.is_deleted and not clinics.is_deleted
    and users.role not in ('admin', 'super_admin'))`

/** Setting care/share-history: whether clinics show each other what they recorded. */
const sharesHistory = sql<boolean>`exists (select from app_config
  where namespace = 'care' and key = 'share-history' and value = 'organization' and not is_deleted)`
/** Columns of `users`: the patients that the user can read by emergency access. */
const emergency = sql<string[] | null>`(
  select array_agg(e.patient_id) from emergency_accesses e
  where e.user_id = users.id and e.until > clock_timestamp() and not e.is_deleted)`

/** The person of that id, for a caller that has verified it; null when the user was deleted meanwhile. */
export async function actorById(db: Kysely<DB>, userId: string): Promise<Actor | null> {
  const row = await db
    .selectFrom('users')
    .select(['name', 'role', 'language', 'clinic_id', grants.as('grants')])
    .select(sharesHistory.as('shares_history'))
    .where('id', '=', userId)
    .where('is_deleted', '=', false)
    .executeTakeFirst()
  if (!row) return null
  const { name, clinic_id } = row
  const [role, language] = [row.role as Role, row.language as Language]
  return {
    userId,
    name,
    role,
    language,
    clinicId: clinic_id,
    grants: row.grants ?? {},
    sharesHistory: row.shares_history,
  }
}

/** One query; a second one a minute at most, to note that the session is in use. */
async function findSession(db: Kysely<DB>, token: string): Promise<Session | null> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select(['sessions.id', 'sessions.kind', 'sessions.expires_at', 'user_id', 'app_password_id'])
    .select([
      'users.name',
      'users.email',
      'users.role',
      'users.language',
      'users.theme',
      'users.clinic_id',
    ])
    .select([
      sql<boolean>`sessions.kind = 'browser' and (
        sessions.locked_at is not null
        or sessions.last_seen_at < clock_timestamp()
          - make_interval(secs => ${sessionSettings().lockMinutes * 60}))`.as('is_locked'),
      sql<boolean>`sessions.last_seen_at < clock_timestamp() - interval '1 minute'`.as('is_stale'),
      sql<boolean>`exists (select from credentials where credentials.user_id = users.id and must_change)`.as(
        'must_change',
      ),
      grants.as('grants'),
      sharesHistory.as('shares_history'),
      emergency.as('emergency'),
    ])
    .where('token_hash', '=', hashOf(token))
    .where('sessions.expires_at', '>', sql<Date>`clock_timestamp()`)
    .where('users.is_deleted', '=', false)
    .executeTakeFirst()
  if (!row) return null
  if (row.is_stale && !row.is_locked) await markSeen(db, row.id)
  return {
    id: row.id,
    kind: row.kind as SessionKind,
    isLocked: row.is_locked,
    mustChange: row.must_change,
    expiresAt: row.expires_at,
    theme: row.theme as Theme,
    email: row.email,
    appPasswordId: row.app_password_id,
    actor: {
      userId: row.user_id,
      name: row.name,
      role: row.role as Role,
      language: row.language as Language,
      clinicId: row.clinic_id,
      grants: row.grants ?? {},
      sharesHistory: row.shares_history,
      // in a browser only: it never changes what a phone or a program reads
      ...(row.kind === 'browser' && row.emergency ? { emergency: row.emergency } : {}),
    },
  }
}

const markSeen = (db: Kysely<DB>, id: string) =>
  db
    .updateTable('sessions')
    .set({ last_seen_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute()
