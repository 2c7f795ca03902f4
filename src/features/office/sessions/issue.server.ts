import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { OpenContext } from '~/server/operation'
import { findRequestSession, sessionToken } from '~/server/session.server'
import { sessionSettings } from '~/server/session-settings'
import { hashToken, keyed, newToken } from '~/server/secret.server'

const PENDING_MINUTES = 10
/**
 * The app keeps the app password, and on the clinic's own network shows its token alone: some versions do not sign in
 * again by themselves. Revoking the app password ends the token.
 */
const APP_PASSWORD_DAYS = 30
const KEPT_DAYS = 30

/**
 * A new session with a token of its own. The one that the request came with, if any, ends: no token
 * outlives a sign-in.
 */
export async function openSession(
  ctx: OpenContext,
  userId: string,
  kind: 'browser' | 'pending',
): Promise<string> {
  await closeSession(ctx)
  await ctx.db
    .deleteFrom('sessions')
    .where('expires_at', '<', inHours(-KEPT_DAYS * 24))
    .execute()
  const token = newToken()
  const hours = kind === 'pending' ? PENDING_MINUTES / 60 : sessionSettings().hours
  await ctx.db
    .insertInto('sessions')
    .values({
      user_id: userId,
      kind,
      token_hash: hashToken(token),
      ...origin(ctx),
      expires_at: inHours(hours),
    })
    .execute()
  return token
}

/**
 * The one token of a user's programs, or of the phone with this app password, valid from now for as
 * long as a session or, with an app password, for 30 days. It is derived from the session's id and a
 * key, so that it can be issued again although only its hash is stored.
 */
export async function reusableToken(
  ctx: OpenContext,
  userId: string,
  appPasswordId: string | null = null,
): Promise<string> {
  const { db } = ctx
  const kind = appPasswordId ? 'phone' : 'token'
  await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('kind', '=', kind)
    .where('expires_at', '<', inHours(0))
    .execute()
  const hours = appPasswordId ? APP_PASSWORD_DAYS * 24 : sessionSettings().hours
  const fresh = { ...origin(ctx), expires_at: inHours(hours) }
  const id = randomUUID()
  const { id: actual } = await db
    .insertInto('sessions')
    .values({
      id,
      user_id: userId,
      kind,
      app_password_id: appPasswordId,
      token_hash: hashToken(tokenFor(id)),
      ...fresh,
    })
    .onConflict((conflict) =>
      (appPasswordId
        ? conflict.column('app_password_id')
        : conflict.column('user_id').where('kind', '=', 'token')
      ).doUpdateSet({ ...fresh, created_at: inHours(0), last_seen_at: inHours(0) }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return tokenFor(actual)
}

export const TOKEN_SECONDS = 300

/** A token for a program that proved its name with its key, for this user within these scopes. */
export async function clientToken(
  ctx: OpenContext,
  { userId, clientId, scopes }: { userId: string; clientId: string; scopes: string },
): Promise<string> {
  const token = newToken()
  await ctx.db
    .deleteFrom('sessions')
    .where('client_id', '=', clientId)
    .where('expires_at', '<', inHours(0))
    .execute()
  await ctx.db
    .insertInto('sessions')
    .values({
      user_id: userId,
      kind: 'client',
      client_id: clientId,
      scopes,
      token_hash: hashToken(token),
      ...origin(ctx),
      expires_at: inHours(TOKEN_SECONDS / 3600),
    })
    .execute()
  return token
}

/**
 * After a change that ended every session of the user: signs the same user in again, the same way.
 * `before` was read before the change.
 */
export async function reopenSession(
  ctx: OpenContext,
  before: Awaited<ReturnType<typeof currentSession>>,
): Promise<{ token?: string }> {
  if (!before) return {}
  const { userId } = before.actor
  return {
    token:
      before.kind === 'browser'
        ? await openSession(ctx, userId, 'browser')
        : await reusableToken(ctx, userId),
  }
}

export const currentSession = ({ db, request }: OpenContext) =>
  findRequestSession(db, request.headers, request.via)

/**
 * Ends the session that the request came with. A program's token stays: it may be in use elsewhere.
 */
async function closeSession({ db, request }: OpenContext) {
  const token = sessionToken(request.headers, request.via)
  if (token)
    await end(db)
      .where('token_hash', '=', hashToken(token))
      .where('kind', 'in', ['browser', 'pending'])
      .execute()
}

/** Opens a locked session with a token of its own: the one of before the lock ends. */
export async function unlockedToken({ db }: OpenContext, id: string): Promise<string> {
  const token = newToken()
  await db
    .updateTable('sessions')
    .set({ token_hash: hashToken(token), locked_at: null, last_seen_at: inHours(0) })
    .where('id', '=', id)
    .execute()
  return token
}

/** Ends a session of the user. False if there is no such session. */
export async function endSession(db: Kysely<DB>, userId: string, id: string): Promise<boolean> {
  const ended = await end(db).where('id', '=', id).where('user_id', '=', userId).executeTakeFirst()
  return ended.numUpdatedRows > 0n
}

/** Ends all sessions of the user, except the named one. Returns how many. */
export async function endSessions(
  db: Kysely<DB>,
  userId: string,
  except?: string,
): Promise<number> {
  const ended = await end(db)
    .where('user_id', '=', userId)
    .$if(except !== undefined, (q) => q.where('id', '<>', except!))
    .executeTakeFirst()
  return Number(ended.numUpdatedRows)
}

/** It keeps its row for a while: it shows where the user usually signs in from. */
const end = (db: Kysely<DB>) =>
  db
    .updateTable('sessions')
    .set({ expires_at: inHours(-0.001) })
    .where('expires_at', '>', inHours(0))

const tokenFor = (id: string) => keyed('phone token', id).toString('base64url')

const origin = ({ request }: OpenContext) => ({
  user_agent: (request.headers.get('user-agent') ?? '').slice(0, 300),
  address: request.address,
})

const inHours = (hours: number) =>
  sql<Date>`clock_timestamp() + make_interval(secs => ${hours * 3600})`
