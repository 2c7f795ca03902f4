import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { audit } from '~/server/audit'
import {
  type Context,
  mutation,
  NoInput,
  type OpenContext,
  openMutation,
  openQuery,
  query,
  signedIn,
} from '~/server/operation'
import { sessionSettings } from '~/server/session-settings'
import { acceptance, parseCookies, type Session } from '~/server/session.server'
import { invalid, notFound, unauthenticated } from '~/shared/errors'
import { isLanguage } from '~/shared/language'
import {
  currentSession,
  endSession,
  endSessions,
  openSession,
  reopenSession,
  reusableToken,
  unlockedToken,
} from './issue.server'
import { revokeAllAppPasswords } from './app-passwords/app-password.server'
import { checkedAhead, signingIn } from './app-passwords/credentials.server'
import {
  confirmedOwner,
  verifyCredentials,
  verifyAhead,
  verifyOwnAhead,
} from './setup/owner.server'
import { hashAhead, hashedAhead, isPassword, setPassword } from './passwords/password.server'
import { guessInTurn } from './passwords/throttle.server'
import { isSecondFactor } from './two-factor/second-factor.server'
import {
  Code,
  parseUserAgent,
  EndOne,
  EndOthers,
  NewPassword,
  PersonId,
  refusedField,
  SignIn,
  UnlockInput,
} from './session'

/**
 * Checks e-mail and password, and the code of the second factor if given. Without it, a user who
 * has one is not signed in yet on the web, and refused elsewhere: phones have app passwords, whose
 * token opens only what a phone needs.
 */
export const signIn = openMutation('sessions.signIn', {
  input: SignIn,
  allow: () => true,
  before: checkedAhead,
  inTurn: guessInTurn,
  async run(ctx, { email, password, code }) {
    const owner = await signingIn(ctx, { email, password })
    if (!owner) return refusedField('password', 'sessions.wrong')
    const { userId, appPasswordId } = owner
    const isWeb = ctx.request.via === 'web'
    if (owner.hasSecondFactor && !code) {
      if (!isWeb) return refusedField('code', 'validation.required')
      return {
        ok: true as const,
        twoFactor: true,
        token: await openSession(ctx, userId, 'pending'),
      }
    }
    if (owner.hasSecondFactor && code && !(await isSecondFactor(ctx, userId, code)))
      return refusedField('code', 'sessions.wrongCode')
    if (owner.isClosed) return refusedField('password', 'sessions.passwordOver')
    if (isWeb) await keepChosenLanguage(ctx, userId)
    if (isWeb || !(await isWrittenDown(ctx, userId)))
      await audit(ctx, { action: 'sessions.signIn', table: 'users', recordId: userId, userId })
    const token = isWeb
      ? await openSession(ctx, userId, 'browser')
      : await reusableToken(ctx, userId, appPasswordId)
    return { ok: true as const, twoFactor: false, userId, token }
  },
})

/**
 * At the first sign-in in a browser, the language that was chosen on the sign-in page becomes the user's: until then it
 * is the one of the colleague who added them.
 */
async function keepChosenLanguage({ db, request }: OpenContext, userId: string) {
  const cookies = parseCookies(request.headers)
  const language = cookies.get('__Host-sanad_language') ?? cookies.get('sanad_language')
  if (!isLanguage(language)) return
  const before = await db
    .selectFrom('audit_log')
    .select('id')
    .where('table_name', '=', 'users')
    .where('record_id', '=', userId)
    .where('action', '=', 'sessions.signIn')
    .where('via', '=', 'web')
    .limit(1)
    .executeTakeFirst()
  if (before) return
  await db
    .updateTable('users')
    .set({ language, updated_at: new Date() })
    .where('id', '=', userId)
    .where('language', '!=', language)
    .execute()
}

/** A phone signs in twice with every sync: the audit trail records it once a day. */
async function isWrittenDown({ db, request }: OpenContext, userId: string): Promise<boolean> {
  const entry = await db
    .selectFrom('audit_log')
    .select('id')
    .where('table_name', '=', 'users')
    .where('record_id', '=', userId)
    .where('action', '=', 'sessions.signIn')
    .where('via', '=', request.via)
    .where('at', '>', sql<Date>`clock_timestamp() - interval '1 day'`)
    .where(sql<boolean>`has_happened(at)`)
    .limit(1)
    .executeTakeFirst()
  return entry !== undefined
}

