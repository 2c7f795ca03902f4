import { isDeepStrictEqual } from 'node:util'
import type { MessageKey } from '~/shared/language'

/** What a row holds on the wire. */
export type Wire = string | number | boolean | null

/**
 * How one column looks on a phone and in the database. WatermelonDB drops a value of the wrong type, so each arrives
 * exactly as the phone's schema has it (mobile-sync.md, sections 3 and 4).
 */
export type Kind = {
  /** The phone's value, as SQL over the column; what the phone cannot hold as null becomes 0 or "". */
  read: (column: string) => string
  /** The type in which a phone's value comes into SQL, and the column's value made of it. */
  sent: 'text' | 'numeric' | 'boolean'
  write: (value: string) => string
  /** What a phone sent, brought into one form; the second is what is wrong with it. Absent and null are the same. */
  check: (value: unknown) => Wire | Wrong
  /** Nothing in its text has to be escaped in JSON. */
  isPlain?: true
  /** Two texts may say the same. */
  isJson?: true
  /** Milliseconds since 1970. */
  isMoment?: true
}

export class Wrong {
  constructor(readonly reason: Extract<MessageKey, `sync.reason_${string}`>) {}
}

const WRONG_TYPE = new Wrong('sync.reason_wrongType')
const CHARACTERS = new Wrong('sync.reason_characters')

/** PostgreSQL keeps neither NUL nor half a surrogate pair. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** A number or boolean where a text belongs is what it says: older apps wrote answers that way. */
function asText(value: unknown): string | null | Wrong {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return WRONG_TYPE
  return isStorable(value) ? value : CHARACTERS
}

function asNumber(value: unknown): number | null | Wrong {
  if (value === null || value === undefined || value === '') return null
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : WRONG_TYPE
}

function asBoolean(value: unknown): boolean | null | Wrong {
  if (value === null || value === undefined || value === '') return null
  // SQLite knows no booleans
  if (value === 0 || value === 1) return value === 1
  return typeof value === 'boolean' ? value : WRONG_TYPE
}

/** Milliseconds since 1970. ISO text is taken as well. Out of the range of dates is a wrong type. */
function asMoment(value: unknown): number | null | Wrong {
  if (value === null || value === undefined || value === '') return null
  const at =
    typeof value === 'string' && /^\d{4}-/.test(value) ? Date.parse(value) : asNumber(value)
  if (at instanceof Wrong || at === null) return at ?? null
  return Number.isNaN(new Date(at).getTime()) || at < EARLIEST || at > LATEST
    ? WRONG_TYPE
    : Math.round(at)
}
// PostgreSQL's timestamps begin in 4713 BC; a year of five digits is a slip of the finger that JavaScript cannot read back
const EARLIEST = Date.UTC(-4000, 0, 1)
const LATEST = Date.UTC(9999, 11, 31)

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
export const isId = (value: unknown): value is string =>
  typeof value === 'string' && UUID.test(value)

/** "" is no id. */
function asId(value: unknown): string | null | Wrong {
  if (value === null || value === undefined || value === '') return null
  return isId(value) ? value.toLowerCase() : WRONG_TYPE
}

/** `YYYY-MM-DD`, also at the front of a longer text. */
function asDay(value: unknown): string | null | Wrong {
  if (value === null || value === undefined || value === '') return null
  const day =
    typeof value === 'string' ? /^(\d{4}-\d{2}-\d{2})($|[T ])/.exec(value)?.[1] : undefined
  const at = day ? new Date(`${day}T00:00:00Z`) : undefined
  // 30 February is a date to JavaScript: another one
  return at && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day!) ? day! : WRONG_TYPE
}

/** JSON as text. "" and null are its empty value; what is JSON already is written down. */
const asJson =
  (empty: string) =>
  (value: unknown): string | Wrong => {
    if (value === null || value === undefined || value === '') return empty
    if (typeof value !== 'string')
      return typeof value === 'object' ? JSON.stringify(value) : WRONG_TYPE
    if (!isStorable(value)) return CHARACTERS
    try {
      return JSON.parse(value) === null ? empty : value
    } catch {
      return new Wrong('sync.reason_notJson')
    }
  }

const orNothing =
  <T extends Wire>(check: (value: unknown) => T | null | Wrong, nothing: T) =>
  (value: unknown) =>
    check(value) ?? nothing

