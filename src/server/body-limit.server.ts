import { AppError } from '~/shared/errors'
import { env } from './env'
import { clientInfo } from './http-client.server'
import { limited, queue } from './limited'
import { inFile, type SpooledBody, withSpooledBody } from './spooled-bodies.server'

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
  pathname.startsWith('/api/trpc/') ||
  pathname.startsWith('/api/fhir')

/**
 * Where a phone sends what it has recorded, in a push or a forced upload: such a body may be larger than others, and
 * its size is recorded if it is refused.
 */
export function isUpload({ method, url }: Request): boolean {
  if (method !== 'POST') return false
  const { pathname } = new URL(url)
  return pathname === '/api/v2/sync' || pathname === '/rpc/command'
}

/** Bytes of a sealed body: as much as the main port reads, in base64url, and the names around it. */
export const sealedLimit = (bytes = env().bodyLimit) => Math.ceil((bytes * 4) / 3) + 4096

type Respond = (request: Request) => Promise<Response>
/** The user whose credentials the request carries, and which app password they are; null without valid ones. */
type Sender = { userId: string; appPasswordId?: string | null }
type Identify = (request: Request) => Promise<Sender | null | Response>

/** Stores that a phone's push was refused because of its size. */
type RecordRefused = (request: Request, sender: Sender, bytes: number) => Promise<void>

/**
 * Limits bodies to 64 kB before any code reads them. Larger ones are read only on the ways in that
 * take them, and only after `identify` has checked the credentials in the headers, or answered
 * itself. Beyond SANAD_BODY_LIMIT_MB only an upload of a phone is read, into a file.
 */
export async function withLimitedBody(
  request: Request,
  identify: Identify,
  respond: Respond,
  recordRefused: RecordRefused,
  patience = { small: SMALL_PATIENCE, large: LARGE_PATIENCE },
): Promise<Response> {
  if (request.method === 'GET' || request.method === 'HEAD') return respond(request)
  const declared = contentLength(request.headers)
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
  const parsing = queue('large bodies', () => limited(2))
  const { bodyLimit, pushLimit } = env()
  const readFor = <R>(work: () => Promise<R>) => reading.run(work, { place: user.userId })
  if (declared !== null && declared > bodyLimit) {
    if (isUpload(request) && declared <= pushLimit)
      return refusingFull(() =>
        withSpooledBody(request, user.userId, declared, readFor, (named) =>
          parsing.run(() => respond(named)),
        ),
      )
    if (isUpload(request)) await recordRefused(request, user, declared)
    return refused(413, 'Content Too Large')
  }
  // the body is complete before it is parsed, so a slow line holds no turn of the parser
  const body = await readFor(() => read(request, bodyLimit, patience.large))
  const parse = () => answered(body, request, respond)
  return typeof body !== 'string' && body.length > LARGE ? parsing.run(parse) : parse()
}

/** The client still sends: its connection ends. */
const refused = (status: number, text: string) =>
  new Response(text, { status, headers: { connection: 'close' } })

/** Answers 429 if there is no space on disk. */
async function refusingFull(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'too_many_requests') throw error
    const seconds = String(error.retryAfter ?? RETRY_AFTER)
    return new Response('Too Many Requests', {
      status: 429,
      headers: { connection: 'close', 'retry-after': seconds },
    })
  }
}
/** Seconds. */
const RETRY_AFTER = 30

type Body = Buffer<ArrayBuffer> | 'too large' | 'too slow'

async function answered(body: Body, request: Request, respond: Respond): Promise<Response> {
  return typeof body === 'string' ? bodyRefusal(body) : respond(withBody(request, body))
}

const bodyRefusal = (problem: 'too large' | 'too slow') =>
  problem === 'too large'
    ? new Response('Content Too Large', { status: 413 })
    : new Response('Request Timeout', { status: 408 })

/** Null where the sender does not say. */
function contentLength(headers: Headers): number | null {
  const length = headers.get('content-length')
  return length === null || headers.has('transfer-encoding') ? null : Number(length)
}

async function read(request: Request, most: number, patience: number): Promise<Body> {
  const body = await bodyReader(request).upTo(most, patience)
  return body === 'more' ? 'too large' : body
}

/**
 * A body that is read in steps. What is longer stays unread: `listen` closes the connection after the
 * answer. A body that is not complete after `patience` milliseconds of a step is given up.
 */
