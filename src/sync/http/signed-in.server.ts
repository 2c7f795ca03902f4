import type { Via } from '~/server/operation'
import { contextOf } from '~/server/serve.server'
import { callerOf } from './caller.server'
import { answering } from './respond.server'

type Sender = { userId: string; appPasswordId?: string | null }

/**
 * The user whose credentials a request carries for the way in that it takes: of phones Basic or a
 * token, elsewhere a session. A phone whose credentials are wrong gets its answer, so that the app
 * asks to sign in again.
 */
export async function senderOf(request: Request): Promise<Sender | null | Response> {
  const { pathname } = new URL(request.url)
  if (!pathname.startsWith('/rpc/') && !pathname.startsWith('/api/v2/'))
    return (await contextOf(request, wayInTo(pathname))).actor
  if (!request.headers.has('authorization')) return null
  let sender: Sender | null = null
  const answer = await answering(request, async () => {
    const { actor, request: of } = await callerOf(request)
    sender = { userId: actor.userId, appPasswordId: of.appPasswordId ?? null }
    return new Response(null, { status: 204 })
  })
  return sender ?? answer
}

const wayInTo = (pathname: string): Via =>
  pathname.startsWith('/api/trpc/') ? 'trpc' : pathname.startsWith('/api/fhir') ? 'fhir' : 'web'
