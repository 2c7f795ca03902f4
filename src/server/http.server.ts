import { X509Certificate } from 'node:crypto'
import type { IncomingMessage, Server as NodeServer, ServerResponse } from 'node:http'
import type { Http2SecureServer, Http2ServerRequest, ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ServerRequest, serve } from 'srvx'
import { Refusal } from '~/db/refusal'
import { isTooLarge } from './body'
import { isUpload } from './body-limit.server'
import type { Env } from './env'
import { serving } from './health.server'
import { admission, refuseOpenHttp } from './http-admission.server'
import {
  clientBehind,
  markClient,
  networkAddress,
  plainAddress,
  trusts,
} from './http-client.server'
import { compressed } from './http-compress.server'
import { inRefusalPace } from './http-refusals.server'
import { setMissing } from './headers'
import { asOutcome, METHODS, badRequestRefusal } from './http-refusal'
import { OPERATION_HEADER, routePattern } from './http-route'
import { type Credentials, readCredentials, tlsSettings, watchCredentials } from './http-tls.server'
import { log } from './log'
import { metrics } from './metrics'

export type Handler = (request: Request) => Response | Promise<Response> | undefined

export type HttpServer = {
  url: string
  /** Stops accepting, lets requests in flight finish within `patience` milliseconds, then closes every connection. */
  drain: (patience: number) => Promise<void>
}

/** What only a response that has not said so itself gets. */
const defaults = {
  'content-security-policy': "object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
}

/**
 * Listens on HOST and PORT and asks the handlers in turn. Takes the port at once, so that a taken one is known before
 * anything else is started; `handlers` may be filled later, and until then the answer is 503.
 */