function bodyReader({ body }: Request) {
  const reader = (body as ReadableStream<Uint8Array> | null)?.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  return {
    /** The whole body, or `more` if it is longer than `most`: a further call reads on. */
    async upTo(most: number, patience: number): Promise<Buffer<ArrayBuffer> | 'more' | 'too slow'> {
      const late = Promise.withResolvers<'too slow'>()
      const timer = setTimeout(() => late.resolve('too slow'), patience)
      try {
        for (;;) {
          const part = reader && (await Promise.race([reader.read(), late.promise]))
          if (part === 'too slow') return part
          if (!part || part.done) return Buffer.concat(parts)
          parts.push(part.value)
          length += part.value.length
          if (length > most) return 'more'
        }
      } finally {
        clearTimeout(timer)
      }
    },
    begun: () => Buffer.concat(parts),
    /** What was read, then the rest. */
    async *whole(): AsyncGenerator<Uint8Array> {
      yield* parts
      for (;;) {
        const part = await reader?.read()
        if (!part || part.done) return
        yield part.value
      }
    },
  }
}

/** Longer sealed bodies that are read at the same time: of all addresses, and of one. */
const SEALED_AT_ONCE = 8
const SEALED_PER_ADDRESS = 2
/** The same for those that are kept on disk. */
const SEALED_FILES_AT_ONCE = 2
const SEALED_FILES_PER_ADDRESS = 1

/**
 * For the hub, where the credentials are inside of what is sealed: a body of more than 64 kB is read only if it begins
 * with the name of a sender that is known. Anyone on the network can say such a name, so few are read at a time. An
 * upload beyond SANAD_BODY_LIMIT_MB is read into a file.
 */
export async function withSealedBody(
  request: Request,
  { nameIn, isKnown, recordRefused }: SealedSender,
  respond: (body: Buffer) => Promise<Response>,
  respondToFile: (body: SpooledBody) => Promise<Response>,
): Promise<Response> {
  const reading = bodyReader(request)
  const most = sealedLimit()
  let body: Body | 'more' = await reading.upTo(SMALL, SMALL_PATIENCE)
  if (body === 'more') {
    const name = nameIn(reading.begun())
    const declared = contentLength(request.headers) ?? 0
    const sealed = queue('sealed bodies', () =>
      limited(SEALED_AT_ONCE, Infinity, SEALED_PER_ADDRESS),
    )
    const place = clientInfo(request).address
    if (name !== null && (await isKnown(name))) {
      const isLargeUpload = isUpload(request) && declared > most
      if (isLargeUpload && declared <= sealedLimit(env().pushLimit))
        return refusingFull(() => sealedInFile(reading, place, declared, respondToFile))
      if (declared <= most)
        body = await sealed.run(() => reading.upTo(most, LARGE_PATIENCE), { place })
      if (body === 'more' && isUpload(request))
        await recordRefused(name, Math.max(declared, reading.begun().length))
    }
  }
  if (typeof body === 'string') return bodyRefusal(body === 'more' ? 'too large' : body)
  const whole = body
  const handle = () => respond(whole)
  return whole.length > LARGE ? queue('large bodies', () => limited(2)).run(handle) : handle()
}

function sealedInFile(
  { whole }: ReturnType<typeof bodyReader>,
  place: string,
  declared: number,
  respond: (body: SpooledBody) => Promise<Response>,
): Promise<Response> {
  const reading = queue('sealed files', () =>
    limited(SEALED_FILES_AT_ONCE, Infinity, SEALED_FILES_PER_ADDRESS),
  )
  const parsing = queue('large bodies', () => limited(2))
  // what waits for its turn takes no space from others
  return reading.run(
    () =>
      inFile(
        whole(),
        place,
        declared,
        (readNext) => readNext(),
        (body) => parsing.run(() => respond(body)),
      ),
    { place },
  )
}

type SealedSender = {
  /** What the sender calls itself, from the first bytes of a body. */
  nameIn: (start: Buffer) => string | null
  isKnown: (name: string) => Promise<boolean>
  /** Stores that an upload was refused because of its size. */
  recordRefused: (name: string, bytes: number) => Promise<void>
}

const withBody = ({ url, method, headers, signal }: Request, body: Buffer<ArrayBuffer>) =>
  new Request(url, { method, headers, signal, body })
