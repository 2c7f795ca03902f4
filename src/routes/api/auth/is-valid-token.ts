import { createFileRoute } from '@tanstack/react-router'
import { respondIsValidToken } from '~/features/office/sessions/respond.server'
import { contextOf } from '~/server/serve.server'

export const Route = createFileRoute('/api/auth/is-valid-token')({
  server: {
    handlers: { POST: async ({ request }) => respondIsValidToken(await contextOf(request, 'web')) },
  },
})
