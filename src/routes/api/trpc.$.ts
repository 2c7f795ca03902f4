import { createFileRoute } from '@tanstack/react-router'
import { respondTrpc } from '~/rpc/respond.server'

const answer = ({ request }: { request: Request }) => respondTrpc(request)

export const Route = createFileRoute('/api/trpc/$')({
  server: { handlers: { GET: answer, POST: answer } },
})
