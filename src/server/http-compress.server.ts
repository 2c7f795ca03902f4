import { Readable, pipeline } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { accepts } from './http-static.server'

const worthwhile =
  /^(text\/(?!event-stream)|application\/(json|javascript|manifest\+json|fhir\+json|xml|xhtml\+xml)|image\/svg\+xml)/
const smallest = 1024

/**
 * The response, compressed if the client accepts it and it is a text of some length. What streams keeps streaming: each
 * piece is passed on as soon as it comes. Event streams are left alone.
 */
export function compressed(request: Request, response: Response): Response {
  const { headers } = response
  const length = headers.get('content-length')
  if (
    !response.body ||
    request.method === 'HEAD' ||
    headers.has('content-encoding') ||
    headers.get('cache-control')?.includes('no-transform') ||
    !worthwhile.test(headers.get('content-type') ?? '') ||
    (length !== null && Number(length) < smallest)
  ) {
    return response
  }
  const encoding = accepts(request, 'br') ? 'br' : accepts(request, 'gzip') ? 'gzip' : undefined
  const changed = new Headers(headers)
  changed.append('vary', 'accept-encoding')
  if (!encoding)
    return new Response(response.body, {
      status: response.status,
      statusText: response.statusText,
      headers: changed,
    })
  changed.set('content-encoding', encoding)
  changed.delete('content-length')
  const etag = changed.get('etag')
  if (etag && !etag.startsWith('W/')) changed.set('etag', `W/${etag}`)
  const zip = encoding === 'br' ? brotli() : createGzip({ level: 5, flush: constants.Z_SYNC_FLUSH })
  // errors on either side end the other; who reads the result sees them
  pipeline(Readable.fromWeb(response.body as WebStream), zip, () => {})
  const body = Readable.toWeb(zip) as ReadableStream
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: changed,
  })
}

const brotli = () =>
  createBrotliCompress({
    flush: constants.BROTLI_OPERATION_FLUSH,
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 19 },
  })
