import { lookup } from 'node:dns'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isRefused, mayConnect } from './network.server'

/** Why there is no answer that can be read. */
type Failure = 'unreachable' | 'timeout' | 'refused_address' | 'too_large'

export class RequestFailure extends Error {
  constructor(
    readonly failure: Failure,
    /** A connection was made: the request may have arrived. */
    readonly isConnected = true,
  ) {
    super(failure)
    this.name = 'RequestFailure'
  }
}

export type Outgoing = {
  method: 'GET' | 'POST'
  url: URL
  headers: Readonly<Record<string, string>>
  body?: string
  /** of the body */
  type?: string
  signal?: AbortSignal
}
type Answer = { status: number; body: unknown }

/** Until the last byte of the answer. */
const PATIENCE_MS = 60_000
/** A data set of DHIS2 with its category combinations has at most some megabytes. */
const LARGEST_ANSWER = 16 * 1024 * 1024

/**
 * Asks a server that a super administrator has configured. Redirects are not followed, and the address that the name
 * resolves to is checked before the connection is made: credentials reach only the configured server. Throws
 * `RequestFailure` without an answer.
 */
export async function askServer(
  { method, url, headers, body, type = 'application/json', signal }: Outgoing,
  patience = PATIENCE_MS,
): Promise<Answer> {
  const isSecure = url.protocol === 'https:'
  // the lookup is skipped for an address in figures
  if (isRefused(url)) throw new RequestFailure('refused_address', false)
  let isConnected = false
  const patient = AbortSignal.timeout(patience)
  const stop = signal ? AbortSignal.any([signal, patient]) : patient
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = (isSecure ? httpsRequest : httpRequest)(
        url,
        {
          method,
          lookup: checkedLookup(isSecure),
          signal: stop,
          agent: false,
          headers: {
            accept: 'application/json',
            ...headers,
            ...(body !== undefined && {
              'content-type': type,
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
    throw new RequestFailure(patient.aborted ? 'timeout' : 'unreachable', isConnected)
  }
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
    if (size > LARGEST_ANSWER) throw new RequestFailure('too_large')
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown
  } catch {
    return null
  }
}
