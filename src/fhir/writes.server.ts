import { type Kysely, sql } from 'kysely'
import { asObject } from '~/shared/object'
import type { DB } from '~/db/types'
import { keepingRefusals, recordRead } from '~/server/access-log'
import { asSignedIn, type Context } from '~/server/operation'
import { alsoNaming, readQuestion } from '~/server/question'
import { runInTurn } from '~/server/turns'
import { AppError, notFound } from '~/shared/errors'
import type { Interaction } from '~/shared/fhir-scopes'
import { newId, isId } from '~/shared/id'
import { resourceElement } from './element'
import { FhirError } from './outcome'
import { findOne, type FoundResource, resourceFrom, runSearch, rowVersionId } from './pages.server'
import type { Answering, FhirRequest } from './asked'
import { isFound, patientsShown } from './reads.server'
import { explained } from './refusals'
import type { Resource, Writes } from './resource'
import { requireScope } from './scope'
import { parseFhirSearch } from './search'

/**
 * Writes: each calls the existing operation, with its rules and its permission (docs/exchange.md,
 * "Writes"). Nobody's work is overwritten unseen: an update needs the version that it replaces.
 */
type Writable = Writes<Record<string, unknown>>
export type WrittenResource = { id: string; isNew: boolean }

export const signedInContext = ({ ctx }: Answering): Context => asSignedIn(ctx)

/** POST: creates, unless `If-None-Exist` finds one. */
export async function create(
  resource: Resource,
  { body, headers }: FhirRequest,
  answering: Answering,
): Promise<WrittenResource> {
  const ctx = signedInContext(answering)
  const given = headers.get('if-none-exist')
  await requireScopes(ctx, 'create', resource, given === null ? ['c'] : ['c', 's'])
  const createNew = async () => ({
    id: await creating(resource, body, newId(), answering),
    isNew: true,
  })
  if (given === null) return createNew()
  return oneAfterTheOther(ctx.db, async () => {
    const existing = await alreadyThere(ctx, resource, given)
    return existing ? { id: existing.row.fhir_id, isNew: false } : createNew()
  })
}

/** Two conditional creates at the same moment, on one machine or on two, would both find nothing. */
const oneAfterTheOther = <R>(db: Kysely<DB>, work: () => Promise<R>): Promise<R> =>
  // in this process without a connection, so that waiting requests leave some to the one that works
  runInTurn('conditional creates', () =>
    db.isTransaction
      ? work()
      : db.transaction().execute(async (own) => {
          await sql`select set_config('idle_in_transaction_session_timeout', '0', true),
            pg_advisory_xact_lock(hashtext(${CONDITIONAL_CREATE}))`.execute(own)
          return work()
        }),
  )
/** The lock that a conditional create holds. */
export const CONDITIONAL_CREATE = 'sanad.fhir conditional create'

async function alreadyThere(ctx: Context, resource: Resource, query: string) {
  const parameters = [...new URLSearchParams(query.replace(/^.*\?/, ''))]
  if (parameters.length === 0)
    throw new FhirError(412, 'invalid', 'If-None-Exist needs a search parameter.')
  const search = parseFhirSearch(resource, parameters, ctx)
  const page = await runSearch(ctx, { ...search, count: 2 })
  // whether there is one is an answer, also if nothing is created
  await recordRead(ctx, {
    operation: 'fhir.search',
    clinicId: ctx.actor.clinicId,
    shown: patientsShown(search, page),
    question: alsoNaming(readQuestion(parameters), { numbers: search.numbers }),
    isFound: isFound(page),
  })
  const { found } = page
  if (found.length > 1)
    throw new FhirError(412, 'multiple-matches', 'If-None-Exist matches more than one.')
  return found[0]
}

async function creating(resource: Resource, body: unknown, id: string, answering: Answering) {
  const ctx = signedInContext(answering)
  const writes = requireWritable(resource)
  if (!writes.create) throw notOffered(resource, 'created')
  const input = readBody(resource, body, answering)
  await explaining(writes, () => writes.create!(ctx, input as never, id)) // of the resource's own `read`
  return writes.storedAs?.(input as never, id) ?? id // as above
}

