import { db } from '~/db/db.server'
import { signedInBy } from '~/features/office/sessions/app-passwords/credentials.server'
import { knownBrowser } from '~/features/office/sessions/passwords/known-browser.server'
import type { Context } from '~/server/operation'
import { hashToken } from '~/server/secret.server'
import { requestContext } from '~/server/serve.server'
import { actorById } from '~/server/session.server'
import { unauthenticated } from '~/shared/errors'

/**
 * Who a phone says it is: e-mail address and password with every request, or its token. Cookies are
 * not looked at, as the app sends those of other servers along. Throws `unauthenticated`, or
 * `too_many_requests`.
 */
export async function authenticatePhone(request: Request): Promise<Context> {
  const ctx = await requestContext(request, 'phone')
  const basic = parseBasicAuth(request)
  if (!basic) {
    if (!ctx.actor) throw unauthenticated()
    return { ...ctx, db, actor: ctx.actor }
  }
  const owner = await signedInBy(ctx, basic)
  const actor = owner && (await actorById(ctx.db, owner.userId))
  if (!actor) throw unauthenticated()
  return { ...ctx, db, actor, request: { ...ctx.request, appPasswordId: owner.appPasswordId } }
}

/**
 * For the access log: the phone of a call that names no pull and has neither an app password nor a key. It is the one
 * that last synced with the cookie of this sign-in.
 */
export async function withPhone(ctx: Context): Promise<Context> {
  const { db: database, actor, request } = ctx
  if (request.appPasswordId || request.hubPhoneId) return ctx
  const cookie = knownBrowser(request.headers, actor.userId)
  const chain =
    cookie &&
    (await database
      .selectFrom('sync_chains')
      .select('id')
      .where('cookie_hash', '=', hashToken(cookie))
      .where('user_id', '=', actor.userId)
      .orderBy('last_pull_at', 'desc')
      .limit(1)
      .executeTakeFirst())
  return chain ? { ...ctx, request: { ...request, chainId: chain.id } } : ctx
}

/** RFC 7617. A password may contain colons; the app encodes both as UTF-8. */
function parseBasicAuth({ headers }: Request): { email: string; password: string } | null {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (!encoded) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  // the database keeps no NUL
  if (colon < 1 || text.includes('\0')) return null
  return { email: text.slice(0, colon).trim().toLowerCase(), password: text.slice(colon + 1) }
}
