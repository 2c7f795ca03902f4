import { createFileRoute } from '@tanstack/react-router'
import { respondLive } from '~/rpc/live.server'

export const Route = createFileRoute('/api/live')({
  server: { handlers: { GET: ({ request }) => respondLive(request) } },
})