/** PUT: replaces the version that the client read, or creates under a UUID that is unknown. */
export async function update(
  resource: Resource,
  id: string,
  { body, headers }: FhirRequest,
  answering: Answering,
): Promise<WrittenResource> {
  const ctx = signedInContext(answering)
  const writes = requireWritable(resource)
  await requireScopes(ctx, 'update', resource, ['u'], id)
  const named = asObject(body)
  if (named.id !== id)
    throw new FhirError(400, 'invalid', 'The id of the resource must be that of the address.', [
      `${resource.type}.id`,
    ])
  const row = await keepingRefusals(ctx, 'fhir.update', { id: id.slice(0, UUID) }, async () => {
    const found = await findOne(ctx, resource, id)
    if (found?.fhir_deleted)
      throw new FhirError(410, 'deleted', `${resource.type}/${id} was deleted.`)
    return found
  })
  const match = headers.get('if-match')
  if (!row) {
    if (!writes.update) throw notOffered(resource, 'changed')
    if (match !== null) throw stale('There is no such version.')
    await requireScopes(ctx, 'create', resource, ['c'])
    if (!isId(id))
      throw new FhirError(400, 'value', 'A new id must be a UUID.', [`${resource.type}.id`])
    return { id: await creating(resource, body, id.toLowerCase(), answering), isNew: true }
  }
  if (!writes.update) throw notOffered(resource, 'changed')
  await requireNewest(ctx, { resource, row }, match)
  const input = readBody(resource, body, answering, { resource, row })
  await explaining(writes, () => writes.update!(ctx, input as never, row)) // of the resource's own `read`
  return { id: row.fhir_id, isNew: false }
}

/** DELETE: into the trash, as on the screens. False if a background job does it later. */
export async function remove(
  resource: Resource,
  id: string,
  { headers }: FhirRequest,
  answering: Answering,
): Promise<boolean> {
  const ctx = signedInContext(answering)
  const writes = requireWritable(resource)
  if (!writes.delete) throw notOffered(resource, 'deleted')
  await requireScopes(ctx, 'delete', resource, ['d'], id)
  const row = await keepingRefusals(ctx, 'fhir.delete', { id: id.slice(0, UUID) }, async () => {
    const found = await findOne(ctx, resource, id)
    if (!found) throw notFound('errors.notFound')
    return found
  })
  if (row.fhir_deleted) return true
  const match = headers.get('if-match')
  if (match !== null) await requireNewest(ctx, { resource, row }, match)
  const { job } = await explaining(writes, () => writes.delete!(ctx, row))
  return job === null
}

/** Characters of a UUID: the id of a row, where one row is several resources. */
const UUID = 36

/** Throws `forbidden` for a program without these scopes. The refusal is in the access log. */
const requireScopes = (
  ctx: Context,
  write: 'create' | 'update' | 'delete',
  { type }: Resource,
  interactions: readonly Interaction[],
  id = '',
) =>
  keepingRefusals(ctx, `fhir.${write}`, { id: id.slice(0, UUID) }, async () => {
    for (const interaction of interactions) requireScope(ctx.actor, type, interaction)
  })

function requireWritable(resource: Resource): Writable {
  if (!resource.writes) throw notOffered(resource, 'written')
  return resource.writes
}

const notOffered = ({ type }: Resource, done: string) =>
  new FhirError(405, 'not-supported', `${type} cannot be ${done} by FHIR.`, [], {
    allow: 'GET, HEAD',
  })

function readBody(resource: Resource, body: unknown, answering: Answering, stored?: FoundResource) {
  if (body === undefined) throw new FhirError(400, 'required', 'Send a resource.')
  const element = resourceElement(body, resource.type)
  const { actor } = signedInContext(answering)
  const { site } = answering
  const input = requireWritable(resource).fromFhir(element, { actor, site, isNew: !stored })
  if (stored) element.ignoreEqual(asJson(resourceFrom(stored, site)))
  element.nothingLeft()
  return input
}

