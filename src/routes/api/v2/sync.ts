import { createFileRoute } from '@tanstack/react-router'
import { respondPull, respondPush } from '~/sync/http/respond.server'

export const Route = createFileRoute('/api/v2/sync')({
  server: {
    handlers: {
      GET: ({ request }) => respondPull(request),
      POST: ({ request }) => respondPush(request),
    },
  },
})
