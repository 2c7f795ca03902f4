import { sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { Context } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import type { Issue } from './outcome'
import { andConditions, orConditions } from './parameters'
import { findFhirResource } from './resources/all'
import {
  resourceColumns,
  isDeletedSql,
  type Fhir,
  resourceIdSql,
  lastModifiedSql,
  resourceOrder,
  type Resource,
  type FhirRow,
  type Site,
  withId,
} from './resource'
import { type SearchCondition, MOST, type FhirSearch, seen, type Sort } from './search'
import { badValue } from './values'

/** Runs searches: pages, and the resources that a page includes. */
export type FoundResource = { resource: Resource; row: FhirRow & Record<string, unknown> }

const cursor = (values: readonly (string | null)[]) =>
  Buffer.from(JSON.stringify(values)).toString('base64url')

/** `_sort`, then the columns that name one row. */
function searchSorts({ resource, sorts }: FhirSearch): Sort[] {
  const isDown = sorts.at(-1)?.isDown ?? false
  return [...sorts, ...resourceOrder(resource).map((by) => ({ by, isDown, always: true }))]
}

/** The rows after the cursor; those without a value are last. */
function afterCursor(orders: readonly Sort[], after: readonly (string | null)[]): SearchCondition {
  if (orders.length !== after.length) throw badValue('_after', 'This is none of our links')
  const later = ({ by, isDown, always }: Sort, value: string | null) => {
    if (value === null) return sql<boolean>`false`
    const beyond = isDown ? sql<boolean>`${by} < ${value}` : sql<boolean>`${by} > ${value}`
    return always ? beyond : sql<boolean>`(${beyond} or ${by} is null)`
  }
  const equal = ({ by }: Sort, value: string | null) =>
    value === null ? sql<boolean>`${by} is null` : sql<boolean>`${by} = ${value}`
  // an index finds where the rows begin, which it cannot from the alternatives below
  const [{ by, isDown, always }, start] = [orders[0]!, after[0]!]
  const from = isDown ? sql<boolean>`${by} <= ${start}` : sql<boolean>`${by} >= ${start}`
  const beyond = orConditions(
    orders.map((order, at) =>
      andConditions([
        ...orders.slice(0, at).map((before, place) => equal(before, after[place]!)),
        later(order, after[at]!),
      ]),
    ),
  )
  return always && orders.length > 1 ? andConditions([from, beyond]) : beyond
}

const engineColumns = (resource: Resource, actor: Actor) =>
  sql`${resourceIdSql(resource)}::text as fhir_id, ${lastModifiedSql(resource)} as fhir_modified,
    ${isDeletedSql(resource)} as fhir_deleted, ${resourceColumns(resource, actor)}`

/** The rows that the actor may see and that meet the condition, as a statement. */
export const visibleRowsSql = (
  resource: Resource,
  ctx: Pick<Context, 'actor'>,
  where: SearchCondition,
) =>
  sql`select ${engineColumns(resource, ctx.actor)} from ${resource.from}
    where ${seen(resource, ctx)} and ${where}`

/** The ids of the deleted rows that the actor may see and that meet the condition, as a statement. */
export const deletedResourceIdsSql = (
  resource: Resource,
  { actor }: Pick<Context, 'actor'>,
  where: SearchCondition,
) =>
  sql`select ${resourceIdSql(resource)}::text as fhir_id from ${resource.from}
    where ${resource.where(actor)} and ${isDeletedSql(resource)} and ${where}`

type Selected = FhirRow & Record<string, unknown>

/** One row by id, deleted or not; undefined if the actor may not see it. */
export async function findOne(
  { db, actor }: Context,
  resource: Resource,
  id: string,
): Promise<Selected | undefined> {
  const isIt = withId(resource, id)
  if (!isIt) return undefined
  const { rows } =
    await sql<Selected>`select ${engineColumns(resource, actor)} from ${resource.from}
    where ${isIt} and ${resource.where(actor)}`.execute(db)
  return rows[0]
}

export type SearchPage = {
  found: FoundResource[]
  included: FoundResource[]
  total: number | undefined
  /** Of the next page. */
  next: string | undefined
  warnings: Issue[]
}

/**
 * Runs a search for the actor. `isKept`: its statement is one of a few that are run again and again, for few rows, and
 * is planned once in each connection.
 */
export async function runSearch(
  ctx: Context,
  search: FhirSearch,
  { isKept = false } = {},
): Promise<SearchPage> {
  const { resource, conditions } = search
  const where = andConditions([seen(resource, ctx), ...conditions])
  const isCount = search.summary === 'count' || search.count === 0
  const page: SearchPage = {
    found: [],
    included: [],
    total: undefined,
    next: undefined,
    warnings: [],
  }
  if (!isCount) {
    const { rows, next } = await readPageRows(ctx, search, where, isKept)
    page.found = rows.map((row) => ({ resource, row }))
    page.next = next
    if (next === undefined && !search.after) page.total = rows.length
    await include(ctx, search, page)
  }
  if (page.total === undefined && (isCount || search.counts)) {
    const { rows } = await sql<{ total: number }>`select count(*)::int as total
      from ${resource.from} where ${where}`.execute(ctx.db)
    page.total = rows[0]!.total
  }
  return page
}

async function readPageRows(
  { db, actor }: Context,
  search: FhirSearch,
  where: SearchCondition,
  isKept: boolean,
) {
  const { resource, count, after } = search
  const orders = searchSorts(search)
  const beyond = after ? sql`and ${afterCursor(orders, after)}` : sql``
  const places = orders.map(({ by }, at) => sql`(${by})::text as ${sql.ref(`fhir_order_${at}`)}`)
  const by = orders.map((order) => {
    const way = order.isDown ? sql` desc` : sql` asc`
    return sql`${order.by}${way}${order.always ? sql`` : sql` nulls last`}`
  })
  const { rows } = await sql<Selected>`${isKept ? asPrepared() : sql``}
    select ${engineColumns(resource, actor)}, ${sql.join(places)}
    from ${resource.from} where ${where} ${beyond}
    order by ${sql.join(by)} limit ${count + 1}`.execute(db)
  if (rows.length <= count) return { rows, next: undefined }
  const shown = rows.slice(0, count)
  const last = shown.at(-1)!
  return {
    rows: shown,
    next: cursor(orders.map((_, at) => last[`fhir_order_${at}`] as string | null)),
  }
}

/** Adds what the page's resources refer to, and what refers to them. */
async function include(ctx: Context, { includes, reverse }: FhirSearch, page: SearchPage) {
  const known = new Set(page.found.map(foundReference))
  const add = (found: FoundResource[]) => {
    for (const one of found) {
      if (known.has(foundReference(one))) continue
      known.add(foundReference(one))
      page.included.push(one)
    }
  }
  const wanted = new Map<string, Set<string>>()
  for (const { parameter, target } of includes)
    for (const { resource, row } of page.found)
      for (const reference of referencesAt(resource.toFhir(row, { base: '' }), parameter.path)) {
        const [type = '', id = ''] = reference.split('/').slice(-2)
        if (target === undefined || target === type)
          wanted.set(type, (wanted.get(type) ?? new Set()).add(id))
      }
  for (const [type, ids] of wanted) {
    const resource = findFhirResource(type)
    if (resource) add(await rowsWhere(ctx, resource, withAny(resource, [...ids]), ids.size))
  }
  const ids = page.found.map(({ row }) => row.fhir_id)
  for (const { resource, parameter } of ids.length > 0 ? reverse : []) {
    const found = await rowsWhere(
      ctx,
      resource,
      orConditions(
        ids.map((id) => parameter.condition(`${page.found[0]!.resource.type}/${id}`, undefined)),
      ),
      MOST + 1,
    )
    if (found.length > MOST)
      page.warnings.push({
        severity: 'warning',
        code: 'too-long',
        diagnostics: `The first ${MOST} of ${resource.type} are included. Ask for fewer with _count.`,
      })
    add(found.slice(0, MOST))
  }
}

const foundReference = ({ resource, row }: FoundResource) => `${resource.type}/${row.fhir_id}`

const withAny = (resource: Resource, ids: readonly string[]) =>
  orConditions(ids.map((id) => withId(resource, id)).filter((condition) => condition !== null))

async function rowsWhere(ctx: Context, resource: Resource, where: SearchCondition, most: number) {
  const { rows } =
    await sql<Selected>`select ${engineColumns(resource, ctx.actor)} from ${resource.from}
    where ${seen(resource, ctx)} and ${where}
    order by ${sql.join([...resourceOrder(resource)])} limit ${most}`.execute(ctx.db)
  return rows.map((row): FoundResource => ({ resource, row }))
}

/** The references of a resource at the path of a parameter. */
function referencesAt(resource: Fhir, path: string): string[] {
  return path.split('|').flatMap((way) =>
    way
      .split('.')
      .reduce<unknown[]>(
        (values, name) =>
          values.flatMap((value) => (value as Record<string, unknown> | undefined)?.[name] ?? []),
        [resource],
      )
      .map((value) => (value as { reference?: unknown })?.reference ?? value)
      .filter((value) => typeof value === 'string'),
  )
}

/** A row as its resource, with `id` and `meta`. */
export function resourceFrom({ resource, row }: FoundResource, site: Site): Fhir & { id: string } {
  const { resourceType, ...elements } = resource.toFhir(row, site)
  return {
    resourceType,
    id: row.fhir_id,
    meta: resourceMeta(row, elements['meta']),
    ...without(elements),
  }
}
const without = ({ meta: _meta, id: _id, ...elements }: Record<string, unknown>) => elements

export const rowVersionId = ({ fhir_modified }: FhirRow) => String(fhir_modified.getTime())

const resourceMeta = (row: FhirRow, own: unknown) => ({
  ...(own as object | undefined),
  versionId: rowVersionId(row),
  lastUpdated: row.fhir_modified.toISOString(),
})

const SUBSETTED = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  code: 'SUBSETTED',
}

/** The part of a resource that `_elements` or `_summary` asks for, marked as a part. */
export function pickElements(
  fhir: Fhir,
  { elements, summary }: { [K in 'elements' | 'summary']?: FhirSearch[K] | undefined },
  { summary: ofType = [] }: Resource,
): Fhir {
  if (summary === undefined && elements === undefined) return fhir
  const keep = (name: string) => {
    if (['resourceType', 'id', 'meta'].includes(name)) return true
    if (summary === undefined)
      return elements!.some((element) => element === name || name.startsWith(`${element}[`))
    if (summary === 'true') return ofType.includes(name)
    return summary === 'data' ? name !== 'text' : name === 'text'
  }
  const shown = Object.fromEntries(Object.entries(fhir).filter(([name]) => keep(name))) as Fhir
  return { ...shown, meta: { ...(fhir['meta'] as object), tag: [SUBSETTED] } }
}