/**
 * The second step of signing in on the web: a code of the authenticator app, or a recovery code.
 */
export const verifyTwoFactor = openMutation('sessions.verifyTwoFactor', {
  input: Code,
  allow: () => true,
  async run(ctx, { code }) {
    const session = await currentSession(ctx)
    if (session?.kind !== 'pending') throw unauthenticated()
    const { userId } = session.actor
    if (!(await isSecondFactor(ctx, userId, code)))
      return refusedField('code', 'sessions.wrongCode')
    await audit(ctx, { action: 'sessions.signIn', table: 'users', recordId: userId, userId })
    return { ok: true as const, token: await openSession(ctx, userId, 'browser') }
  },
})

/** Ends the current session, in whatever state it is. */
export const signOutSession = openMutation('sessions.signOut', {
  input: NoInput,
  allow: () => true,
  async run(ctx) {
    const session = await currentSession(ctx)
    if (!session) return { ok: true as const }
    const { userId } = session.actor
    await endSession(ctx.db, userId, session.id)
    await audit(ctx, { action: 'sessions.signOut', table: 'users', recordId: userId, userId })
    return { ok: true as const }
  },
})

/**
 * What the screens need to know about the session: none, waiting for its second step, locked,
 * waiting for its owner's own password, or open.
 */
export const currentOf = openQuery('sessions.current', {
  input: NoInput,
  allow: () => true,
  async run(ctx) {
    const session = await currentSession(ctx)
    const { lockMinutes } = sessionSettings()
    if (!session || session.kind === 'phone')
      return { state: 'none' as const, lockMinutes, actor: null, theme: null }
    return { state: sessionState(session), lockMinutes, actor: session.actor, theme: session.theme }
  },
})

function sessionState({ kind, isLocked, mustChange }: Session) {
  if (kind === 'pending') return 'pending' as const
  if (isLocked) return 'locked' as const
  return mustChange ? ('mustChange' as const) : ('open' as const)
}

/**
 * Replaces a password that is marked with the user's own. The old one was checked when the session began: not again.
 */
export const replacePassword = openMutation('sessions.replacePassword', {
  input: NewPassword,
  allow: () => true,
  async before(ctx, input) {
    const { userId } = (await replacingSession(ctx)).actor
    const { password } = await ctx.db
      .selectFrom('credentials')
      .select('password')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow(unauthenticated)
    // a space at its end makes no other password
    const isSame = await Promise.all(
      [...new Set([input.newPassword, input.newPassword.trim()])].map((one) =>
        isPassword(one, password),
      ),
    )
    if (isSame.includes(true)) throw invalid({ newPassword: { key: 'sessions.passwordSame' } })
    await hashAhead(input, input.newPassword)
  },
  async run(ctx, input) {
    const session = await replacingSession(ctx)
    const { userId } = session.actor
    const user = { id: userId, email: session.email }
    // the user's own act: it leaves the app passwords of their phones valid
    await sql`select set_config('sanad.user_id', ${userId}, true)`.execute(ctx.db)
    await setPassword(ctx.db, user, hashedAhead(input), { setBy: 'owner', field: 'newPassword' })
    await audit(ctx, {
      action: 'sessions.replacePassword',
      table: 'users',
      recordId: userId,
      userId,
    })
    return { ok: true as const, ...(await reopenSession(ctx, session)) }
  },
})

/** The session of the request, if it waits for its owner's own password. */
async function replacingSession(ctx: OpenContext): Promise<Session> {
  const session = await currentSession(ctx)
  if (!session || acceptance(session, ctx.request.via) !== 'mustReplacePassword')
    throw unauthenticated()
  return session
}

/** The user's own sessions, the current one first. */
export const listSessions = query('sessions.list', {
  input: NoInput,
  allow: signedIn,
  run: async (ctx) => loadSessions(ctx.db, ctx.actor.userId, (await currentSession(ctx))?.id),
})

export const revokeSession = mutation('sessions.revoke', {
  input: EndOne,
  allow: signedIn,
  before: (ctx, { password }) => verifyIfGiven(ctx, password),
  async run(ctx, { id, password }) {
    const { userId } = ctx.actor
    if (!(await isConfirmed(ctx, password)))
      return refusedField('password', 'sessions.wrongPassword')
    if (!(await endSession(ctx.db, userId, id))) throw notFound('sessions.notFound')
    await audit(ctx, { action: 'sessions.revoke', table: 'users', recordId: userId })
    return { ok: true as const, id }
  },
})

