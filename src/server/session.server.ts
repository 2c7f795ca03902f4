import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import type { Actor } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { type Permission, PERMISSIONS, type Role } from '~/shared/permissions'
import type { Theme } from '~/shared/viewer'
import { diskState, explainDiskFailure } from './disk.server'
import type { OpenContext, RequestFacts, Via } from './operation'
import { hashToken } from './secret.server'
import { sessionSettings } from './session-settings'

type SessionKind = 'browser' | 'token' | 'phone' | 'pending' | 'client'

export type Session = {
  id: string
  kind: SessionKind
  /** Nothing but unlocking and signing out until the user unlocks the session. */
  isLocked: boolean
  /** The password is marked: another user set it and so knows it, or its owner was asked for a new one. */
  mustChange: boolean
  /** The time in which phones could use such a password is over. */
  isClosedToPhones: boolean
  expiresAt: Date
  theme: Theme
  email: string
  /** Of a phone: the app password that its token was given for. */
  appPasswordId: string | null
  actor: Actor
}

/**
 * What each way in accepts. A phone's token opens sync and /rpc alone: it was given for an app
 * password. That of a program with keys of its own (`client`) opens FHIR alone.
 */
const opens: Record<Via, readonly SessionKind[]> = {
  web: ['browser', 'token'],
  trpc: ['browser', 'token'],
  fhir: ['browser', 'token', 'client'],
  phone: ['token', 'phone'],
  command: [],
  system: [],
}

/** Who sent the request, as far as this way in goes; null without a user. */
export async function findRequestActor(
  db: Kysely<DB>,
  request: Pick<Request, 'headers'>,
  via: Via,
): Promise<Actor | null> {
  return (await findOpenSession(db, request, via))?.actor ?? null
}

/** The session of the request, if it opens this way in. */
export async function findOpenSession(
  db: Kysely<DB>,
  request: Pick<Request, 'headers'>,
  via: Via,
): Promise<Session | null> {
  const session = await findRequestSession(db, request.headers, via)
  return session && acceptance(session, via) === 'open' ? session : null
}

/**
 * Whether this way in accepts the session. `mustReplacePassword`: only once its owner has replaced the password, which
 * `sessions.replacePassword` does.
 */
export function acceptance(session: Session, via: Via): 'open' | 'closed' | 'mustReplacePassword' {
  if (session.isLocked || !opens[via].includes(session.kind)) return 'closed'
  if (via === 'phone') return session.isClosedToPhones ? 'closed' : 'open'
  return mustReplacePassword(session) ? 'mustReplacePassword' : 'open'
}

// a program with keys of its own does not sign in with the user's password
const mustReplacePassword = ({ mustChange, kind }: Session) => mustChange && kind !== 'client'

/** The context of a request with this session, as far as its way in accepts the session. */
export function contextFor(
  db: Kysely<DB>,
  facts: Pick<RequestFacts, 'id' | 'via' | 'address' | 'headers' | 'isPage'>,
  known: Session | null,
): OpenContext {
  const accepted = known && acceptance(known, facts.via)
  const session = accepted === 'open' ? known : null
  return {
    db,
    actor: session?.actor ?? null,
    request: {
      ...facts,
      appPasswordId: session?.appPasswordId ?? null,
      sessionUserId: known?.actor.userId,
      mustReplacePassword: accepted === 'mustReplacePassword',
    },
  }
}

/** The session that the request belongs to, of whatever kind, locked or not. */
export async function findRequestSession(
  db: Kysely<DB>,
  headers: Headers,
  via: Via,
): Promise<Session | null> {
  const token = sessionToken(headers, via)
  return token ? findSession(db, token) : null
}

// A page served over https can be reached by plain http as well: the prefix keeps what http sets from counting there.
export const cookieName = (https: boolean) => (https ? '__Host-sanad_session' : 'sanad_session')

