import { type RawBuilder, sql } from 'kysely'
import type { Context } from '~/server/operation'
import { addAll } from '~/shared/any-length'
import { FhirError } from './outcome'
import { orConditions, moment, noModifier, type Parameter, special } from './parameters'
import { findFhirResource } from './resources/all'
import { hasFhirScope } from './scope'
import { isDeletedSql, resourceIdSql, lastModifiedSql, type Resource, withId } from './resource'
import { badValue, splitAt, unescaped } from './values'

/** Reads the parameters of a search into conditions of SQL (docs/exchange.md, "FHIR"). */
const PAGE = 50
export const MOST = 1000
/** Values of all parameters of one search. */
const MOST_VALUES = 500
const MOST_SORTS = 5

export type SearchCondition = RawBuilder<boolean>
export type Sort = { by: RawBuilder<unknown>; isDown: boolean; always: boolean }
type Include = { resource: Resource; name: string; parameter: Parameter; target?: string }

export type FhirSearch = {
  resource: Resource
  conditions: SearchCondition[]
  sorts: Sort[]
  count: number
  counts: boolean
  summary?: 'true' | 'text' | 'data' | 'count'
  elements?: readonly string[]
  includes: Include[]
  reverse: Include[]
  after?: (string | null)[]
  /**
   * For the access log: values that may be a patient's number, ids of entries of the audit trail, and whether any type
   * in it is about patients.
   */
  numbers: string[]
  changes: string[]
  isOfPatients: boolean
  /** The parameters that were used, for the `self` link. */
  used: [string, string][]
}

const unknownParameter = (name: string, { type, search }: Resource) =>
  new FhirError(
    400,
    'not-supported',
    `${type} has no search parameter "${name.slice(0, 100)}". It has: ` +
      `${[...new Set(['_id', '_lastUpdated', ...Object.keys(search)])].join(', ')}.`,
  )

/** Parameters that every type has. */
function findParameter(resource: Resource, name: string): Parameter | undefined {
  if (Object.hasOwn(resource.search, name)) return resource.search[name]
  if (name === '_id')
    return special(
      'id',
      ({ code: id }) => withId(resource, id) ?? sql<boolean>`false`,
      sql<boolean>`true`,
      resourceIdSql(resource),
    )
  if (name === '_lastUpdated')
    return { ...moment('meta.lastUpdated', lastModifiedSql(resource)), always: true }
  return undefined
}

/** Reads the parameters. Unknown ones are refused, or left out if the client prefers `handling=lenient`. */
export function parseFhirSearch(
  resource: Resource,
  parameters: readonly (readonly [string, string])[],
  ctx: Pick<Context, 'actor'>,
  { isLenient = false } = {},
): FhirSearch {
  const search: FhirSearch = {
    resource,
    conditions: [],
    sorts: [],
    count: PAGE,
    counts: false,
    includes: [],
    reverse: [],
    used: [],
    numbers: [],
    changes: [],
    isOfPatients: false,
  }
  const reader = { actor: ctx.actor, search }
  notePatients(search, resource)
  let values = 0
  for (const [name, value] of parameters) {
    values += splitAt(value, ',').length
    if (values > MOST_VALUES) throw new FhirError(400, 'too-long', 'These are too many values.')
    if (value === '' && !name.startsWith('_')) throw badValue(name, 'This parameter is empty')
    try {
      const control = CONTROLS[name.split(':', 1)[0]!]
      if (control) control(search, value, name)
      else search.conditions.push(parameterCondition(resource, name, value, reader))
      search.used.push([name, value])
    } catch (error) {
      const isUnknown = error instanceof FhirError && error.issues[0]?.code === 'not-supported'
      if (!isLenient || !isUnknown) throw error
    }
  }
  return search
}

/** Reads the parameters of a search, and notes the patients that they name. */
type Reader = Pick<Context, 'actor'> & { search: FhirSearch }

function notePatients(search: FhirSearch, { patient }: Resource) {
  if (patient !== null) search.isOfPatients = true
}

/** Parameters that say how to answer, not what to find. */
const CONTROLS: Record<
  string,
  ((search: FhirSearch, value: string, name: string) => void) | undefined
