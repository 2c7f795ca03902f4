import { contextOf } from '~/server/serve.server'
import { callerOf } from './caller.server'
import { answering } from './respond.server'

/**
 * Whether a request carries credentials for the way in that it takes: of phones Basic or a token,
 * elsewhere a session. A phone whose credentials are wrong gets its answer, so that the app asks to
 * sign in again.
 */
export async function isSignedIn(request: Request): Promise<boolean | Response> {
  const { pathname } = new URL(request.url)
  if (!pathname.startsWith('/rpc/') && !pathname.startsWith('/api/v2/'))
    return (
      (await contextOf(request, pathname.startsWith('/api/trpc/') ? 'trpc' : 'web')).actor !== null
    )
  if (!request.headers.has('authorization')) return false
  const answer = await answering(request, async () => {
    await callerOf(request)
    return new Response(null, { status: 204 })
  })
  return answer.ok || answer
}
