import { createFileRoute } from '@tanstack/react-router'
import { respondRpc } from '~/sync/http/rpc.server'

export const Route = createFileRoute('/rpc/query')({
  server: { handlers: { POST: ({ request }) => respondRpc(request, 'query') } },
})