export const revokeOtherSessions = mutation('sessions.revokeOthers', {
  input: EndOthers,
  allow: signedIn,
  before: (ctx, input) => verifyIfGiven(ctx, input?.password),
  async run(ctx, input) {
    const { userId } = ctx.actor
    if (!(await isConfirmed(ctx, input?.password)))
      return refusedField('password', 'sessions.wrongPassword')
    const current = await currentSession(ctx)
    const ended = await endSessions(ctx.db, userId, current?.id)
    await audit(ctx, { action: 'sessions.revokeOthers', table: 'users', recordId: userId })
    return { ok: true as const, ended }
  },
})

const verifyIfGiven = async (ctx: Context, password?: string | null) => {
  if (password) await verifyOwnAhead(ctx, { password })
}

/** A screen left open must not end the user's other sessions. A program proves itself by its token. */
async function isConfirmed(ctx: Context, password?: string | null): Promise<boolean> {
  if ((await currentSession(ctx))?.kind !== 'browser') return true
  if (!password) throw invalid({ password: { key: 'validation.required' } })
  return (await confirmedOwner(ctx, password)) !== null
}

/** Locks the current session, as its screen does after a time without input. */
export const lockSession = mutation('sessions.lock', {
  input: NoInput,
  allow: signedIn,
  async run(ctx) {
    const session = await currentSession(ctx)
    if (session?.kind === 'browser')
      await ctx.db
        .updateTable('sessions')
        .set({
          locked_at: sql<Date>`clock_timestamp()`,
          last_seen_at: sql<Date>`clock_timestamp()`,
        })
        .where('id', '=', session.id)
        .execute()
    return { ok: true as const }
  },
})

/** Unlocks a session with its owner's password, or a code of the second factor. It gets a new token. */
export const unlockSession = openMutation('sessions.unlock', {
  input: UnlockInput,
  allow: () => true,
  async before(ctx, input) {
    const session = await currentSession(ctx)
    if (session?.kind === 'browser' && 'password' in input)
      await verifyAhead(ctx, session.email, input.password)
  },
  async run(ctx, input) {
    const session = await currentSession(ctx)
    if (session?.kind !== 'browser') throw unauthenticated()
    const { userId } = session.actor
    if ('password' in input) {
      if (!(await verifyCredentials(ctx, session.email, input.password)))
        return refusedField('password', 'sessions.wrongPassword')
    } else if (!(await isSecondFactor(ctx, userId, input.code))) {
      return refusedField('code', 'sessions.wrongCode')
    }
    return { ok: true as const, token: await unlockedToken(ctx, session.id) }
  },
})

const fromCommand = ({ request }: Context) => request.via === 'command'

/** Of any user, from the command line. */
export const listSessionsOf = query('sessions.listOf', {
  input: PersonId,
  allow: fromCommand,
  run: ({ db }, { id }) => loadSessions(db, id),
})

/** Ends every session and app password of a user: phones are refused from their next request on. */
export const revokeSessionsOf = mutation('sessions.revokeAllOf', {
  input: PersonId,
  allow: fromCommand,
  async run(ctx, { id }) {
    const ended = await endSessions(ctx.db, id)
    const appPasswords = await revokeAllAppPasswords(ctx.db, id)
    await audit(ctx, { action: 'sessions.revokeAllOf', table: 'users', recordId: id })
    return { ended, appPasswords }
  },
})

/** Without the phones, which have app passwords. */
async function loadSessions(db: Kysely<DB>, userId: string, currentId?: string) {
  const sessions = await db
    .selectFrom('sessions')
    .select(['id', 'kind', 'user_agent', 'address', 'created_at', 'last_seen_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('kind', 'in', ['browser', 'token'])
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .where(sql<boolean>`has_happened(created_at)`)
    .orderBy(
      (eb) => eb('id', '=', currentId ?? null),
      (order) => order.desc().nullsLast(),
    )
    .orderBy('last_seen_at', 'desc')
    .limit(100)
    .execute()
  return sessions.map(({ user_agent, ...session }) => ({
    ...session,
    kind: session.kind as 'browser' | 'token',
    ...parseUserAgent(user_agent),
    isCurrent: session.id === currentId,
  }))
}
