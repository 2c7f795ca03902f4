import { createFileRoute } from '@tanstack/react-router'
import { respondRoot } from '~/features/office/trust/trust.server'

export const Route = createFileRoute('/api/trust/root')({
  server: { handlers: { GET: () => respondRoot() } },
})