const milliseconds = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`
const fromMilliseconds = (value: string) => `to_timestamp(${value}::float8 / 1000)`
const same = (value: string) => value

/** Text that is required on devices and null here when it is empty. */
export const text: Kind = {
  read: (column) => `coalesce(${column}, '')`,
  sent: 'text',
  write: (value) => `nullif(${value}, '')`,
  check: orNothing(asText, ''),
}
/** A text that both always have. */
export const words: Kind = { ...text, read: same, write: (value) => `coalesce(${value}, '')` }
export const textOrNull: Kind = { read: same, sent: 'text', write: same, check: asText }

export const id: Kind = {
  read: (column) => `coalesce(${column}::text, '')`,
  sent: 'text',
  write: (value) => `nullif(${value}, '')::uuid`,
  check: orNothing(asId, ''),
  isPlain: true,
}
export const idOrNull: Kind = { ...id, read: (column) => `${column}::text`, check: asId }

export const number: Kind = {
  read: (column) => `coalesce(${column}, 0)`,
  sent: 'numeric',
  write: (value) => `coalesce(${value}, 0)`,
  check: orNothing(asNumber, 0),
}
/** Of stock: phones know no quarantine, so of a batch that is in it there is nothing to hand out. */
export const stockNumber: Kind = {
  ...number,
  read: (column) => `case when t.metadata @> '{"is_quarantined": true}' then 0 else ${column} end`,
}
export const numberOrNull: Kind = { read: same, sent: 'numeric', write: same, check: asNumber }
/** A number here, a text on the phone. */
export const numberAsText: Kind = {
  ...text,
  read: (column) => `coalesce(${column}::text, '')`,
  write: (value) => `nullif(${value}, '')::numeric`,
}

export const boolean: Kind = {
  read: (column) => `coalesce(${column}, false)`,
  sent: 'boolean',
  write: (value) => `coalesce(${value}, false)`,
  check: orNothing(asBoolean, false),
}
export const booleanOrNull: Kind = { read: same, sent: 'boolean', write: same, check: asBoolean }

/** A moment that is always known. */
export const moment: Kind = {
  read: milliseconds,
  sent: 'numeric',
  write: (value) => `coalesce(${fromMilliseconds(value)}, now())`,
  check: asMoment,
  isMoment: true,
}
export const momentOrNull: Kind = { ...moment, write: fromMilliseconds }
/** A moment that the phone cannot leave open: 0 is none. */
export const momentOrZero: Kind = {
  ...moment,
  read: (column) => `coalesce(${milliseconds(column)}, 0)`,
  write: (value) => fromMilliseconds(`nullif(${value}, 0)`),
  check: orNothing(asMoment, 0),
}
/** A calendar day as a moment: midnight in UTC. */
export const dayAsMoment: Kind = {
  ...momentOrZero,
  read: (column) => milliseconds(`(${column}::timestamp at time zone 'UTC')`),
}
export const day: Kind = {
  read: (column) => `coalesce(${column}::text, '')`,
  sent: 'text',
  write: (value) => `nullif(${value}, '')::date`,
  check: orNothing(asDay, ''),
  isPlain: true,
}

export const json: Kind = {
  read: (column) => `${column}::text`,
  sent: 'text',
  write: (value) => `${value}::jsonb`,
  check: asJson('{}'),
  isJson: true,
}
export const jsonList: Kind = { ...json, check: asJson('[]') }
/** A list of PostgreSQL, as JSON. Phones only read these. */
export const list: Kind = { ...jsonList, read: (column) => `array_to_json(${column})::text` }

/** SQL for a column's value on the wire, as JSON. */
export function jsonOf(kind: Kind, column: string): string {
  const value = kind.read(column)
  if (kind.sent !== 'text') return `coalesce((${value})::text, 'null')`
  return kind.isPlain
    ? `coalesce('"' || ${value} || '"', 'null')`
    : `coalesce(to_json(${value}), 'null')`
}

/** Whether two values of a column say the same. */
export function isSame(kind: Kind, one: Wire, other: Wire): boolean {
  if (one === other) return true
  if (!kind.isJson || typeof one !== 'string' || typeof other !== 'string') return false
  return isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
}