> = Object.assign(Object.create(null) as object, {
  _count(search: FhirSearch, value: string) {
    if (!/^\d{1,9}$/.test(value)) throw badValue(value, '_count is a number from 0 to 1000')
    search.count = Math.min(Number(value), MOST)
  },
  _total(search: FhirSearch, value: string) {
    if (!['none', 'accurate', 'estimate'].includes(value))
      throw badValue(value, '_total is none or accurate')
    search.counts = value !== 'none'
  },
  _summary(search: FhirSearch, value: string) {
    if (!['true', 'text', 'data', 'count', 'false'].includes(value))
      throw badValue(value, '_summary is true, text, data, count or false')
    if (value !== 'false') search.summary = value as 'true'
  },
  _elements(search: FhirSearch, value: string) {
    search.elements = value.split(',').map((element) => element.trim())
  },
  _sort(search: FhirSearch, value: string) {
    const names = value.split(',')
    if (names.length > MOST_SORTS) throw badValue(value, 'These are too many orders')
    search.sorts = names.map((name) => parseSort(search.resource, name))
  },
  _include(search: FhirSearch, value: string, name: string) {
    search.includes.push(parseInclude(value, name, search.resource))
    for (const type of search.includes.at(-1)!.parameter.reference!.targets)
      if (findFhirResource(type)) notePatients(search, findFhirResource(type)!)
  },
  _revinclude(search: FhirSearch, value: string, name: string) {
    const include = parseInclude(value, name)
    if (!include.parameter.reference!.targets.includes(search.resource.type))
      throw badValue(value, `This does not refer to ${search.resource.type}`)
    search.reverse.push(include)
    notePatients(search, include.resource)
  },
  _after(search: FhirSearch, value: string) {
    search.after = decodeCursor(value)
  },
  _format: () => undefined,
  _pretty: () => undefined,
})

function parseSort(resource: Resource, name: string): Sort {
  const isDown = name.startsWith('-')
  const plain = isDown ? name.slice(1) : name
  const parameter = findParameter(resource, plain)
  if (!parameter) throw unknownParameter(plain, resource)
  if (!parameter.sort)
    throw new FhirError(400, 'not-supported', `"${plain}" is no order for ${resource.type}.`)
  return { by: parameter.sort, isDown, always: parameter.always === true }
}

/** `Observation:patient` or `Observation:patient:Patient`. */
function parseInclude(value: string, name: string, from?: Resource): Include {
  if (value.includes('*'))
    throw new FhirError(400, 'not-supported', `${name}=* is not supported: name each parameter.`)
  if (name.includes(':'))
    throw noModifier(name.split(':', 1)[0]!, name.slice(name.indexOf(':') + 1))
  const [type = '', parameterName = '', target, ...more] = value.split(':')
  const resource = findFhirResource(type)
  const parameter = resource && findParameter(resource, parameterName)
  if (!resource || !parameter?.reference || more.length > 0)
    throw badValue(value, `${name} needs Type:parameter of a reference`)
  if (from && from !== resource) throw badValue(value, `${name} begins with ${from.type} here`)
  if (target !== undefined && !parameter.reference.targets.includes(target))
    throw badValue(value, 'This reference has no such type')
  return { resource, name: parameterName, parameter, ...(target !== undefined && { target }) }
}

/** One parameter of a request: with modifiers, chained, or `_has`. */
function parameterCondition(
  resource: Resource,
  name: string,
  value: string,
  reader: Reader,
): SearchCondition {
  notePatients(reader.search, resource)
  if (name.startsWith('_has:')) return hasCondition(resource, name, value, reader)
  const [, base = '', modifier, chained] =
    /^([^:.]+)(?::([^.]*))?(?:\.(.+))?$/.exec(name) ?? ([] as string[])
  const parameter = findParameter(resource, base)
  if (!parameter) throw unknownParameter(base || name, resource)
  if (chained !== undefined)
    return chainCondition({ parameter, base, modifier, chained, value }, reader)
  if (base === '_id' && resource.patient !== null)
    addAll(
      reader.search.changes,
      splitAt(value, ',').filter((id) => /^\d{1,15}$/.test(id)),
    )
  if (parameter.isNumber) addAll(reader.search.numbers, splitAt(value, ',').map(numberIn))
  return plainCondition(parameter, base, modifier, value)
}

