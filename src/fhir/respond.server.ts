import { errorCode } from '~/db/error-code'
import { isTooDeep } from '~/db/stored-json'
import { isTooLarge } from '~/server/body'
import { explainDiskFailure } from '~/server/disk.server'
import { clientInfo } from '~/server/http-client.server'
import { log } from '~/server/log'
import type { OpenContext } from '~/server/operation'
import { requestContext } from '~/server/serve.server'
import { AppError } from '~/shared/errors'
import type { FhirResponse, Answering, FhirRequest } from './asked'
import { capabilityStatement } from './capability'
import { everythingBundle, fhirEverything } from './everything.server'
import { exportAnswer } from './export-http.server'
import { FhirError, outcome } from './outcome'
import { fhirRead, fhirSearch } from './reads.server'
import { explained } from './refusals'
import type { Fhir, Resource, Site } from './resource'
import { RESOURCES, findFhirResource } from './resources/all'
import {
  type FoundResource,
  type SearchPage,
  pickElements,
  resourceFrom,
  rowVersionId,
} from './pages.server'
import { hasFhirScope } from './scope'
import { parseFhirSearch, type FhirSearch } from './search'
import { smartConfiguration } from './smart'
import { fhirSummary } from './summary.server'
import { readPublicOrigin } from './token-respond.server'
import {
  create,
  parseBatchEntries,
  remove,
  signedInContext,
  update,
  type WrittenResource,
} from './writes.server'

/**
 * FHIR R4 over HTTP (https://hl7.org/fhir/R4/http.html): every answer is a resource, every refusal an
 * OperationOutcome.
 */
const ROOT = '/api/fhir'
const FHIR_JSON = 'application/fhir+json; charset=utf-8'

/** Answers a request to `/api/fhir`. Never throws but for a body that the server refuses to read. */
export async function respondFhir(request: Request): Promise<Response> {
  try {
    const asked = await parseFhirRequest(request)
    const ctx = await requestContext(request, 'fhir')
    const site = await readSite(request, ctx)
    const answering = { ctx, site }
    const answered = await exportAnswer(asked, answering)
    return toResponse(answered ?? (await answer(asked, answering)), request)
  } catch (error) {
    if (isTooLarge(error)) throw error
    return toResponse(explainFhirFailure(error, clientInfo(request).requestId), request)
  }
}

const readSite = async (request: Request, ctx: OpenContext): Promise<Site> => ({
  base: (await readPublicOrigin(ctx, request)) + ROOT,
})

async function parseFhirRequest(request: Request): Promise<FhirRequest> {
  const { pathname, searchParams } = new URL(request.url)
  const { headers } = request
  const parameters = [...searchParams]
  refuseOtherFormats(headers, parameters)
  const path = decoded(pathname.slice(ROOT.length)).split('/').filter(Boolean)
  const asked = { method: request.method, path, parameters, headers }
  if (request.method === 'GET' || request.method === 'HEAD') return asked
  const body = await request.text()
  const type = headers.get('content-type') ?? ''
  if (path[1] === '_search' && request.method === 'POST') {
    if (body !== '' && !/^application\/x-www-form-urlencoded\b/i.test(type))
      throw new FhirError(415, 'not-supported', 'Send application/x-www-form-urlencoded.')
    return { ...asked, parameters: [...parameters, ...new URLSearchParams(body)] }
  }
  if (body === '') return asked
  if (!/^application\/(fhir\+json|json)\b/i.test(type))
    throw new FhirError(415, 'not-supported', 'Send application/fhir+json.')
  if (isTooDeep(body)) throw new FhirError(400, 'structure', 'The body has too many levels.')
  try {
    return { ...asked, body: JSON.parse(body) as unknown }
  } catch {
    throw new FhirError(400, 'invalid', 'The body is not JSON.')
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new FhirError(400, 'invalid', 'The address is not valid.')
  }
}

/** JSON only. */
function refuseOtherFormats(headers: Headers, parameters: readonly [string, string][]) {
  const accept = headers.get('accept') ?? '*/*'
  const format = parameters.find(([name]) => name === '_format')?.[1]
  const isJson =
    format === undefined ? /json|\*\/\*|application\/\*/i.test(accept) : /json/i.test(format)
  // browsers ask for pages first and for anything last
  if (!isJson)
    throw new FhirError(406, 'not-supported', 'Only JSON is offered: application/fhir+json.')
}

