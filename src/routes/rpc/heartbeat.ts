import { createFileRoute } from '@tanstack/react-router'
import { respondHeartbeat } from '~/sync/http/rpc.server'

export const Route = createFileRoute('/rpc/heartbeat')({
  server: { handlers: { GET: () => respondHeartbeat() } },
})
