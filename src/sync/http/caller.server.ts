import { db } from '~/db/db.server'
import { ownerOf, verifyAhead } from '~/features/office/sessions/setup/owner.server'
import { type Context, inTransaction, type OpenContext } from '~/server/operation'
import { contextOf } from '~/server/serve.server'
import { actorById } from '~/server/session.server'
import { unauthenticated } from '~/shared/errors'

/**
 * Who a phone says it is: e-mail address and password with every request, or its token. Cookies are
 * not looked at, as the app sends those of other servers along. Throws `unauthenticated`, or
 * `too_many_requests`.
 */
export async function callerOf(request: Request): Promise<Context> {
  const ctx = await contextOf(request, 'phone')
  const basic = basicOf(request)
  const actor = basic ? await actorByPassword(ctx, basic) : ctx.actor
  if (!actor) throw unauthenticated()
  return { ...ctx, db, actor }
}

async function actorByPassword(
  ctx: OpenContext,
  { email, password }: { email: string; password: string },
) {
  await verifyAhead(ctx, email, password)
  return inTransaction('sync.signIn', ctx, async (inner) => {
    const owner = await ownerOf(inner, email, password)
    return owner && actorById(inner.db, owner.userId)
  })
}

/** RFC 7617. A password may contain colons; the app encodes both as UTF-8. */
function basicOf({ headers }: Request): { email: string; password: string } | null {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (!encoded) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  // the database keeps no NUL
  if (colon < 1 || text.includes('\0')) return null
  return { email: text.slice(0, colon).trim().toLowerCase(), password: text.slice(colon + 1) }
}
