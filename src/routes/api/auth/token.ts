import { createFileRoute } from '@tanstack/react-router'
import { respondToken } from '~/fhir/token-respond.server'
import { requestContext } from '~/server/serve.server'

export const Route = createFileRoute('/api/auth/token')({
  server: {
    handlers: {
      POST: async ({ request }) => respondToken(await requestContext(request, 'fhir'), request),
    },
  },
})
