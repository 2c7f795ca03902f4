import { type RawBuilder, sql } from 'kysely'
import { FhirError } from './outcome'
import {
  badValue,
  compared,
  type Compared,
  parseNumberRange,
  prefixed,
  parseDateSpan,
  splitAt,
  parseToken,
  unescaped,
} from './values'
import { isId } from '~/shared/id'

/**
 * Search parameters: each kind is a function that makes one from SQL, and a parameter of a resource is
 * one line. Values are always bound; none is cast unless it was read as that type.
 */
type Sql<T = unknown> = RawBuilder<T>
type Kind = 'string' | 'token' | 'date' | 'reference' | 'quantity' | 'uri' | 'composite'

export type Parameter = {
  kind: Kind
  /**
   * Where a resource has the values, to follow references and for the test that compares a search with
   * a filter over resources: `name.family`; several are joined by "|".
   */
  path: string
  modifiers: readonly string[]
  /** The rows that have one value. The engine joins values by OR, repetitions by AND. */
  condition: (value: string, modifier: string | undefined) => Sql<boolean>
  /** The rows that have any value, for `:missing`. */
  present: Sql<boolean>
  /** What `_sort` orders by; a parameter without it cannot sort. */
  sort?: Sql
  /** Every row has a value, so that an index gives the order in both directions. */
  always?: true
  /** Equal values are numbers of a patient: the access log records the patients that a search names by them. */
  isNumber?: true
  /** Of a reference. */
  reference?: { id: Sql; targets: readonly string[] }
}

