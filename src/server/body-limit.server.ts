import { perProcess } from '~/db/per-process'
import { limited } from './limited'

/** Enough for every form that is sent before signing in. */
const SMALL = 64 * 1024
/** A body of more than that is parsed while at most one other is. */
const LARGE = 1024 * 1024

/** The ways in that take pushes, photos, import parts and files. */
const takesLarge = (pathname: string) =>
  pathname === '/api/v2/sync' ||
  pathname === '/rpc/command' ||
  pathname.startsWith('/_serverFn/') ||
  pathname.startsWith('/api/trpc/')

type Respond = (request: Request) => Promise<Response>

/**
 * Limits bodies to 64 kB before anybody reads them. Larger ones are read only on the ways in that
 * take them, and only after `isSignedIn` has checked the credentials in the headers, or answered
 * itself. What `listen` allows at most (25 MB) still holds.
 */
export async function withLimitedBody(
  request: Request,
  isSignedIn: (request: Request) => Promise<boolean | Response>,
  respond: Respond,
): Promise<Response> {
  if (request.method === 'GET' || request.method === 'HEAD') return respond(request)
  const declared = lengthOf(request.headers)
  if (declared !== null && declared <= SMALL) return respond(request)
  const mayBeLarge = takesLarge(new URL(request.url).pathname) && (await isSignedIn(request))
  if (mayBeLarge instanceof Response) return mayBeLarge
  if (!mayBeLarge) {
    // the length of a chunked body shows only while it is read
    const bytes = declared === null ? await read(request, SMALL) : null
    return bytes ? respond(withBody(request, bytes)) : tooLarge()
  }
  // a slow line holds no turn: the body is here before it is parsed
  const bytes = await read(request, Infinity)
  if (!bytes) return tooLarge()
  const answer = () => respond(withBody(request, bytes))
  return bytes.length > LARGE ? perProcess('large bodies', () => limited(2)).run(answer) : answer()
}

/** Null where the sender does not say. */
function lengthOf(headers: Headers): number | null {
  const length = headers.get('content-length')
  return length === null || headers.has('transfer-encoding') ? null : Number(length)
}

const tooLarge = () => new Response('Content Too Large', { status: 413 })

/**
 * Null where there is more than `most`: the rest is discarded, as a client that still sends would
 * not see the answer.
 */
async function read({ body }: Request, most: number): Promise<Buffer<ArrayBuffer> | null> {
  if (!body) return Buffer.alloc(0)
  let parts: Uint8Array[] = []
  let length = 0
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    length += part.length
    if (length > most) parts = []
    else parts.push(part)
  }
  return length > most ? null : Buffer.concat(parts)
}

const withBody = ({ url, method, headers, signal }: Request, body: Buffer<ArrayBuffer>) =>
  new Request(url, { method, headers, signal, body })
