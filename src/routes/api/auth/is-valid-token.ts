import { createFileRoute } from '@tanstack/react-router'
import { respondIsValidToken } from '~/features/office/sessions/respond.server'
import { requestContext } from '~/server/serve.server'

export const Route = createFileRoute('/api/auth/is-valid-token')({
  server: {
    handlers: {
      POST: async ({ request }) => respondIsValidToken(await requestContext(request, 'web')),
    },
  },
})
