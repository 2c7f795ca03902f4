import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Context } from '~/server/operation'
import type { Actor } from '~/shared/actor'
import type { Element } from './element'
import type { Parameter } from './parameters'
import { isId } from '~/shared/id'

/** A resource as JSON. `id` and `meta` are the engine's. */
export type Fhir = { resourceType: string } & Record<string, unknown>

/** Columns that the engine adds to each row. */
export type FhirRow = { fhir_id: string; fhir_modified: Date; fhir_deleted: boolean }

/** What the resources know of the server that answers. */
export type Site = {
  /** `https://clinic.example/api/fhir`, for canonical addresses. */
  base: string
}

/**
 * One type of resource: the rows, who may see them, and what they are in FHIR. One file of
 * `src/fhir/resources` for each; `all.ts` lists them, and reads, searches and the CapabilityStatement
 * follow from the list. In SQL the main table has the alias `r`.
 */
export type Resource<R extends object = Record<string, unknown>> = {
  type: string
  /** FROM: the main table as `r`, and joins. */
  from: RawBuilder<unknown>
  /** SELECT: what `toFhir` reads, by what the actor may see of a row. */
  columns: RawBuilder<unknown> | ((actor: Actor) => RawBuilder<unknown>)
  /** Whether the actor may see some row of this type. If not, each request is 403. */
  permits: (actor: Actor) => boolean
  /** Keeps the rows that the actor may see, deleted or not: a rule of `src/policy`. */
  where: (actor: Actor) => Expression<SqlBool>
  /** The column with the id of the row's patient, for the access log; null if the rows have no patient. */
  patient: (keyof R & string) | null
  toFhir: (row: R & FhirRow, site: Site) => Fhir
  search: Readonly<Record<string, Parameter>>
  /** Elements of `_summary=true`, beside the mandatory ones. */
  summary?: readonly string[]
  /** The id as text, if it is more than `r.id`. */
  id?: RawBuilder<unknown>
  /** The condition for one id; null if no row can have it. By default an id is the UUID of `r.id`. */
  hasId?: (id: string) => RawBuilder<boolean> | null
  /** The order of a search without `_sort`: the columns that name one row. By default `r.id`. */
  order?: readonly RawBuilder<unknown>[]
  /** By default `r.last_modified`. */
  modified?: RawBuilder<Date>
  /** By default `r.is_deleted`. */
  deleted?: RawBuilder<boolean>
  writes?: Writes<R>
}

/**
 * The closed list of writes. Each calls the existing operation, with its rules and its permission.
 * `element` is read to its end: what stays unread is refused (422) before anything is stored.
 */
export type Writes<R extends object> = {
  /** Reads the element into what `create` and `update` take. Pure. */
  fromFhir: (element: Element, written: WriteContext) => unknown
  create?: (ctx: Context, input: never, id: string) => Promise<unknown>
  /** The id of what `create` stored under the UUID, where one row is several resources. */
  storedAs?: (input: never, id: string) => string
  update?: (ctx: Context, input: never, row: R & FhirRow) => Promise<unknown>
  /** With `job` nothing is deleted yet. */
  delete?: (ctx: Context, row: R & FhirRow) => Promise<{ job: string | null }>
  /** The element of each field of the operation's input: `{ date_of_birth: 'Patient.birthDate' }`. */
  expressions?: Readonly<Record<string, string>>
  /** Table and id of the stored record, for the audit trail, if they are not the type's main ones. */
  table: string
}

/** What `fromFhir` may need to know of the writer and of the stored row. */
export type WriteContext = { actor: Actor; site: Site; isNew: boolean }

/**
 * Declares a type. `R` is what a row holds, as `columns` select it; the list of all types (`all.ts`)
 * knows only that it is a row.
 */
export const resource = <R extends object>(definition: Resource<R>): Resource =>
  definition as unknown as Resource // the engine hands each resource its own rows alone

export const resourceColumns = ({ columns }: Resource, actor: Actor) =>
  typeof columns === 'function' ? columns(actor) : columns
export const resourceIdSql = ({ id }: Resource) => id ?? sql`r.id`
export const lastModifiedSql = ({ modified }: Resource) => modified ?? sql<Date>`r.last_modified`
export const isDeletedSql = ({ deleted }: Resource) => deleted ?? sql<boolean>`r.is_deleted`
export const resourceOrder = ({ order }: Resource) => order ?? [sql`r.id`]

/** The condition for an id, which is never cast if it is no UUID. */
export const withId = ({ hasId }: Resource, id: string): RawBuilder<boolean> | null => {
  if (hasId) return hasId(id)
  if (isId(id)) return sql<boolean>`r.id = ${id}::uuid`
  return null
}

/**
 * Without what is empty: null, undefined, "", lists and objects of nothing. FHIR has no empty elements. It loops,
 * because an export spends much of its time here.
 */
export function compact<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (Array.isArray(value)) {
    const kept: unknown[] = []
    for (const each of value as unknown[]) {
      const one = compact(each)
      if (isFull(one)) kept.push(one)
    }
    return kept as T
  }
  const kept: Record<string, unknown> = {}
  for (const name of Object.keys(value)) {
    const one = compact((value as Record<string, unknown>)[name])
    if (isFull(one)) kept[name] = one
  }
  return kept as T
}
function isFull(value: unknown) {
  if (value === null || value === undefined || value === '') return false
  if (typeof value !== 'object' || value instanceof Date) return true
  for (const _ in value) return true
  return false
}

/** A reference, or undefined without an id. */
export const refer = (type: string, id: string | null | undefined, display?: string | null) =>
  id ? { reference: `${type}/${id}`, ...(display && { display }) } : undefined

/** A moment, as FHIR writes it: UTC, to the millisecond. */
export const instant = (at: Date | null | undefined) => at?.toISOString()