export async function listen(settings: Env, handlers: Handler[]): Promise<HttpServer> {
  const { host, port, tls } = settings
  refuseOpenHttp(settings)
  const identify = clientBehind(settings.trustedProxies)
  const credentials = tls && readCredentials(tls)
  let certificate = credentials && new X509Certificate(credentials.cert)
  const notAdmitted = admission(settings, () => certificate)
  const open = new Set<ServerResponse>()
  const streams = new Set<ServerResponse>()

  const server = serve({
    hostname: host,
    port,
    manual: true,
    silent: true,
    gracefulShutdown: false,
    maxRequestBodySize: settings.pushLimit,
    ...(credentials && { tls: credentials }),
    node: {
      maxHeaderSize: 32 * 1024,
      connectionsCheckingInterval: 5_000,
      // Node would answer it without the headers that every answer has
      requireHostHeader: false,
      ...tlsSettings,
    },
    fetch: (request) => answer(request),
  })
  const node = server.node!.server as NodeServer
  // Slow headers hold a connection cheaply; a slow upload over a bad line is honest. A connection on which nothing
  // moves for ten minutes is closed, whether the reader or the writer stopped.
  const timeouts = { headersTimeout: 20_000, requestTimeout: 600_000, keepAliveTimeout: 65_000 }
  Object.assign(node, { ...timeouts, timeout: 600_000 })
  node.on('clientError', refuseMalformed)
  node.on('checkExpectation', refuseExpectation)
  const sockets = trackConnections(node, open, trusts(settings.trustedProxies))
  try {
    await server.serve()
  } catch (error) {
    throw cannotListen(settings, error as NodeJS.ErrnoException)
  }

  async function answer(request: ServerRequest): Promise<Response> {
    const { req, res } = request.runtime!.node as { req: IncomingMessage; res: ServerResponse }
    const { encrypted = false } = req.socket as Partial<TLSSocket>
    const client = identify({
      address: req.socket.remoteAddress,
      https: encrypted,
      headers: request.headers,
    })
    markClient(request.headers, client)
    if (client.https && !encrypted) useHttps(request)
    record(req, res, client.requestId)
    watchForLeaving(request, req, res)
    const { signal: left } = request

    const declared = Number(request.headers.get('content-length') ?? 0)
    const peer = plainAddress(req.socket.remoteAddress ?? '')
    const response = asOutcome(
      request,
      hostRefusal(req) ??
        badRequestRefusal(request) ??
        notAdmitted(request, { peer, isHttps: client.https }) ??
        (declared > settings.bodyLimit && !isUpload(request)
          ? new Response('Content Too Large', { status: 413 })
          : await respond(request)),
    )
    const { requestId, address } = client
    await inRefusalPace({ requestId, address, status: response.status, left })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    if (isStream) {
      streams.add(res)
      metrics().eventStreams.inc()
      res.once('close', () => {
        streams.delete(res)
        metrics().eventStreams.dec()
      })
    }
    const final = writable(await compressed(request, response))
    setMissing(final.headers, defaults)
    final.headers.set('x-request-id', client.requestId)
    if (client.https) final.headers.set('strict-transport-security', 'max-age=31536000')
    if (hasUnreadBody(req)) closeUnread(req, res, final)
    if (serving.draining) {
      if (req.httpVersionMajor === 1) final.headers.set('connection', 'close')
      if (isStream) setImmediate(() => res.destroy())
    }
    return final
  }

  async function respond(request: Request): Promise<Response> {
    if (!handlers.length)
      return new Response('Sanad is starting', { status: 503, headers: { 'retry-after': '1' } })
    try {
      for (const handler of handlers) {
        const response = await handler(request)
        if (response) return response
      }
      return new Response('Not Found', { status: 404 })
    } catch (error) {
      if (isTooLarge(error)) return new Response('Content Too Large', { status: 413 })
      // nobody reads this answer
      if (request.signal.aborted && error === request.signal.reason)
        return new Response(null, ABORTED)
      log.error({ err: error, id: request.headers.get('x-request-id') }, 'a request failed')
      return new Response('Something went wrong!', { status: 500 })
    }
  }

  /** One log line and one observation when the answer is over. */
  function record(req: IncomingMessage, res: ServerResponse, id: string) {
    const start = performance.now()
    open.add(res)
    res.once('close', () => {
      open.delete(res)
      const { method = '' } = req
      const status = res.statusCode
      const operation = res.getHeader(OPERATION_HEADER) as string | undefined
      const path = routePattern((req.url ?? '/').split(/[?#]/, 1)[0]!, status, operation)
      const ms = Math.round(performance.now() - start)
      const labels = { method: METHODS.has(method) ? method : 'OTHER', route: path, status }
      metrics().requests.inc(labels)
      // a stream is open as long as its reader likes, which says nothing about us
      if (!streams.has(res)) metrics().seconds.observe(labels, ms / 1000)
      const cut = !res.writableFinished
      log[path === '/assets/$' || path.startsWith('/api/health/') ? 'debug' : 'info'](
        { id, method, path, status, ms, ...(cut && { cut }) },
        'request',
      )
    })
  }

  const stopWatching =
    tls &&
    watchCredentials(
      tls,
      (pair: Credentials) => {
        const secure = node as unknown as Http2SecureServer // a server with certificates is one of HTTP/2
        secure.setSecureContext({ ...pair, ...tlsSettings })
        certificate = new X509Certificate(pair.cert)
        log.info('the certificate was renewed')
      },
      (problem) => log.warn(problem.message),
    )

  return {
    url: `${tls ? 'https' : 'http'}://${hostInUrl(host)}:${(node.address() as { port: number }).port}`,
    async drain(patience) {
      stopWatching?.()
      node.close()
      sockets.endIdle()
      for (const stream of streams) stream.destroy()
      for (const end = Date.now() + patience; open.size && Date.now() < end;) await sleep(20)
      await sockets.closeAll()
    },
  }
}

/** Milliseconds in which a sender can read the answer before the connection is closed. */
const LINGER = 1_000

const hasUnreadBody = ({ complete, headers }: IncomingMessage) =>
  !complete && (Number(headers['content-length'] ?? 0) > 0 || 'transfer-encoding' in headers)

/**
 * Answers what is no HTTP request. Node would answer it without the headers that every response has. A connection that
 * already carried a response, or was closed, is ended.
 */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex) {
  const isInUse = (socket as Partial<{ _httpMessage: unknown }>)._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || isInUse) {
    socket.destroy(error)
    return
  }
  const status = MALFORMED[error.code ?? ''] ?? '400 Bad Request'
  const headers = Object.entries({ connection: 'close', 'content-length': '0', ...defaults })
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n`)
}
const MALFORMED: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** The answer to a request that must have a Host header and has none (RFC 9112, 3.2). */
const hostRefusal = ({ httpVersion, headers }: IncomingMessage) =>
  httpVersion === '1.1' && headers.host === undefined ? new Response(null, { status: 400 }) : null

/** An `Expect` header that is not `100-continue`. */
function refuseExpectation(_: IncomingMessage, response: ServerResponse) {
  response.shouldKeepAlive = false
  response.writeHead(417, { 'content-length': '0', ...defaults }).end()
}

/**
 * Answers without reading the rest of the body. Node would read and discard it to its end, or close at once, and then
 * the kernel resets the connection and the sender may not see the answer.
 */
function closeUnread(req: IncomingMessage, res: ServerResponse, response: Response) {
  if (req.httpVersionMajor > 1) {
    const { stream } = req as unknown as Http2ServerRequest // of HTTP/2, which its version says
    res.once('finish', () => stream.close())
    return
  }
  response.headers.set('connection', 'close')
  // marks the body as consumed, so that Node does not discard it; reading stops when the buffer is full
  req.read(0)
  const { socket } = res
  if (!socket) return
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER)
  }
}

/**
 * Connections of one address (of IPv6: of one /64). A clinic behind one address has some 30 phones, and 15 browsers
 * with six connections each.
 */
const MOST_OF_A_NETWORK = 512

/**
 * Every connection, so that none outlives us: Node's own closeAllConnections does not exist for HTTP/2. Closes those
 * of a network that has too many.
 */
function trackConnections(
  server: NodeServer,
  open: Set<ServerResponse>,
  isTrusted: (address: string) => boolean,
) {
  const sockets = new Set<Socket>()
  const networks = new Map<string, number>()
  const sessions = new Set<ServerHttp2Session>()
  server.on('connection', (socket: Socket) => {
    const peer = plainAddress(socket.remoteAddress ?? '')
    const network = networkAddress(peer)
    const count = (networks.get(network) ?? 0) + 1
    if (count > MOST_OF_A_NETWORK && !isTrusted(peer)) {
      socket.destroy()
      return
    }
    networks.set(network, count)
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      const left = networks.get(network)! - 1
      if (left > 0) networks.set(network, left)
      else networks.delete(network)
    })
  })
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  return {
    /** HTTP/1 connections without a request are closed by the server's own close(). */
    endIdle() {
      for (const session of sessions) session.close()
    },
    async closeAll() {
      for (const response of open) response.destroy()
      // what was written still goes out
      for (const socket of sockets) socket.destroySoon()
      for (const end = Date.now() + 1_000; sockets.size && Date.now() < end;) await sleep(10)
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Behind a proxy that speaks https to the world, addresses that the app makes must say so. */
function useHttps(request: Request) {
  Object.defineProperty(request, 'url', {
    value: request.url.replace(/^http:/, 'https:'),
    configurable: true,
  })
}

/** A response whose headers can be set; those of redirects and of fetch cannot. */
function writable(response: Response): Response {
  try {
    response.headers.delete('x-request-id')
    return response
  } catch {
    return new Response(response.body, response)
  }
}

/** A browser gives `localhost` the rights of a secure page, and passkeys need a name. */
const hostInUrl = (host: string) => {
  if (['127.0.0.1', '0.0.0.0', '::1', '::', 'localhost'].includes(host)) return 'localhost'
  if (host.includes(':')) return `[${host}]`
  return host
}

function cannotListen({ host, port }: Env, error: NodeJS.ErrnoException) {
  if (error.code === 'EADDRINUSE') {
    return new Refusal(
      `The port ${port} on ${host} is taken by another program: stop that, or set PORT to another number.`,
      { cause: error },
    )
  }
  if (error.code === 'EACCES') {
    return new Refusal(
      `The port ${port} may not be used by this user: set PORT to a number above 1023.`,
      { cause: error },
    )
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') {
    return new Refusal(`HOST is "${host}", which is no address of this machine.`, { cause: error })
  }
  return error
}

/**
 * The client closed the connection, which is not an error of the server. The status, which is not received, tells the
 * framework that this is no bug.
 */
const ABORTED = { status: 499 }

/**
 * Aborts the request's signal with a reason that is not printed with its stack: on a poor line
 * people leave all the time.
 */
function watchForLeaving(request: Request, req: IncomingMessage, res: ServerResponse) {
  const leaving = new AbortController()
  Object.defineProperty(request, 'signal', { value: leaving.signal })
  res.once('close', () => {
    if (!res.writableEnded)
      leaving.abort(
        Object.assign(req.errored ?? new Error('The client closed the connection'), ABORTED),
      )
  })
}
