import { FhirError } from './outcome'

/** Parses the values of search parameters (https://hl7.org/fhir/R4/search.html). Pure, so that each rule is tested. */

const PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb'] as const
export type Prefix = (typeof PREFIXES)[number]

/** `ge2024` -> ['ge', '2024']. `ap` (about) is refused. */
export function prefixed(value: string): [Prefix, string] {
  const found = /^([a-z]{2})(?=[\d+-])/.exec(value)?.[1]
  if (found === undefined) return ['eq', value]
  if (!isPrefix(found)) throw badValue(value, `The prefix "${found}" is not supported`)
  return [found, value.slice(2)]
}
const isPrefix = (text: string): text is Prefix => PREFIXES.some((prefix) => prefix === text)

export const badValue = (value: string, why: string) =>
  new FhirError(400, 'value', `${why}: "${value.slice(0, 100)}".`)

/** Splits at a sign that no backslash precedes; the parts keep their backslashes. */
export const splitAt = (value: string, sign: ',' | '$' | '|'): string[] => {
  const parts = ['']
  for (const [piece] of value.matchAll(/\\.|[^\\]|\\$/gsu)) {
    if (piece === sign) parts.push('')
    else parts[parts.length - 1] += piece
  }
  return parts
}

/** `\,` -> `,` and so on: of one value, after every split. */
export const unescaped = (value: string) => value.replaceAll(/\\([\\,$|])/g, '$1')

/** `system|code`. Without "|", `system` is undefined (any); with an empty system, it is "" (none). */
export function parseToken(value: string): { system?: string; code: string } {
  const parts = splitAt(value, '|').map(unescaped)
  if (parts.length === 1) return { code: parts[0]! }
  if (parts.length > 2 || (parts[0] === '' && parts[1] === ''))
    throw badValue(value, 'This is not a token')
  return { system: parts[0]!, code: parts[1]! }
}

/** Milliseconds since 1970: from `low` to before `high`. */
type Span = { low: number; high: number }

const DATE =
  /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?)?)?$/

/**
 * The span of time that a FHIR date, dateTime or instant stands for, by its precision; null if it is
 * none. Without a zone it is UTC, as Sanad writes its moments.
 */
export function parseDateSpan(text: string): Span | null {
  const found = DATE.exec(text)
  if (!found) return null
  const [, year, month, day, hour, minute, second, fraction, zone] = found
  const at = (part: string | undefined, none: number) => (part === undefined ? none : Number(part))
  const parts = [Number(year), at(month, 1), at(day, 1), at(hour, 0), at(minute, 0)] as const
  const [y, mo, d, h, mi] = parts
  const s = at(second, 0)
  const isReal = y > 0 && mo >= 1 && mo <= 12 && d >= 1 && d <= 31 && h <= 23 && mi <= 59 && s <= 59
  if (!isReal || new Date(Date.UTC(2000, mo - 1, d)).getUTCMonth() !== mo - 1) return null
  const ms = fraction ? Number(fraction.slice(0, 3).padEnd(3, '0')) : 0
  const utc = (years: number, months: number, days: number, more: number) => {
    const moment = new Date(0)
    moment.setUTCFullYear(years, months, days)
    return moment.getTime() + more
  }
  const shift = parseZoneOffset(zone)
  if (shift === null) return null
  const clock = ((h * 60 + mi) * 60 + s) * 1000 + ms - shift
  const low = utc(y, mo - 1, d, clock)
  if (month === undefined) return { low, high: utc(y + 1, 0, 1, 0) }
  if (day === undefined) return { low, high: utc(y, mo, 1, 0) }
  if (new Date(utc(y, mo - 1, d, 0)).getUTCDate() !== d) return null
  if (hour === undefined) return { low, high: utc(y, mo - 1, d + 1, 0) }
  if (second === undefined) return { low, high: low + 60_000 }
  return { low, high: low + (fraction ? 10 ** Math.max(0, 3 - fraction.length) : 1000) }
}

/** Milliseconds ahead of UTC; null if no place on Earth has such an offset. */
function parseZoneOffset(zone: string | undefined): number | null {
  if (zone === undefined || zone === 'Z') return 0
  const [hours, minutes] = zone.slice(1).split(':').map(Number) as [number, number]
  if (hours > 14 || minutes > 59) return null
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/** What a comparison asks of a stored value from `low` to `last` (both included, in steps of a unit). */
export type Compared =
  | { of: 'low' | 'last'; sign: '<' | '<=' | '>' | '>='; than: number }
  | { all: Compared[] }
  | { any: Compared[] }

/** The conditions of a prefix over the steps (1 ms, or a day) that a value has. */
export function compared(prefix: Prefix, { low, high }: Span, step: number): Compared {
  const up = (at: number) => Math.ceil(at / step) * step
  const down = (at: number) => Math.floor(at / step) * step
  const within: Compared = {
    all: [
      { of: 'low', sign: '>=', than: up(low) },
      // follows from the next: without it, PostgreSQL expects half of all rows from two open ranges, and reads them all
      { of: 'low', sign: '<=', than: down(high) - step },
      { of: 'last', sign: '<=', than: down(high) - step },
    ],
  }
  const above: Compared = { of: 'last', sign: '>', than: down(high) - step }
  const below: Compared = { of: 'low', sign: '<', than: up(low) }
  const conditions: Record<Prefix, Compared> = {
    eq: within,
    ne: {
      any: [
        { of: 'low', sign: '<', than: up(low) },
        { of: 'last', sign: '>', than: down(high) - step },
      ],
    },
    gt: above,
    lt: below,
    ge: { any: [above, within] },
    le: { any: [below, within] },
    sa: { of: 'low', sign: '>', than: up(high) - step },
    eb: { of: 'last', sign: '<', than: down(low) },
  }
  return conditions[prefix]
}

/**
 * A number with the range of its precision: 5.4 is from 5.35 to before 5.45, and 1e2, as R4 has it
 * (https://hl7.org/fhir/R4/search.html#number), from 95 to before 105.
 */
export function parseNumberRange(text: string): { value: number; low: number; high: number } {
  const found = /^[+-]?(?:\d{1,15})(?:\.(\d{1,15}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text)
  const value = Number(text)
  if (!found || !Number.isFinite(value)) throw badValue(text, 'This is not a number')
  const [, decimals = '', exponent] = found
  const unit = 10 ** (Number(exponent ?? 0) - decimals.length)
  const half = exponent === undefined ? unit / 2 : unit / 20
  return { value, low: value - half, high: value + half }
}
