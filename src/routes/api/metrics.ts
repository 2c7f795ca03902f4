import { createFileRoute } from '@tanstack/react-router'
import { respondMetrics } from '~/server/http-metrics.server'

export const Route = createFileRoute('/api/metrics')({
  server: { handlers: { GET: ({ request }) => respondMetrics(request) } },
})
