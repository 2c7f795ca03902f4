import { createFileRoute } from '@tanstack/react-router'
import { respondToken } from '~/fhir/token-respond.server'
import { contextOf } from '~/server/serve.server'

export const Route = createFileRoute('/api/auth/token')({
  server: {
    handlers: {
      POST: async ({ request }) => respondToken(await contextOf(request, 'fhir'), request),
    },
  },
})
