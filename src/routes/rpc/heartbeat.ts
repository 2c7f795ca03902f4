import { createFileRoute } from '@tanstack/react-router'
import { respondHeartbeat } from '~/sync/rpc.server'

export const Route = createFileRoute('/rpc/heartbeat')({
  server: { handlers: { GET: () => respondHeartbeat() } },
})
