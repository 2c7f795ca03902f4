import { cookieName, parseCookies } from './session.server'

/** Methods that Sanad knows. TRACE, which would echo credentials, is none of them. */
export const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** As deep as a body may be; the router parses values of the query string recursively. */
const DEEPEST = 64

/**
 * The answer to a request that no handler should see, or null: an address that is no URL, an unknown
 * method, a query string that nests too deep, or a call that a page of another site makes.
 */
export function badRequestRefusal(request: Request): Response | null {
  const url = URL.parse(request.url)
  if (!url) return refusal(400, 'The address or the Host header is not valid.')
  if (!METHODS.has(request.method)) return refusal(405, 'This method is not allowed.')
  if (nestsDeeper(url.search, DEEPEST)) return refusal(400, 'The query string is not valid.')
  return isOfAnotherSite(request, url) ? refusal(403, 'Not open to pages of other sites.') : null
}

const refusal = (status: number, error: string) =>
  Response.json({ error }, { status, headers: { 'cache-control': 'no-store' } })

function nestsDeeper(search: string, most: number): boolean {
  let depth = 0
  for (const [sign] of search.matchAll(/\[|%5b|\{|%7b|\]|%5d|\}|%7d/gi)) {
    depth += opening.has(sign.toLowerCase()) ? 1 : -1
    if (depth > most) return true
  }
  return false
}
const opening = new Set(['[', '%5b', '{', '%7b'])

/**
 * A link or a form of another site would carry the session's cookie to exports and other calls
 * (Fetch Metadata, https://www.w3.org/TR/fetch-metadata). Screens are not called, so links to them from elsewhere work;
 * health says nothing of anyone.
 */
function isOfAnotherSite({ headers }: Request, url: URL): boolean {
  const { pathname } = url
  if (!/^\/(api|rpc)\//.test(pathname) || pathname.startsWith('/api/health')) return false
  const from = headers.get('sec-fetch-site')
  if (from !== null) return from === 'cross-site' || from === 'same-site'
  return hasCookieOnly(headers) && !isFromOwnPage(headers, url)
}

/** Programs and phones prove themselves by a header, which no page of another site can send. */
const hasCookieOnly = (headers: Headers) => {
  const cookies = parseCookies(headers)
  return (
    !headers.has('authorization') && [true, false].some((https) => cookies.has(cookieName(https)))
  )
}

/**
 * Browsers send Fetch Metadata over https and to this machine only; else the page is in Origin or in Referer, which the
 * pages of Sanad send (`referrer-policy`). A request with neither may read, but begins no export: a page elsewhere can
 * leave both out.
 */
function isFromOwnPage(headers: Headers, { origin, pathname }: URL): boolean {
  const page = headers.get('origin') ?? headers.get('referer')
  if (page !== null) return URL.parse(page)?.origin === origin
  return !/(^|[/$]|%24)export\/*$/i.test(pathname)
}

const FHIR_JSON = 'application/fhir+json'

export const isOfFhir = (url: string) => URL.parse(url)?.pathname.startsWith('/api/fhir') === true

/**
 * A refusal of a FHIR request that no handler of it made (a body that is too large, an address that is not valid), as
 * FHIR has it: an OperationOutcome. Other answers as they are.
 */
export function asOutcome({ url }: Request, response: Response): Response {
  const isFhir = isOfFhir(url)
  const { status, headers } = response
  if (!isFhir || status < 400 || headers.get('content-type')?.startsWith(FHIR_JSON)) return response
  const kept = ['allow', 'connection', 'retry-after'].flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as [string, string]]
  })
  return outcomeWith(status, `The server answered ${status}.`, kept)
}

/** An OperationOutcome that says `diagnostics`. */
export function outcomeWith(status: number, diagnostics: string, headers: [string, string][] = []) {
  const code = CODES[status] ?? (status < 500 ? 'processing' : 'exception')
  const outcome = {
    resourceType: 'OperationOutcome',
    issue: [{ severity: 'error', code, diagnostics }],
  }
  return new Response(JSON.stringify(outcome), {
    status,
    headers: [
      ...headers,
      ['content-type', `${FHIR_JSON}; charset=utf-8`],
      ['cache-control', 'no-store'],
    ],
  })
}
/** http://hl7.org/fhir/R4/valueset-issue-type.html */
const CODES: Record<number, string> = {
  404: 'not-found',
  405: 'not-supported',
  408: 'timeout',
  413: 'too-long',
  429: 'throttled',
  503: 'transient',
}