/** The number in a token: `system|number`, or `system|type|number`. */
const numberIn = (value: string) => unescaped(splitAt(value, '|').at(-1)!)

function plainCondition(
  parameter: Parameter,
  name: string,
  modifier: string | undefined,
  value: string,
): SearchCondition {
  if (modifier === 'missing') {
    if (value !== 'true' && value !== 'false') throw badValue(value, ':missing is true or false')
    return value === 'true'
      ? sql<boolean>`(${parameter.present}) is not true`
      : sql<boolean>`(${parameter.present})`
  }
  if (modifier !== undefined && !parameter.modifiers.includes(modifier))
    throw noModifier(name, modifier)
  const isNot = modifier === 'not'
  const matching = orConditions(
    splitAt(value, ',').map((one) => parameter.condition(one, isNot ? undefined : modifier)),
  )
  // `:not` takes in the rows without a value
  return isNot ? sql<boolean>`(${matching}) is not true` : matching
}

type Chain = {
  parameter: Parameter
  base: string
  modifier: string | undefined
  chained: string
  value: string
}

/** `patient.name=…`, `subject:Patient.name=…`: of the resources that the actor may see. */
function chainCondition({ parameter, base, modifier, chained, value }: Chain, reader: Reader) {
  const { reference } = parameter
  if (!reference)
    throw new FhirError(400, 'not-supported', `"${base}" is no reference, so it has no chain.`)
  if (modifier !== undefined && !reference.targets.includes(modifier))
    throw noModifier(base, modifier)
  if (chained.includes('.') || chained.startsWith('_has'))
    throw new FhirError(400, 'not-supported', 'Chains of one step are supported.')
  const own = chained.split(':', 1)[0]!
  const targets = (modifier === undefined ? reference.targets : [modifier])
    .map(findFhirResource)
    .filter((target) => target !== undefined)
    .filter((target) => findParameter(target, own) !== undefined)
  if (targets.length === 0)
    throw new FhirError(400, 'not-supported', `"${base}" has no chain "${own.slice(0, 64)}".`)
  return orConditions(
    targets.map(
      (target) =>
        sql<boolean>`${reference.id} in (select r.id from ${target.from}
          where ${seen(target, reader)} and ${parameterCondition(target, chained, value, reader)})`,
    ),
  )
}

/** `_has:Observation:patient:code=8867-4`: the rows to which such a resource refers. */
function hasCondition(
  resource: Resource,
  name: string,
  value: string,
  reader: Reader,
): SearchCondition {
  const [, type = '', through = '', ...rest] = name.split(':')
  const source = findFhirResource(type)
  const reference = source && findParameter(source, through)?.reference
  if (!source || !reference?.targets.includes(resource.type) || rest.length === 0)
    throw badValue(name, '_has needs _has:Type:reference:parameter')
  if (rest[0] === '_has' || rest.join(':').includes('.'))
    throw new FhirError(400, 'not-supported', '_has of one step is supported.')
  return sql<boolean>`r.id in (select ${reference.id} from ${source.from}
    where ${seen(source, reader)} and ${parameterCondition(source, rest.join(':'), value, reader)})`
}

/** The rows that exist for the actor: in a search, a chain, `_has` and an include. */
export const seen = (resource: Resource, { actor }: Pick<Context, 'actor'>) =>
  hasFhirScope(actor, resource.type, 's')
    ? sql<boolean>`(${resource.where(actor)} and not ${isDeletedSql(resource)})`
    : sql<boolean>`false`

/** The place after which the next page begins: the values of its order as texts. */
function decodeCursor(value: string): (string | null)[] {
  try {
    const read: unknown = JSON.parse(Buffer.from(value, 'base64url').toString())
    if (Array.isArray(read) && read.length <= MOST_SORTS + 4 && read.every(isText)) return read
  } catch {
    // answered below
  }
  throw badValue(value, '_after is none of our links')
}
const isText = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && value.length <= 4000 && !value.includes('\0'))