const never = sql<boolean>`false`
export const orConditions = (conditions: readonly Sql<boolean>[]): Sql<boolean> => {
  if (conditions.length === 0) return never
  if (conditions.length === 1) return conditions[0]!
  return sql<boolean>`(${sql.join(conditions, sql` or `)})`
}
export const andConditions = (conditions: readonly Sql<boolean>[]): Sql<boolean> =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(conditions, sql` and `)})`

const like = (text: string) => text.replaceAll(/[\\%_]/g, String.raw`\$&`)
const isSet = (of: Sql) => sql<boolean>`${of} is not null`
/** Phones store an empty text where nothing was filled in: no resource has it. */
const isFilled = (of: Sql<string | null>) => sql<boolean>`(${of} <> '')`

/** Rows among which are those with the text, after the pattern `before`: by a better index than the text's own. */
type Among = (text: string, before: string) => Sql<boolean>
/** So few letters stand in so many names that reading in the order of the page is faster. */
const FEW_LETTERS = 3

/**
 * Texts, folded (case, accents, signs): the start of the text or of one of its words. Index:
 * `using gin (fhir_text(<column>) gin_trgm_ops)`. `:exact` finds the whole text or a whole
 * word of one that FHIR splits (`words`).
 */
export function string(
  path: string,
  columns: readonly Sql<string | null>[] | Sql<string | null>,
  { words = [], among }: { words?: readonly Sql<string | null>[]; among?: Among } = {},
): Parameter {
  const texts = Array.isArray(columns) ? columns : [columns]
  const folded = (column: Sql) => sql`fhir_text(${column})`
  return {
    kind: 'string',
    path,
    modifiers: ['exact', 'contains'],
    condition(value, modifier) {
      const text = unescaped(value)
      if (text === '') throw badValue(value, 'This value is empty')
      const exactly = (column: Sql) =>
        words.includes(column as Sql<string | null>)
          ? sql<boolean>`${text} = any(regexp_split_to_array(btrim(${column}), '[[:space:]]+'))`
          : sql<boolean>`${column} = ${text}`
      const matching = orConditions(
        texts.map((column) => {
          // signs alone fold to nothing, which would match every text
          const some = sql<boolean>`fold_text(${text}) <> ''`
          const pattern = (before: string) =>
            sql<boolean>`(${some} and ${folded(column)} like ${before} || fold_text(${like(text)}) || '%')`
          if (modifier === 'exact') return sql<boolean>`(${pattern('% ')} and ${exactly(column)})`
          return pattern(modifier === 'contains' ? '%' : '% ')
        }),
      )
      if (!among || text.length < FEW_LETTERS) return matching
      return andConditions([among(text, modifier === 'contains' ? '%' : '% '), matching])
    },
    present: orConditions(texts.map((column) => sql<boolean>`nullif(${column}, '') is not null`)),
    sort:
      texts.length === 1
        ? sql`fold_text(${texts[0]!})`
        : sql`fold_text(concat_ws(' ', ${sql.join(texts)}))`,
  }
}

/** One way in which a token matches: rows of a code, of any code if `code` is undefined. */
type Match = (token: { system?: string; code: string }) => Sql<boolean>

const token = (path: string, match: Match, present: Sql<boolean>, sort?: Sql): Parameter => ({
  kind: 'token',
  path,
  modifiers: ['not'],
  condition: (value) => match(parseToken(value)),
  present,
  ...(sort && { sort }),
})

const isSystem = (asked: string | undefined, system: string) =>
  asked === undefined || asked === system

/** A code in a column. `system` is fixed, "" for none, or a column of its own. */
export function code(
  path: string,
  column: Sql<string | null>,
  system: string | Sql<string | null> = '',
): Parameter {
  return token(
    path,
    (asked) => {
      const isCode = sql<boolean>`${column} = ${asked.code}`
      if (typeof system === 'string') {
        if (!isSystem(asked.system, system)) return never
        return asked.code === '' ? isFilled(column) : isCode
      }
      if (asked.system === undefined) return isCode
      const inSystem = sql<boolean>`coalesce(${system}, '') = ${asked.system}`
      return asked.code === ''
        ? andConditions([inSystem, isFilled(column)])
        : andConditions([isCode, inSystem])
    },
    isFilled(column),
    column,
  )
}

/** Codes that follow from conditions: `{ finished: sql`r.closed_at is not null`, … }`. */
export function conditionalCodes(
  path: string,
  codes: Readonly<Record<string, Sql<boolean>>>,
  system = '',
): Parameter {
  const all = Object.entries(codes)
  return token(
    path,
    (asked) => {
      if (!isSystem(asked.system, system)) return never
      if (asked.code === '') return orConditions(all.map(([, condition]) => condition))
      return Object.hasOwn(codes, asked.code) ? codes[asked.code]! : never
    },
    orConditions(all.map(([, condition]) => condition)),
    sql`case ${sql.join(
      all.map(([name, condition]) => sql`when ${condition} then ${name}::text`),
      sql` `,
    )} end`,
  )
}

/** Several tokens under one name: two codes of a reading, three kinds of identifier. */
export const tokens = (path: string, parts: readonly Parameter[]): Parameter => ({
  kind: 'token',
  path,
  modifiers: [...new Set(parts.flatMap(({ modifiers }) => modifiers))],
  condition: (value, modifier) =>
    orConditions(
      parts
        .filter(({ modifiers }) => modifier === undefined || modifiers.includes(modifier))
        .map(({ condition }) => condition(value, modifier)),
    ),
  present: orConditions(parts.map(({ present }) => present)),
})

/** A token of a meaning of its own. */
export const special = token

/** What a stored date is: the column, and how fine it is. */
type Dated = { low: Sql; last: Sql; step: number; write: (at: number) => Sql }
const DAY = 86_400_000
const asDay = (at: number) => sql`${new Date(at).toISOString().slice(0, 10)}::date`
const asMoment = (at: number) => sql`${new Date(at).toISOString()}::timestamptz`

/** The first and last moment that PostgreSQL and JavaScript both write alike. */
const EARLIEST = Date.parse('0001-01-01T00:00:00Z')
const LATEST = Date.parse('9999-12-31T00:00:00Z')
const bounded = (at: number) => Math.min(LATEST, Math.max(EARLIEST, at))

function dated(path: string, { low, last, step, write }: Dated, sort: Sql): Parameter {
  const isPoint = low === last
  const render = (asked: Compared): Sql<boolean> => {
    if ('all' in asked) return andConditions(asked.all.map(render))
    if ('any' in asked) return orConditions(asked.any.map(render))
    return sql<boolean>`${asked.of === 'low' ? low : last} ${sql.raw(asked.sign)} ${write(bounded(asked.than))}`
  }
  return {
    kind: 'date',
    path,
    modifiers: [],
    condition(value) {
      const [prefix, text] = prefixed(unescaped(value))
      // a "+" that was not encoded arrives as a space
      const span = parseDateSpan(text.replace(/ (?=\d\d:\d\d$)/, '+'))
      if (!span) throw badValue(value, 'This is not a FHIR date')
      // one comparison, which an index answers, in place of two
      if (isPoint && prefix === 'ge')
        return render({ of: 'low', sign: '>=', than: compareFrom(span.low, step) })
      if (isPoint && prefix === 'le')
        return render({ of: 'low', sign: '<=', than: Math.floor(span.high / step) * step - step })
      return render(compared(prefix, span, step))
    },
    present: isSet(low),
    sort,
  }
}
const compareFrom = (low: number, step: number) => Math.ceil(low / step) * step

/** A day without a time. */
export const dayParameter = (path: string, column: Sql<string | null>): Parameter =>
  dated(path, { low: column, last: column, step: DAY, write: asDay }, column)

/** Days from the first to the last: a year of birth. */
export const dayRangeParameter = (path: string, low: Sql, last: Sql): Parameter =>
  dated(path, { low, last, step: DAY, write: asDay }, low)

/** A moment, to the millisecond. */
export const moment = (path: string, column: Sql<Date | null>): Parameter =>
  dated(path, { low: column, last: column, step: 1, write: asMoment }, column)

/** A period; one that is open has no end. */
export const period = (path: string, start: Sql<Date | null>, end: Sql<Date | null>): Parameter =>
  dated(
    path,
    { low: start, last: sql`coalesce(${end}, 'infinity'::timestamptz)`, step: 1, write: asMoment },
    start,
  )

/** A reference: `<id>`, `Type/<id>` or an address that ends so. `id` is a column of UUIDs. */
export function referenceParameter(
  path: string,
  id: Sql<string | null>,
  targets: readonly string[],
): Parameter {
  return referenceBy(path, targets, id, (asked) =>
    isId(asked.id) ? sql<boolean>`${id} = ${asked.id}::uuid` : never,
  )
}

/** A reference that needs a condition of its own: an id that is no UUID, several columns. */
export const referenceBy = (
  path: string,
  targets: readonly string[],
  id: Sql,
  match: (asked: { type?: string; id: string }) => Sql<boolean>,
  present: Sql<boolean> = isSet(id),
): Parameter => ({
  kind: 'reference',
  path,
  modifiers: targets,
  condition(value, modifier) {
    const found = /(?:^|\/)(?:([A-Z][A-Za-z]{1,40})\/)?([A-Za-z0-9.-]{1,64})$/.exec(
      unescaped(value).replace(/\/_history\/[^/]*$/, ''),
    )
    const [, type = modifier, named] = found ?? []
    if (named === undefined) return never
    const isOther = (type !== undefined && !targets.includes(type)) || (modifier ?? type) !== type
    return isOther ? never : match({ ...(type !== undefined && { type }), id: named })
  },
  present,
  sort: id,
  reference: { id, targets },
})

/** A clinical row is about the patient of its column `patient_id`, by both names of the parameter. */
export const bySubject = {
  patient: referenceParameter('subject', sql`r.patient_id`, ['Patient']),
  subject: referenceParameter('subject', sql`r.patient_id`, ['Patient']),
}

type Unit = { system: string; code: string; unit?: string }

/** A quantity in one unit: `[prefix]number|system|code`, by the precision of the number. */
export const quantity = (path: string, column: Sql<number | null>, unit: Unit): Parameter => ({
  kind: 'quantity',
  path,
  modifiers: [],
  condition(value) {
    const [asked = '', system, ...rest] = splitAt(value, '|').map(unescaped)
    if (rest.length > 1) throw badValue(value, 'This is not a quantity')
    const [prefix, text] = prefixed(asked)
    const number = parseNumberRange(text)
    const [named] = rest
    const isSame =
      (!system || system === unit.system) &&
      (!named || named === unit.code || (!system && named === unit.unit))
    if (!isSame) return never
    const at = (than: number) => sql`${than}::float8`
    const of = sql`${column}::float8`
    const conditions = {
      eq: sql<boolean>`(${of} >= ${at(number.low)} and ${of} < ${at(number.high)})`,
      ne: sql<boolean>`(${of} < ${at(number.low)} or ${of} >= ${at(number.high)})`,
      gt: sql<boolean>`${of} > ${at(number.value)}`,
      lt: sql<boolean>`${of} < ${at(number.value)}`,
      ge: sql<boolean>`${of} >= ${at(number.value)}`,
      le: sql<boolean>`${of} <= ${at(number.value)}`,
      sa: sql<boolean>`${of} >= ${at(number.high)}`,
      eb: sql<boolean>`${of} < ${at(number.low)}`,
    }
    return conditions[prefix]
  },
  present: isSet(column),
  sort: column,
})

/** Quantities of several columns under one name. */
export const quantities = (path: string, parts: readonly Parameter[]): Parameter => ({
  ...tokens(path, parts),
  kind: 'quantity',
})

/** `code$value`: in one of the pairs, both parts match. */
export const composite = (
  path: string,
  pairs: readonly (readonly [Parameter, Parameter])[],
): Parameter => ({
  kind: 'composite',
  path,
  modifiers: [],
  condition(value) {
    const parts = splitAt(value, '$')
    const [first = '', second = ''] = parts
    if (parts.length !== 2 || !first || !second)
      throw badValue(value, 'This needs two parts, joined by "$"')
    return orConditions(
      pairs.map(([one, other]) =>
        andConditions([one.condition(first, undefined), other.condition(second, undefined)]),
      ),
    )
  },
  present: orConditions(pairs.map(([one, other]) => andConditions([one.present, other.present]))),
})

/** A modifier that the parameter does not have. */
export const noModifier = (name: string, modifier: string) =>
  new FhirError(
    400,
    'not-supported',
    `The modifier ":${modifier.slice(0, 64)}" is not supported for "${name}".`,
  )
