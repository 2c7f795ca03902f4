import { lookup } from 'node:dns'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { isRefused, mayConnect } from './network.server'

/** The configured server, with its password or token in plain text. */
export type Dhis2Server = { address: string; username: string | null; secret: string }

/** Why there is no answer that can be read: a key of `sendings.error_*`. */
type Failure = 'unreachable' | 'timeout' | 'refused_address' | 'too_large'

export class Dhis2Failure extends Error {
  constructor(readonly failure: Failure) {
    super(failure)
    this.name = 'Dhis2Failure'
  }
}

type Asked = {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** of the body */
  type?: string
  signal?: AbortSignal
}
type Answer = { status: number; body: unknown }

/** Until the last byte of the answer. */
const PATIENCE_MS = 60_000
/** A data set with its category combinations has at most some megabytes. */
const LARGEST_ANSWER = 16 * 1024 * 1024

/**
 * Asks the configured server. Redirects are not followed, and the address that the name resolves to is checked before
 * the connection is made: credentials reach only the configured server. Throws `Dhis2Failure` without an answer.
 */
export async function askDhis2(
  server: Dhis2Server,
  { method, path, body, type = 'application/json', signal }: Asked,
  patience = PATIENCE_MS,
): Promise<Answer> {
  const url = new URL(`${server.address.replace(/\/+$/, '')}${path}`)
  const isSecure = url.protocol === 'https:'
  // the lookup is skipped for an address in figures
  if (isRefused(url)) throw new Dhis2Failure('refused_address')
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
            authorization: credentials(server),
            ...(body !== undefined && {
              'content-type': type,
              'content-length': Buffer.byteLength(body),
            }),
          },
        },
        resolve,
      )
      request.on('error', reject)
      request.end(body)
    })
    return { status: response.statusCode ?? 0, body: await readJson(response) }
  } catch (error) {
    if (error instanceof Dhis2Failure) throw error
    if (signal?.aborted) throw signal.reason
    throw new Dhis2Failure(patient.aborted ? 'timeout' : 'unreachable')
  }
}

const checkedLookup =
  (isSecure: boolean): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '')
      const allowed = found.filter(({ address }) => mayConnect(address, isSecure))
      const [first] = allowed
      if (!first) return callback(new Dhis2Failure('refused_address'), '')
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family)
    })

/** https://docs.dhis2.org, Web API, "Authentication": basic, or a personal access token. */
const credentials = ({ username, secret }: Dhis2Server) =>
  username === null
    ? `ApiToken ${secret}`
    : `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`

/** Null if the body is no JSON: proxies answer with pages. */
async function readJson(response: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length
    if (size > LARGEST_ANSWER) throw new Dhis2Failure('too_large')
    pieces.push(piece)
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown
  } catch {
    return null
  }
}
