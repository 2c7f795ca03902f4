import type { Via } from '~/server/operation'
import { contextOf } from '~/server/serve.server'
import { callerOf } from './caller.server'
import { answering } from './respond.server'

/**
 * The user whose credentials a request carries for the way in that it takes: of phones Basic or a
 * token, elsewhere a session. A phone whose credentials are wrong gets its answer, so that the app
 * asks to sign in again.
 */
export async function senderOf(request: Request): Promise<{ userId: string } | null | Response> {
  const { pathname } = new URL(request.url)
  if (!pathname.startsWith('/rpc/') && !pathname.startsWith('/api/v2/'))
    return (await contextOf(request, wayInTo(pathname))).actor
  if (!request.headers.has('authorization')) return null
  let sender: { userId: string } | null = null
  const answer = await answering(request, async () => {
    sender = (await callerOf(request)).actor
    return new Response(null, { status: 204 })
  })
  return sender ?? answer
}

const wayInTo = (pathname: string): Via =>
  pathname.startsWith('/api/trpc/') ? 'trpc' : pathname.startsWith('/api/fhir') ? 'fhir' : 'web'
