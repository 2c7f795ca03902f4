import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { isTooLarge } from '~/server/body'
import { clientInfo } from '~/server/http-client.server'
import { requestContext } from '~/server/serve.server'
import { preferredLanguage } from '~/shared/language'
import { turnForRequest } from '~/sync/http/signed-in.server'
import { AppError } from '~/shared/errors'
import type { Turn } from '~/server/admission.server'
import { router } from './router'

/** More than any screen asks for at once; each may be a statement of its own. */
const MOST_CALLS = 100

/** The stable way in for programs: `noun.verb`, plain JSON, by session cookie or `Authorization: Bearer`. */
export async function respondTrpc(request: Request): Promise<Response> {
  // tRPC itself would take a form or any bytes for an input as well
  if (
    request.method === 'POST' &&
    !/^application\/json\b/i.test(request.headers.get('content-type') ?? '')
  )
    return Response.json(
      {
        error: { message: 'Send JSON: Content-Type: application/json', data: { httpStatus: 415 } },
      },
      { status: 415 },
    )
  let tooLarge: unknown
  let turn: Promise<Turn> | undefined
  const response = await fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router,
    // a query whose input is too long for a URL may come as POST
    allowMethodOverride: true,
    maxBatchSize: MOST_CALLS,
    createContext: () => ({
      ctx: () => requestContext(request, 'trpc'),
      // each call of a batch takes a turn
      turn: async (work) => (await (turn ??= turnForRequest(request)))(work),
      language: preferredLanguage(request.headers.get('accept-language')),
      requestId: clientInfo(request).requestId,
    }),
    responseMeta: ({ errors }) => ({ headers: retryAfter(errors.map(({ cause }) => cause)) }),
    onError({ error: { cause } }) {
      if (isTooLarge(cause)) tooLarge = cause
    },
  })
  // tRPC would call it a bad request; the server knows what it is
  if (tooLarge) throw tooLarge
  return response
}

function retryAfter(causes: readonly unknown[]): Record<string, string> {
  const seconds = causes.flatMap((cause) => (cause instanceof AppError && cause.retryAfter) || [])
  const longest = seconds.reduce((a, b) => Math.max(a, b), 0)
  return longest > 0 ? { 'retry-after': String(longest) } : {}
}