/** Answers one request, of HTTP or of a batch. Throws what `explainFhirFailure` makes an OperationOutcome of. */
export async function answer(asked: FhirRequest, answering: Answering): Promise<FhirResponse> {
  const { method, path } = asked
  const [first, second] = path
  const isRead = method === 'GET' || method === 'HEAD'
  if (first === undefined) {
    if (method === 'POST') return batch(asked, answering)
    throw new FhirError(404, 'not-found', 'Begin at /api/fhir/metadata.')
  }
  if (first === 'metadata' && path.length === 1) {
    if (!isRead) throw notAllowed(method, 'GET')
    return { status: 200, body: capabilityStatement(RESOURCES, answering.site.base) }
  }
  if (first === '.well-known' && second === 'smart-configuration' && path.length === 2) {
    if (!isRead) throw notAllowed(method, 'GET')
    const body = smartConfiguration(new URL(answering.site.base).origin) as unknown as Fhir // answered as one
    return { status: 200, body, headers: { 'content-type': 'application/json' } }
  }
  const resource = findFhirResource(first)
  if (!resource)
    throw new FhirError(404, 'not-supported', `Sanad has no resource "${first.slice(0, 64)}".`)
  if (isRead && first === 'Patient' && path.length === 3 && path[2]!.startsWith('$'))
    return ofPatient(second!, path[2]!, asked, answering)
  if (path.length > 2) throw new FhirError(404, 'not-supported', 'There is no such address.')
  if (second === undefined) {
    if (isRead) return searched(resource, asked, answering)
    if (method !== 'POST') throw notAllowed(method, 'GET, HEAD, POST')
    return written(resource, await create(resource, asked, answering), asked, answering)
  }
  if (second === '_search') {
    if (method === 'POST') return searched(resource, asked, answering)
    throw notAllowed(method, 'POST')
  }
  if (isRead) return read(resource, second, asked, answering)
  if (method === 'PUT')
    return written(resource, await update(resource, second, asked, answering), asked, answering)
  if (method !== 'DELETE') throw notAllowed(method, 'GET, HEAD, PUT, DELETE')
  return (await remove(resource, second, asked, answering)) ? { status: 204 } : DELETED_LATER
}

const DELETED_LATER: FhirResponse = {
  status: 202,
  body: outcome([
    {
      severity: 'information',
      code: 'informational',
      diagnostics:
        'Nothing is deleted yet: a background job deletes this patient, with all records at once. ' +
        'Until then a read answers 200.',
    },
  ]),
}

/** The resource as it is now, or nothing with `Prefer: return=minimal`. */
async function written(
  resource: Resource,
  { id, isNew }: WrittenResource,
  { headers: asked }: FhirRequest,
  { ctx, site }: Answering,
): Promise<FhirResponse> {
  const location = isNew && { location: `${site.base}/${resource.type}/${id}` }
  // a program that may write and not read
  if (ctx.actor && !hasFhirScope(ctx.actor, resource.type, 'r'))
    return { status: isNew ? 201 : 200, headers: { ...location } }
  const found = await fhirRead(ctx, { type: resource.type, id })
  const headers = { ...versionHeaders(found), ...location }
  const isMinimal = /\breturn=minimal\b/.test(asked.get('prefer') ?? '')
  return {
    status: isNew ? 201 : 200,
    ...(!isMinimal && { body: resourceFrom(found, site) }),
    headers,
  }
}

async function batch({ body, headers }: FhirRequest, answering: Answering): Promise<FhirResponse> {
  const { request } = signedInContext(answering)
  const entry: object[] = []
  for (const each of parseBatchEntries(body, headers)) {
    const result = await ('error' in each
      ? Promise.resolve(explainFhirFailure(each.error, request.id))
      : answer(each.request, answering).catch((error: unknown) =>
          explainFhirFailure(error, request.id),
        ))
    entry.push(entryFrom(result))
  }
  return { status: 200, body: { resourceType: 'Bundle', type: 'batch-response', entry } }
}

function entryFrom({ status, body, headers = {} }: FhirResponse) {
  const isOutcome = body?.resourceType === 'OperationOutcome'
  const { etag, location } = headers
  return {
    ...(body && !isOutcome && { resource: body }),
    response: {
      status: String(status),
      ...(location && { location }),
      ...(etag && { etag }),
      ...(isOutcome && { outcome: body }),
    },
  }
}

/** The operations on one patient. */
async function ofPatient(id: string, name: string, asked: FhirRequest, { ctx, site }: Answering) {
  if (name === '$everything') {
    const page = await fhirEverything(ctx, { id, parameters: asked.parameters })
    return { status: 200, body: everythingBundle(page, id, asked.parameters, site) }
  }
  if (name === '$summary')
    return { status: 200, body: (await fhirSummary(ctx, { id, base: site.base })).document }
  throw new FhirError(404, 'not-supported', `Sanad has no operation "${name.slice(0, 64)}".`)
}

