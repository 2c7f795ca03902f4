import { lookup } from 'node:dns'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { isIP } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { env } from './env'
import { isClinicAddress, isForbiddenUrl, mayConnect } from './network.server'

/** Why there is no answer that can be read. */
type FailureReason = 'unreachable' | 'timeout' | 'refused_address' | 'too_large'

export class RequestFailure extends Error {
  constructor(
    readonly failure: FailureReason,
    /** A connection was made: the request may have arrived. */
    readonly isConnected = true,
  ) {
    super(failure)
    this.name = 'RequestFailure'
  }
}

export type OutgoingRequest = {
  method: 'GET' | 'POST'
  url: URL
  headers: Readonly<Record<string, string>>
  body?: string
  /** Of the body. */
  contentType?: string
  signal?: AbortSignal
}
type JsonResponse = { status: number; body: unknown }

/** How long an answer may take, until its last byte. */
const RESPONSE_TIMEOUT_MS = 60_000
/** A data set of DHIS2 with its category combinations has at most some megabytes. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024

/**
 * Asks a server that a super administrator has configured. Redirects are not followed, and the address that the name
 * resolves to is checked before the connection is made: credentials reach only the configured server. With a proxy, a
 * server outside of the clinic's network is reached through it, encrypted end to end; the proxy looks its name up.
 * Throws `RequestFailure` without an answer.
 */
export async function requestJson(
  { method, url, headers, body, contentType = 'application/json', signal }: OutgoingRequest,
  timeoutMs = RESPONSE_TIMEOUT_MS,
  proxy = env().outgoingProxy,
): Promise<JsonResponse> {
  const isSecure = url.protocol === 'https:'
  // no lookup is made for an IP address, so it is checked here
  if (isForbiddenUrl(url)) throw new RequestFailure('refused_address', false)
  let isConnected = false
  const timeout = AbortSignal.timeout(timeoutMs)
  const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout
  try {
    const tunnel =
      proxy && needsProxy(url) ? await openProxyTunnel(url, proxy, abortSignal) : undefined
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (isSecure ? httpsRequest : httpRequest)(
        url,
        {
          method,
          lookup: checkedLookup(isSecure),
          ...(tunnel && { createConnection: () => connectTlsThroughTunnel(tunnel, url.hostname) }),
          signal: abortSignal,
          // with a connection of our own, no agent makes another
          agent: tunnel ? undefined : false,
          headers: {
            accept: 'application/json',
            ...headers,
            ...(body !== undefined && {
              'content-type': contentType,
              'content-length': Buffer.byteLength(body),
            }),
          },
        },
        resolve,
      )
      request.on('error', reject)
      request.on('socket', (socket) =>
        socket.once(isSecure ? 'secureConnect' : 'connect', () => (isConnected = true)),
      )
      request.end(body)
    })
    return { status: response.statusCode ?? 0, body: await readJson(response) }
  } catch (error) {
    if (error instanceof RequestFailure) throw error
    if (signal?.aborted) throw signal.reason
    throw new RequestFailure(timeout.aborted ? 'timeout' : 'unreachable', isConnected)
  }
}

/** Reached with https by a name, or by an address that is not the clinic's own. */
const needsProxy = ({ protocol, hostname }: URL) =>
  protocol === 'https:' && hostname !== 'localhost' && !isClinicAddress(withoutBrackets(hostname))

/** An IPv6 address without its brackets. */
const withoutBrackets = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1')

function connectTlsThroughTunnel(socket: Socket, hostname: string) {
  const host = withoutBrackets(hostname)
  // the certificate is compared with `host`; an address is sent as no server name
  return tlsConnect({ socket, host, ...(isIP(host) === 0 && { servername: host }) })
}

/** A connection that the proxy passes on as it is. */
function openProxyTunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${url.port || 443}`
  const { username, password } = proxy
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: withoutBrackets(proxy.hostname),
      port: proxy.port || 80,
      method: 'CONNECT',
      path: target,
      signal,
      agent: false,
      headers: {
        host: target,
        ...(username && {
          'proxy-authorization': basicCredentials(
            decodeURIComponent(username),
            decodeURIComponent(password),
          ),
        }),
      },
    })
    request.on('error', reject)
    // without a tunnel nothing was sent to the server
    request.on('response', () => {
      request.destroy()
      reject(new RequestFailure('unreachable', false))
    })
    request.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket as Socket)
      socket.destroy()
      return reject(new RequestFailure('unreachable', false))
    })
    request.end()
  })
}

const checkedLookup =
  (isSecure: boolean): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const allowed = found.filter(({ address }) => mayConnect(address, isSecure))
      const [first] = allowed
      if (!first) return callback(new RequestFailure('refused_address', false), '')
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
    })

export const basicCredentials = (username: string, password: string) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Null if the body is no JSON: proxies answer with pages. */
async function readJson(response: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > MAX_RESPONSE_BYTES) throw new RequestFailure('too_large')
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown
  } catch {
    return null
  }
}
