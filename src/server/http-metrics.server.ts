import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { env } from './env'
import { metrics } from './metrics'

/** `/api/metrics`: for requests with SANAD_METRICS_TOKEN; without that setting the address does not exist. */
export async function respondMetrics(request: Request): Promise<Response> {
  const token = env().metricsToken
  if (!token) return new Response('Not Found', { status: 404 })
  if (!same(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
    return new Response('Unauthorized', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
  }
  const { registry } = metrics()
  return new Response(await registry.metrics(), {
    headers: { 'content-type': registry.contentType },
  })
}

/** Metrics without a token, on a port of their own that only this machine reaches. */
export function serveMetrics(port: number): Promise<Server> {
  const server = createServer((_request, response) => {
    const { registry } = metrics()
    void registry
      .metrics()
      .then((text) => response.setHeader('content-type', registry.contentType).end(text))
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** Compares in a time that does not tell how much was right. */
function same(a: string, b: string) {
  return timingSafeEqual(digest(a), digest(b))
}

const digest = (text: string) => createHash('sha256').update(text).digest()
