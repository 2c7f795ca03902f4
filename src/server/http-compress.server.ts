import { Readable, pipeline } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { promisify } from 'node:util'
import {
  brotliCompress,
  type BrotliOptions,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib'
import { FastResponse } from 'srvx'
import { accepts } from './http-static.server'

const worthwhile =
  /^(text\/(?!event-stream)|application\/(json|javascript|manifest\+json|fhir\+json|xml|xhtml\+xml)|image\/svg\+xml)/
const smallest = 1024

/**
 * The response, compressed if the client accepts it and it is a text of some length. A body that is there as a whole is
 * compressed at once, beside the process's own work. What streams keeps streaming: each piece is passed on as soon as
 * it comes. Event streams are left alone.
 */
export async function compressed(request: Request, response: Response): Promise<Response> {
  const { headers, body } = response
  const length = headers.get('content-length')
  if (
    !body ||
    request.method === 'HEAD' ||
    headers.has('content-encoding') ||
    headers.get('cache-control')?.includes('no-transform') ||
    !worthwhile.test(headers.get('content-type') ?? '') ||
    (length !== null && Number(length) < smallest)
  ) {
    return response
  }
  const encoding = (['br', 'gzip'] as const).find((each) => accepts(request, each))
  const changed = new Headers(headers)
  changed.append('vary', 'accept-encoding')
  const { status, statusText } = response
  const answer = (content: BodyInit) =>
    new FastResponse(content, { status, statusText, headers: changed })
  if (!encoding) return answer(body)

  const begun = await readBeginning(body)
  if (begun.whole && begun.whole.byteLength < smallest) return answer(begun.whole)
  changed.set('content-encoding', encoding)
  changed.delete('content-length')
  const etag = changed.get('etag')
  if (etag && !etag.startsWith('W/')) changed.set('etag', `W/${etag}`)
  if (begun.whole) {
    const zip =
      encoding === 'br' ? inBrotli(begun.whole, sized(begun.whole)) : inGzip(begun.whole, { level })
    return answer(await zip)
  }
  const zip = encoding === 'br' ? brotli() : createGzip({ level, flush: constants.Z_SYNC_FLUSH })
  // errors on either side end the other; who reads the result sees them
  pipeline(Readable.fromWeb(begun.stream as WebStream), zip, () => {})
  return answer(Readable.toWeb(zip) as ReadableStream)
}

type Piece = Uint8Array<ArrayBuffer>
type Beginning = { whole: Piece } | { whole?: undefined; stream: ReadableStream<Piece> }

/** The whole body if one piece is all of it, as of every answer that is made from a text; else all pieces again. */
async function readBeginning(body: ReadableStream<Piece>): Promise<Beginning> {
  const reader = body.getReader()
  const first = await reader.read()
  if (first.done) return { whole: new Uint8Array() }
  const next = reader.read()
  const known = await Promise.race([next, new Promise<null>((turn) => setImmediate(turn, null))])
  if (known?.done) return { whole: first.value }
  let waiting: typeof next | undefined = next
  return {
    stream: new ReadableStream<Piece>({
      start: (controller) => controller.enqueue(first.value),
      async pull(controller) {
        const piece = await (waiting ?? reader.read())
        waiting = undefined
        if (piece.done) controller.close()
        else controller.enqueue(piece.value)
      },
      cancel: (reason) => reader.cancel(reason),
    }),
  }
}

const level = 5
const quality = {
  [constants.BROTLI_PARAM_QUALITY]: 4,
  [constants.BROTLI_PARAM_LGWIN]: 19,
}

type Compress<Options> = (whole: Piece, options: Options) => Promise<Piece>
const inGzip = promisify(gzip) as Compress<ZlibOptions>
const inBrotli = promisify(brotliCompress) as Compress<BrotliOptions>
const sized = ({ byteLength }: Piece) => ({
  params: { ...quality, [constants.BROTLI_PARAM_SIZE_HINT]: byteLength },
})

const brotli = () =>
  createBrotliCompress({ flush: constants.BROTLI_OPERATION_FLUSH, params: quality })
