import { createFileRoute } from '@tanstack/react-router'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { router } from '~/rpc/router'
import { clientOf } from '~/server/http-client.server'
import { contextOf } from '~/server/serve.server'
import { preferredLanguage } from '~/shared/language'

/** The stable way in for programs: `noun.verb`, plain JSON, by session cookie or `Authorization: Bearer`. */
const answer = ({ request }: { request: Request }) =>
  fetchRequestHandler({
    endpoint: '/api/trpc',
    req: request,
    router,
    // a query whose input is too long for a URL may come as POST
    allowMethodOverride: true,
    createContext: () => {
      let context: ReturnType<typeof contextOf> | undefined
      return {
        // one session lookup for all calls of a batch
        ctx: () => (context ??= contextOf(request, 'trpc')),
        language: preferredLanguage(request.headers.get('accept-language')),
        requestId: clientOf(request).requestId,
      }
    },
  })

export const Route = createFileRoute('/api/trpc/$')({ server: { handlers: { GET: answer, POST: answer } } })
