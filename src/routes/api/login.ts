import { createFileRoute } from '@tanstack/react-router'
import { respondLogin } from '~/sync/http/respond.server'

export const Route = createFileRoute('/api/login')({
  server: { handlers: { POST: ({ request }) => respondLogin(request) } },
})
