import { createFileRoute } from '@tanstack/react-router'
import { followChanges } from '~/rpc/live.server'

export const Route = createFileRoute('/api/live')({
  server: { handlers: { GET: ({ request }) => followChanges(request) } },
})
