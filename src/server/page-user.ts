import { otherUser } from '~/shared/errors'
import { PAGE_USER } from '~/shared/page-user'

type Written = { actor: { userId: string; name: string }; request: { headers: Headers } }

/** Throws if the page that the write comes from was rendered for another user than the one whose session it is. */
export function asPageUser<C extends Written>(ctx: C): C {
  const pageUser = ctx.request.headers.get(PAGE_USER)
  if (pageUser === null || pageUser === ctx.actor.userId) return ctx
  throw otherUser(ctx.actor.name)
}