const asJson = (shown: object) => JSON.parse(JSON.stringify(shown)) as Record<string, unknown>

const stale = (why: string) =>
  new FhirError(412, 'conflict', `${why} Read it again, and send If-Match with its ETag.`)

/** The version of `If-Match`; without it, the newest change must be this client's own. */
async function requireNewest(ctx: Context, { resource, row }: FoundResource, match: string | null) {
  if (match !== null) {
    const versions = match.split(',').map((one) => /^\s*(?:W\/)?"(.*)"\s*$/.exec(one)?.[1])
    if (!versions.includes(rowVersionId(row))) throw stale('It was changed since you read it.')
    return
  }
  const { rows } = await sql<{ user_id: string | null; via: string }>`
    select user_id, via from audit_log
    where table_name = ${requireWritable(resource).table} and record_id = ${row['id'] ?? row.fhir_id}
    order by id desc limit 1`.execute(ctx.db)
  const [newest] = rows
  if (newest?.via !== 'fhir' || newest.user_id !== ctx.actor.userId)
    throw stale('Others may have changed it.')
}

/** Says of each field that the operation refuses which element it is. */
async function explaining<R>({ expressions }: Writable, work: () => Promise<R>): Promise<R> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { issues, status, headers, expressions: at } = explained(error, expressions)
    const isStale = error.text.key.startsWith('errors.stale')
    const [{ code, diagnostics }] = issues as [(typeof issues)[number]]
    throw new FhirError(isStale ? 412 : status, code, diagnostics, at, headers)
  }
}

type Entry = { request: FhirRequest } | { error: FhirError }
const MOST_ENTRIES = 100

/** The entries of a Bundle of type batch, each answered by itself. */
export function parseBatchEntries(body: unknown, headers: Headers): Entry[] {
  const { resourceType, type, entry } = asObject(body)
  if (resourceType !== 'Bundle')
    throw new FhirError(400, 'invalid', 'This address takes a Bundle.', ['resourceType'])
  if (type !== 'batch')
    throw new FhirError(422, 'not-supported', 'Only batches are offered, no transactions.', [
      'Bundle.type',
    ])
  const entries: unknown[] = entry === undefined ? [] : [entry].flat()
  if (entries.length > MOST_ENTRIES)
    throw new FhirError(413, 'too-long', `A batch has at most ${MOST_ENTRIES} entries.`, [
      'Bundle.entry',
    ])
  return entries.map((each, at) => parseBatchEntry(each, `Bundle.entry[${at}].request`, headers))
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']

function parseBatchEntry(entry: unknown, expression: string, outer: Headers): Entry {
  const { request, resource } = asObject(entry)
  const given = asObject(request)
  const { method, url } = given
  const refused = (why: string) => ({ error: new FhirError(400, 'invalid', why, [expression]) })
  if (typeof method !== 'string' || !METHODS.includes(method))
    return refused('This needs a method.')
  if (typeof url !== 'string') return refused('This needs a url.')
  const headers = new Headers()
  const prefer = outer.get('prefer')
  if (prefer !== null) headers.set('prefer', prefer)
  for (const [name, header] of Object.entries(CONDITIONS)) {
    const value = given[name]
    if (value === undefined) continue
    if (typeof value !== 'string' || !/^[\x20-\x7e]{1,2000}$/.test(value))
      return refused(`${name} is no header.`)
    headers.set(header, value)
  }
  const [path = '', query = ''] = url.replace(/^\/+/, '').split('?', 2)
  const parts = path.split('/').filter(Boolean)
  if (parts.length === 0) return refused('A batch holds no batches.')
  return {
    request: {
      method,
      path: parts,
      parameters: [...new URLSearchParams(query)],
      body: resource,
      headers,
    },
  }
}
const CONDITIONS = {
  ifNoneExist: 'if-none-exist',
  ifMatch: 'if-match',
  ifNoneMatch: 'if-none-match',
}
