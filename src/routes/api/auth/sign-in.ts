import { createFileRoute } from '@tanstack/react-router'
import { respondSignIn } from '~/features/office/sessions/respond.server'
import { contextOf } from '~/server/serve.server'

export const Route = createFileRoute('/api/auth/sign-in')({
  server: {
    handlers: {
      POST: async ({ request }) => respondSignIn(await contextOf(request, 'phone'), request),
    },
  },
})
