import { sql } from 'kysely'
import { kept } from '~/db/kept'
import type { Context } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import type { Issue } from './outcome'
import { allOf, anyOf } from './parameters'
import { resourceOf } from './resources/all'
import {
  columnsOf,
  deletedOf,
  type Fhir,
  idOf,
  modifiedOf,
  orderOf,
  type Resource,
  type Row,
  type Site,
  withId,
} from './resource'
import { type Condition, MOST, type Search, seen, type Sort } from './search'
import { badValue } from './values'

/** Runs searches: pages, and the resources that a page includes. */
export type Found = { resource: Resource; row: Row & Record<string, unknown> }

const cursor = (values: readonly (string | null)[]) =>
  Buffer.from(JSON.stringify(values)).toString('base64url')

/** `_sort`, then the columns that name one row. */
function ordersOf({ resource, sorts }: Search): Sort[] {
  const isDown = sorts.at(-1)?.isDown ?? false
  return [...sorts, ...orderOf(resource).map((by) => ({ by, isDown, always: true }))]
}

/** The rows after the cursor; those without a value are last. */
function afterOf(orders: readonly Sort[], after: readonly (string | null)[]): Condition {
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
  const beyond = anyOf(
    orders.map((order, at) =>
      allOf([
        ...orders.slice(0, at).map((before, place) => equal(before, after[place]!)),
        later(order, after[at]!),
      ]),
    ),
  )
  return always && orders.length > 1 ? allOf([from, beyond]) : beyond
}

const engineColumns = (resource: Resource, actor: Actor) =>
  sql`${idOf(resource)}::text as fhir_id, ${modifiedOf(resource)} as fhir_modified,
    ${deletedOf(resource)} as fhir_deleted, ${columnsOf(resource, actor)}`

/** The rows that the actor may see and that meet the condition, as a statement. */
export const rowsOf = (resource: Resource, ctx: Pick<Context, 'actor'>, where: Condition) =>
  sql`select ${engineColumns(resource, ctx.actor)} from ${resource.from}
    where ${seen(resource, ctx)} and ${where}`

/** The ids of the deleted rows that the actor may see and that meet the condition, as a statement. */
export const deletedIdsOf = (
  resource: Resource,
  { actor }: Pick<Context, 'actor'>,
  where: Condition,
) =>
  sql`select ${idOf(resource)}::text as fhir_id from ${resource.from}
    where ${resource.where(actor)} and ${deletedOf(resource)} and ${where}`

type Selected = Row & Record<string, unknown>

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

export type Page = {
  found: Found[]
  included: Found[]
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
  search: Search,
  { isKept = false } = {},
): Promise<Page> {
  const { resource, conditions } = search
  const where = allOf([seen(resource, ctx), ...conditions])
  const isCount = search.summary === 'count' || search.count === 0
  const page: Page = { found: [], included: [], total: undefined, next: undefined, warnings: [] }
  if (!isCount) {
    const { rows, next } = await pageOf(ctx, search, where, isKept)
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

async function pageOf({ db, actor }: Context, search: Search, where: Condition, isKept: boolean) {
  const { resource, count, after } = search
  const orders = ordersOf(search)
  const beyond = after ? sql`and ${afterOf(orders, after)}` : sql``
  const places = orders.map(({ by }, at) => sql`(${by})::text as ${sql.ref(`fhir_order_${at}`)}`)
  const by = orders.map((order) => {
    const way = order.isDown ? sql` desc` : sql` asc`
    return sql`${order.by}${way}${order.always ? sql`` : sql` nulls last`}`
  })
  const { rows } = await sql<Selected>`${isKept ? kept() : sql``}
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
async function include(ctx: Context, { includes, reverse }: Search, page: Page) {
  const known = new Set(page.found.map(nameOf))
  const add = (found: Found[]) => {
    for (const one of found) {
      if (known.has(nameOf(one))) continue
      known.add(nameOf(one))
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
    const resource = resourceOf(type)
    if (resource) add(await rowsWhere(ctx, resource, withAny(resource, [...ids]), ids.size))
  }
  const ids = page.found.map(({ row }) => row.fhir_id)
  for (const { resource, parameter } of ids.length > 0 ? reverse : []) {
    const found = await rowsWhere(
      ctx,
      resource,
      anyOf(
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

const nameOf = ({ resource, row }: Found) => `${resource.type}/${row.fhir_id}`

const withAny = (resource: Resource, ids: readonly string[]) =>
  anyOf(ids.map((id) => withId(resource, id)).filter((condition) => condition !== null))

async function rowsWhere(ctx: Context, resource: Resource, where: Condition, most: number) {
  const { rows } =
    await sql<Selected>`select ${engineColumns(resource, ctx.actor)} from ${resource.from}
    where ${seen(resource, ctx)} and ${where}
    order by ${sql.join([...orderOf(resource)])} limit ${most}`.execute(ctx.db)
  return rows.map((row): Found => ({ resource, row }))
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
export function resourceFrom({ resource, row }: Found, site: Site): Fhir & { id: string } {
  const { resourceType, ...elements } = resource.toFhir(row, site)
  return {
    resourceType,
    id: row.fhir_id,
    meta: metaOf(row, elements['meta']),
    ...without(elements),
  }
}
const without = ({ meta: _meta, id: _id, ...elements }: Record<string, unknown>) => elements

export const versionOf = ({ fhir_modified }: Row) => String(fhir_modified.getTime())

const metaOf = (row: Row, own: unknown) => ({
  ...(own as object | undefined),
  versionId: versionOf(row),
  lastUpdated: row.fhir_modified.toISOString(),
})

const SUBSETTED = {
  system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue',
  code: 'SUBSETTED',
}

/** The part of a resource that `_elements` or `_summary` asks for, marked as a part. */
export function partOf(
  fhir: Fhir,
  { elements, summary }: { [K in 'elements' | 'summary']?: Search[K] | undefined },
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
