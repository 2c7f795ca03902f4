import { createFileRoute } from '@tanstack/react-router'
import { smartConfiguration } from '~/fhir/smart'
import { readPublicOrigin } from '~/fhir/token-respond.server'
import { requestContext } from '~/server/serve.server'

/** How programs sign in, where those look that know only the address of the server. */
export const Route = createFileRoute('/.well-known/smart-configuration')({
  server: {
    handlers: {
      GET: async ({ request }) => {
        const origin = await readPublicOrigin(await requestContext(request, 'fhir'), request)
        return Response.json(smartConfiguration(origin), {
          headers: { 'cache-control': 'no-store' },
        })
      },
    },
  },
})
