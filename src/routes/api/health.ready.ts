import { createFileRoute } from '@tanstack/react-router'
import { respondReady } from '~/server/health.server'

export const Route = createFileRoute('/api/health/ready')({
  server: { handlers: { GET: () => respondReady() } },
})