export const parseCookies = (headers: Headers): Map<string, string> =>
  new Map(
    (headers.get('cookie') ?? '')
      .split(/; */)
      .map((pair) => pair.split('=', 2) as [string, string]),
  )

/** A Bearer token, or the cookie. Phones send cookies of other servers along, so theirs are not looked at. */
export function sessionToken(headers: Headers, via: Via): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (bearer || via === 'phone') return bearer
  const cookies = parseCookies(headers)
  return cookies.get(cookieName(true)) ?? cookies.get(cookieName(false))
}

/** One row of `access_of` (src/db/schema/sessions.sql). */
type Access = {
  grants: Record<string, Permission[]> | null
  shares_history: boolean
  emergency: string[] | null
}
type UserRow = {
  user_id: string
  name: string
  role: Role
  language: Language
  clinic_id: string | null
}

const actorFrom = (row: UserRow & Access): Actor => ({
  userId: row.user_id,
  name: row.name,
  role: row.role,
  language: row.language,
  clinicId: row.clinic_id,
  grants: row.grants ?? {},
  sharesHistory: row.shares_history,
})

/** The person of that id, for a caller that has verified it; null when the user was deleted meanwhile. */
export async function actorById(db: Kysely<DB>, userId: string): Promise<Actor | null> {
  const { rows } = await sql<UserRow & Access>`${asPrepared()}
    select u.id as user_id, u.name, u.role, u.language, u.clinic_id, a.grants, a.shares_history,
      a.emergency
    from users u cross join access_of(u.id, ${PERMISSIONS}) a
    where u.id = ${userId} and not u.is_deleted`.execute(db)
  return rows[0] ? actorFrom(rows[0]) : null
}

type SessionRow = UserRow &
  Access & {
    id: string
    kind: SessionKind
    expires_at: Date
    app_password_id: string | null
    client_id: string | null
    scopes: string | null
    is_locked: boolean
    is_stale: boolean
    must_change: boolean
    is_closed_to_phones: boolean
    email: string
    theme: Theme
  }

/** One query; a second one a minute at most, to note that the session is in use. */
async function findSession(db: Kysely<DB>, token: string): Promise<Session | null> {
  const lockAfter = `${sessionSettings().lockMinutes} minutes`
  // columns by name: a connection keeps this statement while another process may be adding one
  const { rows } =
    await sql<SessionRow>`${asPrepared()} select id, kind, expires_at, app_password_id,
      client_id, scopes, is_locked, is_stale, must_change, is_closed_to_phones, user_id, name, email,
      role, language, theme, clinic_id, grants, shares_history, emergency
    from session_of(${hashToken(token)}, ${lockAfter}, ${PERMISSIONS})`.execute(db)
  const row = rows[0]
  if (!row) return null
  if (row.is_stale && !row.is_locked) await markSeen(db, row.id)
  return {
    id: row.id,
    kind: row.kind,
    isLocked: row.is_locked,
    mustChange: row.must_change,
    isClosedToPhones: row.is_closed_to_phones && row.app_password_id === null,
    expiresAt: row.expires_at,
    theme: row.theme,
    email: row.email,
    appPasswordId: row.app_password_id,
    actor: {
      ...actorFrom(row),
      // in a browser only: it never changes what a phone or a program reads
      ...(row.kind === 'browser' && row.emergency ? { emergency: row.emergency } : {}),
      ...(row.client_id ? { client: { id: row.client_id, scopes: row.scopes ?? '' } } : {}),
    },
  }
}

/** A full disk must not keep users from reading: the session is marked once there is space. */
async function markSeen(db: Kysely<DB>, id: string) {
  if ((await diskState()).database === 'full') return
  try {
    await db
      .updateTable('sessions')
      .set({ last_seen_at: sql<Date>`clock_timestamp()` })
      .where('id', '=', id)
      .execute()
  } catch (error) {
    if (!explainDiskFailure(error)) throw error
  }
}
