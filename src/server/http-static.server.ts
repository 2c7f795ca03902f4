import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'

/** Content types, and whether a text that compresses. */
const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
}

type File = { path: string; etag: string; type: string; cache: string; brotli: boolean }

/**
 * Serves the files that are in `directory` now: a path is looked up and never put together, so no request leaves the
 * directory. Undefined for anything else. A build puts a brotli copy (`.br`) beside what gets smaller by it.
 */
export function staticFiles(
  directory: string,
): (request: Request) => Promise<Response> | undefined {
  const files = list(directory)
  return (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const file = files.get(new URL(request.url).pathname)
    return file && respond(request, file)
  }
}

/**
 * As `staticFiles`, for the build of before: only files whose names hold a hash of the content. A later build can
 * remove the directory.
 */
export function formerAssets(directory: string): ReturnType<typeof staticFiles> {
  const serve = staticFiles(directory)
  return (request) =>
    isAsset(new URL(request.url).pathname)
      ? serve(request)?.catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error
          return new Response(null, { status: 404 })
        })
      : undefined
}

/** The bundler puts a hash of the content into these names. */
const isAsset = (path: string) => path.startsWith('/assets/')

async function respond(request: Request, file: File) {
  const brotli = file.brotli && accepts(request, 'br')
  const etag = brotli ? file.etag.replace(/"$/, '-br"') : file.etag
  const headers = new Headers({
    'cache-control': file.cache,
    'content-type': file.type,
    etag,
    'x-content-type-options': 'nosniff',
  })
  if (file.brotli) headers.set('vary', 'accept-encoding')
  if (request.headers.get('if-none-match')?.includes(etag))
    return new Response(null, { status: 304, headers })
  if (brotli) headers.set('content-encoding', 'br')
  const body = await readFile(brotli ? `${file.path}.br` : file.path)
  headers.set('content-length', String(body.byteLength))
  return new Response(body, { headers })
}

export const accepts = (request: Request, encoding: string) =>
  (request.headers.get('accept-encoding') ?? '')
    .split(',')
    .some((part) => new RegExp(`^\\s*${encoding}\\s*(;(?!\\s*q=0(\\.0*)?\\s*$)|$)`).test(part))

function list(directory: string): Map<string, File> {
  const paths = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const all = new Set(paths)
  return new Map(
    paths
      .filter((path) => !(path.endsWith('.br') && all.has(path.slice(0, -3))))
      .map((path) => {
        const { size, mtimeMs } = statSync(path)
        const url = `/${relative(directory, path).split(sep).map(encodeURIComponent).join('/')}`
        return [
          url,
          {
            path,
            etag: `"${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}"`,
            type: types[extname(path)] ?? 'application/octet-stream',
            cache: isAsset(url) ? 'public, max-age=31536000, immutable' : 'public, no-cache',
            brotli: all.has(`${path}.br`),
          },
        ]
      }),
  )
}
