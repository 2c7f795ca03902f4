import { createFileRoute } from '@tanstack/react-router'
import { follow } from '~/server/live-stream.server'

export const Route = createFileRoute('/api/live')({
  server: { handlers: { GET: ({ request }) => follow(request) } },
})
