import { limited, queue } from './limited'

/** Enough for every form that is sent before signing in. */
const SMALL = 64 * 1024
/** A body of more than that is parsed while at most one other is. */
const LARGE = 1024 * 1024
/** Larger bodies that are read at the same time: of all users, and of one. */
const READ_AT_ONCE = 16
const READ_PER_USER = 4
/** Milliseconds for a small body, and for a large one. */
const SMALL_PATIENCE = 30_000
const LARGE_PATIENCE = 10 * 60_000

/** The ways in that take pushes, photos, import parts and files. */
const takesLarge = (pathname: string) =>
  pathname === '/api/v2/sync' ||
  pathname === '/rpc/command' ||
  pathname.startsWith('/_serverFn/') ||
  pathname.startsWith('/api/trpc/')

type Respond = (request: Request) => Promise<Response>
/** The user whose credentials the request carries; null without valid ones. */
type Identify = (request: Request) => Promise<{ userId: string } | null | Response>

/**
 * Limits bodies to 64 kB before any code reads them. Larger ones are read only on the ways in that
 * take them, and only after `identify` has checked the credentials in the headers, or answered
 * itself. What `listen` allows at most (25 MB) still holds.
 */
export async function withLimitedBody(
  request: Request,
  identify: Identify,
  respond: Respond,
  patience = { small: SMALL_PATIENCE, large: LARGE_PATIENCE },
): Promise<Response> {
  if (request.method === 'GET' || request.method === 'HEAD') return respond(request)
  const declared = lengthOf(request.headers)
  if (declared !== null && declared <= SMALL)
    return answered(await read(request, SMALL, patience.small), request, respond)
  const user = takesLarge(new URL(request.url).pathname) && (await identify(request))
  if (user instanceof Response) return user
  if (!user) {
    // the length of a chunked body shows only while it is read
    const body = declared === null ? await read(request, SMALL, patience.small) : 'too large'
    return answered(body, request, respond)
  }
  const reading = queue('bodies', () => limited(READ_AT_ONCE, Infinity, READ_PER_USER))
  // the body is complete before it is parsed, so a slow line holds no turn of the parser
  const body = await reading.run(() => read(request, Infinity, patience.large), {
    place: user.userId,
  })
  const parse = () => answered(body, request, respond)
  return typeof body !== 'string' && body.length > LARGE
    ? queue('large bodies', () => limited(2)).run(parse)
    : parse()
}

type Body = Buffer<ArrayBuffer> | 'too large' | 'too slow'

async function answered(body: Body, request: Request, respond: Respond): Promise<Response> {
  if (body === 'too large') return new Response('Content Too Large', { status: 413 })
  if (body === 'too slow') return new Response('Request Timeout', { status: 408 })
  return respond(withBody(request, body))
}

/** Null where the sender does not say. */
function lengthOf(headers: Headers): number | null {
  const length = headers.get('content-length')
  return length === null || headers.has('transfer-encoding') ? null : Number(length)
}

/**
 * Reads at most `most` bytes and leaves the rest unread: `listen` closes the connection after the
 * answer. A body that is not complete after `patience` milliseconds is given up.
 */
async function read({ body }: Request, most: number, patience: number): Promise<Body> {
  if (!body) return Buffer.alloc(0)
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const late = Promise.withResolvers<'too slow'>()
  const timer = setTimeout(() => late.resolve('too slow'), patience)
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for (;;) {
      const part = await Promise.race([reader.read(), late.promise])
      if (part === 'too slow') return part
      if (part.done) return Buffer.concat(parts)
      length += part.value.length
      if (length > most) return 'too large'
      parts.push(part.value)
    }
  } finally {
    clearTimeout(timer)
  }
}

const withBody = ({ url, method, headers, signal }: Request, body: Buffer<ArrayBuffer>) =>
  new Request(url, { method, headers, signal, body })
