import { createFileRoute } from '@tanstack/react-router'
import { respondSignIn } from '~/features/office/sessions/respond.server'
import { requestContext } from '~/server/serve.server'

export const Route = createFileRoute('/api/auth/sign-in')({
  server: {
    handlers: {
      POST: async ({ request }) => respondSignIn(await requestContext(request, 'phone'), request),
    },
  },
})