const notAllowed = (method: string, allow: string) =>
  new FhirError(405, 'not-supported', `${method} is not offered here.`, [], { allow })

async function read(resource: Resource, id: string, asked: FhirRequest, { ctx, site }: Answering) {
  for (const [name] of asked.parameters)
    if (!['_format', '_pretty', '_summary', '_elements'].includes(name))
      throw new FhirError(400, 'not-supported', `A read has no parameter "${name.slice(0, 100)}".`)
  const found = await fhirRead(ctx, { type: resource.type, id })
  const headers = versionHeaders(found)
  if (
    asked.headers
      .get('if-none-match')
      ?.split(/\s*,\s*/)
      .includes(headers.etag)
  )
    return { status: 304, headers }
  const { summary, elements } = parseFhirSearch(
    resource,
    asked.parameters,
    signedInContext({ ctx, site }),
  )
  if (summary === 'count') throw new FhirError(400, 'value', 'A read has no _summary=count.')
  return {
    status: 200,
    body: pickElements(resourceFrom(found, site), { summary, elements }, resource),
    headers,
  }
}

const versionHeaders = ({ row }: FoundResource) => ({
  etag: `W/"${rowVersionId(row)}"`,
  'last-modified': row.fhir_modified.toUTCString(),
})

async function searched(resource: Resource, asked: FhirRequest, { ctx, site }: Answering) {
  const isLenient = /\bhandling=lenient\b/.test(asked.headers.get('prefer') ?? '')
  const { search, page } = await fhirSearch(ctx, {
    type: resource.type,
    parameters: asked.parameters,
    isLenient,
  })
  return { status: 200, body: searchsetBundle(search, page, site) }
}

/** A page of a search as a Bundle. `next` carries its place: the server keeps no state. */
function searchsetBundle(search: FhirSearch, page: SearchPage, site: Site): Fhir {
  const { resource, used } = search
  const link = (parameters: readonly (readonly string[])[]) =>
    [
      `${site.base}/${resource.type}`,
      new URLSearchParams(parameters as [string, string][]).toString(),
    ]
      .filter(Boolean)
      .join('?')
  const next =
    page.next === undefined
      ? []
      : [...used.filter(([name]) => name !== '_after'), ['_after', page.next] as const]
  const entry = ({ resource: of, row }: FoundResource, mode: string) => ({
    fullUrl: `${site.base}/${of.type}/${row.fhir_id}`,
    resource: pickElements(resourceFrom({ resource: of, row }, site), search, of),
    search: { mode },
  })
  const entries = [
    ...page.found.map((found) => entry(found, 'match')),
    ...page.included.map((found) => entry(found, 'include')),
    ...(page.warnings.length > 0
      ? [{ resource: outcome(page.warnings), search: { mode: 'outcome' } }]
      : []),
  ]
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    ...(page.total !== undefined && { total: page.total }),
    link: [
      { relation: 'self', url: link(used) },
      ...(next.length > 0 ? [{ relation: 'next', url: link(next) }] : []),
    ],
    ...(entries.length > 0 && { entry: entries }),
  }
}

/** What went wrong, as an OperationOutcome. A bug goes to the log, and only its request id to the client. */
export function explainFhirFailure(thrown: unknown, requestId: string): FhirResponse {
  const error = explainDiskFailure(thrown) ?? thrown
  const other = isUnreadable(error) ? UNREADABLE : error
  const known = error instanceof AppError ? explained(error) : other
  if (known instanceof FhirError)
    return { status: known.status, body: outcome(known.issues), headers: { ...known.headers } }
  log.error({ err: error, requestId }, 'unexpected error')
  const diagnostics = `Something went wrong. The log has the details under ${requestId}.`
  return { status: 500, body: outcome([{ severity: 'error', code: 'exception', diagnostics }]) }
}

/** A value that the database cannot read: out of range, or with characters that it does not store. */
const isUnreadable = (error: unknown) => error instanceof Error && errorCode(error).startsWith('22')
const UNREADABLE = new FhirError(400, 'value', 'A value is out of range, or not readable.')

function toResponse(
  { status, body, stream, headers = {} }: FhirResponse,
  request: Request,
): Response {
  const text = body !== undefined && request.method !== 'HEAD' ? JSON.stringify(body) : null
  return new Response(stream ?? text, {
    status,
    headers: {
      'cache-control': 'no-store',
      ...(body !== undefined && { 'content-type': FHIR_JSON }),
      ...headers,
    },
  })
}
