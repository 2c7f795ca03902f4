import { createFileRoute } from '@tanstack/react-router'
import { respondReady } from '~/server/health.server'

/** Both answers in one; the status is that of "ready". */
export const Route = createFileRoute('/api/health/')({
  server: { handlers: { GET: () => respondReady() } },
})
