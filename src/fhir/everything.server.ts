import * as z from 'zod'
import { type Context, query } from '~/server/operation'
import { addAll } from '~/shared/any-length'
import { FhirError } from './outcome'
import type { Fhir, Resource, Site } from './resource'
import { RESOURCES } from './resources/all'
import { type FoundResource, resourceFrom, runSearch } from './pages.server'
import { parseFhirSearch } from './search'
import { hasFhirScope, mayShow } from './scope'
import { badValue } from './values'
import { isId } from '~/shared/id'

/**
 * `Patient/<id>/$everything` (https://hl7.org/fhir/R4/patient-operation-everything.html): the patient, then each
 * type that refers to the patient, a page at a time. The server keeps no state: `_after` names the type and its place.
 */
const PAGE = 200
const MOST = 1000

type Asked = {
  id: string
  count: number
  types?: readonly string[]
  since?: string
  after?: string
}

/** Reads the parameters; another one is refused. */
function asked(id: string, parameters: readonly (readonly [string, string])[]): Asked {
  const found: Asked = { id, count: PAGE }
  for (const [name, value] of parameters) {
    if (name === '_count') found.count = parsePageCount(value)
    else if (name === '_since') found.since = value
    else if (name === '_type') found.types = [...(found.types ?? []), ...parseTypes(value)]
    else if (name === '_after') found.after = value
    else if (name !== '_format' && name !== '_pretty')
      throw new FhirError(
        400,
        'not-supported',
        `$everything has no parameter "${name.slice(0, 100)}". It has: _count, _since, _type.`,
      )
  }
  return found
}

function parsePageCount(value: string): number {
  const count = /^\d{1,9}$/.test(value) ? Number(value) : 0
  if (count < 1) throw badValue(value, '_count is a number from 1 to 1000')
  return Math.min(count, MOST)
}

function parseTypes(value: string): string[] {
  const types = value.split(',')
  const unknown = types.find((type) => !COMPARTMENT.some((resource) => resource.type === type))
  if (unknown !== undefined)
    throw badValue(
      unknown,
      `_type names types of a patient: ${COMPARTMENT.map(({ type }) => type).join(', ')}`,
    )
  return types
}

/** The patient, and the types whose rows are about one. The trail of changes is no part of the record. */
const COMPARTMENT: readonly Resource[] = RESOURCES.filter(
  ({ type, patient, search }) =>
    type === 'Patient' || (patient !== null && 'patient' in search && !isTrail(type)),
)
function isTrail(type: string) {
  return type === 'AuditEvent' || type === 'Provenance'
}

export const fhirEverything = query('fhir.everything', {
  input: z.object({
    id: z.string(),
    parameters: z.array(z.tuple([z.string(), z.string()])),
  }),
  allow: ({ actor }) => mayShow(actor, patientType(), 's'),
  async run(ctx, { id, parameters }) {
    const found = await readEverythingPage(ctx, asked(id, parameters))
    return { ...found, patientId: id }
  },
  shows: ({ patientId }) => [patientId],
})

const patientType = () => COMPARTMENT.find(({ type }) => type === 'Patient')!

/** Throws 404 unless the actor sees the patient, and 410 for one who was deleted. */
export async function requireFhirPatient(ctx: Context, id: string): Promise<FoundResource> {
  const resource = patientType()
  const search = parseFhirSearch(resource, [['_id', id]], ctx)
  const [found] = isId(id) ? (await runSearch(ctx, search, { isKept: true })).found : []
  if (!found) throw new FhirError(404, 'not-found', 'There is no such patient.')
  return found
}

async function readEverythingPage(ctx: Context, { id, count, types, since, after }: Asked) {
  await requireFhirPatient(ctx, id)
  const wanted = COMPARTMENT.filter(
    (resource) =>
      (!types || types.includes(resource.type)) &&
      hasFhirScope(ctx.actor, resource.type, 's') &&
      resource.permits(ctx.actor),
  )
  let [, type = wanted[0]?.type, place] = /^([A-Za-z]+)\.(.*)$/.exec(after ?? '') ?? []
  if (after !== undefined && !wanted.some((resource) => resource.type === type))
    throw badValue(after, 'This is not a place in the record')
  const found: FoundResource[] = []
  for (const resource of wanted.slice(wanted.findIndex((each) => each.type === type))) {
    if (found.length >= count) return { found, next: `${resource.type}.` }
    const own = resource.type === 'Patient' ? '_id' : 'patient'
    const search = parseFhirSearch(
      resource,
      [
        [own, id],
        ['_count', String(count - found.length)],
        ...(since ? [['_lastUpdated', `ge${since}`] as const] : []),
        ...(place && resource.type === type ? [['_after', place] as const] : []),
      ],
      ctx,
    )
    const page = await runSearch(ctx, search)
    addAll(found, page.found)
    if (page.next !== undefined) return { found, next: `${resource.type}.${page.next}` }
    place = undefined
  }
  return { found, next: undefined }
}

/** The page as a Bundle, with the address of the next one. */
export function everythingBundle(
  { found, next }: { found: readonly FoundResource[]; next?: string | undefined },
  id: string,
  parameters: readonly (readonly [string, string])[],
  site: Site,
): Fhir {
  const link = (all: readonly (readonly [string, string])[]) => {
    const queryText = new URLSearchParams(all.map(([name, value]) => [name, value])).toString()
    return `${site.base}/Patient/${id}/$everything${queryText && `?${queryText}`}`
  }
  const others = parameters.filter(([name]) => name !== '_after')
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    link: [
      { relation: 'self', url: link(parameters) },
      ...(next === undefined
        ? []
        : [{ relation: 'next', url: link([...others, ['_after', next]]) }]),
    ],
    ...(found.length > 0 && {
      entry: found.map((each) => ({
        fullUrl: `${site.base}/${each.resource.type}/${each.row.fhir_id}`,
        resource: resourceFrom(each, site),
        search: { mode: 'match' },
      })),
    }),
  }
}
