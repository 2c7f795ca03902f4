import { isDeepStrictEqual } from 'node:util'
import { isTooDeep, parseStored } from '~/db/stored-json'
import type { DeviceKind } from '~/records/record'
import type { MessageKey } from '~/shared/language'
import { isId } from '~/shared/id'

/** A value as it is sent to and from phones. */
export type Wire = string | number | boolean | null

/**
 * How a column is held on phones and in the database. WatermelonDB drops a value of the wrong type,
 * so each value is sent exactly as the phone's schema requires.
 */
export type SyncColumnKind = {
  /**
   * SQL for the phone's value of a column. Null becomes 0 or "" where the phone requires a value.
   */
  read: (column: string) => string
  /** The type in which a phone's value enters SQL, and the SQL for the column's value. */
  sent: 'text' | 'numeric' | 'boolean'
  write: (value: string) => string
  /**
   * Normalizes a value that a phone sent, or says what is wrong with it. Absent and null are the
   * same.
   */
  check: (value: unknown) => Wire | Wrong
  /** Its text never needs escaping in JSON. */
  isPlain?: true
  /** Different texts may be the same JSON value. */
  isJson?: true
  /** Milliseconds since 1970. */
  isMoment?: true
  /** It holds the columns of a newer app by name; devices have each of them beside the others. */
  isBeside?: true
}

export class Wrong {
  constructor(readonly reason: Extract<MessageKey, `sync.reason_${string}`>) {}
}

const WRONG_TYPE = new Wrong('sync.reason_wrongType')
const CHARACTERS = new Wrong('sync.reason_characters')
const TOO_DEEP = new Wrong('sync.reason_tooDeep')

/** PostgreSQL stores neither NUL nor an unpaired surrogate. */
const isStorable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** A number or boolean is accepted as text: older apps wrote answers that way. */
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
  // SQLite has no boolean type
  if (value === 0 || value === 1) return value === 1
  return typeof value === 'boolean' ? value : WRONG_TYPE
}

/** Milliseconds since 1970, or ISO text. A value outside the range of dates has the wrong type. */
function asMoment(value: unknown): number | null | Wrong {
  if (value === null || value === undefined || value === '') return null
  const at =
    typeof value === 'string' && /^\d{4}-/.test(value) ? Date.parse(value) : asNumber(value)
  if (at instanceof Wrong || at === null) return at ?? null
  return Number.isNaN(new Date(at).getTime()) || at < EARLIEST || at > LATEST
    ? WRONG_TYPE
    : Math.round(at)
}
// PostgreSQL's timestamps begin in 4713 BC; JavaScript cannot parse the text of a year of five
// digits
const EARLIEST = Date.UTC(-4000, 0, 1)
const LATEST = Date.UTC(9999, 11, 31)

/** "" means no id. */
function asId(value: unknown): string | null | Wrong {
  if (value === null || value === undefined || value === '') return null
  return isId(value) ? value.toLowerCase() : WRONG_TYPE
}

/** A UUID in lower case, or another text verbatim: ids in older registration forms are any text. */
function asFieldId(value: unknown): string | null | Wrong {
  return isId(value) ? value.toLowerCase() : asText(value)
}

/** `YYYY-MM-DD`, alone or at the start of a date and time. */
function asDay(value: unknown): string | null | Wrong {
  if (value === null || value === undefined || value === '') return null
  const day =
    typeof value === 'string' ? /^(\d{4}-\d{2}-\d{2})($|[T ])/.exec(value)?.[1] : undefined
  const at = day ? new Date(`${day}T00:00:00Z`) : undefined
  // JavaScript reads 30 February as 2 March
  return at && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day!) ? day! : WRONG_TYPE
}

/** JSON as text. "" and null become the empty value; an object is serialized. */
const asJson =
  (empty: string) =>
  (value: unknown): string | Wrong => {
    if (value === null || value === undefined || value === '') return empty
    if (typeof value !== 'string')
      return typeof value === 'object' ? JSON.stringify(value) : WRONG_TYPE
    if (!isStorable(value)) return CHARACTERS
    if (isTooDeep(value)) return TOO_DEEP
    try {
      return JSON.parse(value) === null ? empty : value
    } catch {
      return new Wrong('sync.reason_notJson')
    }
  }

const orEmpty =
  <T extends Wire>(check: (value: unknown) => T | null | Wrong, empty: T) =>
  (value: unknown) =>
    check(value) ?? empty

const milliseconds = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`
const fromMilliseconds = (value: string) => `to_timestamp(${value}::float8 / 1000)`
const same = (value: string) => value

/** "" on phones, null in the database. */
const text: SyncColumnKind = {
  read: (column) => `coalesce(${column}, '')`,
  sent: 'text',
  write: (value) => `nullif(${value}, '')`,
  check: orEmpty(asText, ''),
}
/** Null on neither side. */
const requiredText: SyncColumnKind = {
  ...text,
  read: same,
  write: (value) => `coalesce(${value}, '')`,
}
const nullableText: SyncColumnKind = { read: same, sent: 'text', write: same, check: asText }

const id: SyncColumnKind = {
  read: (column) => `coalesce(${column}::text, '')`,
  sent: 'text',
  write: (value) => `nullif(${value}, '')::uuid`,
  check: orEmpty(asId, ''),
  isPlain: true,
}
const nullableId: SyncColumnKind = { ...id, read: (column) => `${column}::text`, check: asId }

/** The id of a field of a registration form. */
const fieldId: SyncColumnKind = { ...text, check: orEmpty(asFieldId, '') }

const number: SyncColumnKind = {
  read: (column) => `coalesce(${column}, 0)`,
  sent: 'numeric',
  write: (value) => `coalesce(${value}, 0)`,
  check: orEmpty(asNumber, 0),
}
/** Phones know no quarantine, so a batch in quarantine has a stock of 0 there. */
const stockNumber: SyncColumnKind = {
  ...number,
  read: (column) => `case when t.metadata @> '{"is_quarantined": true}' then 0 else ${column} end`,
}
/**
 * The app counts one fill of a prescription item at a time and refuses to dispense more than
 * `quantity_prescribed` of it; the database counts all fills. A fill that is complete counts as used
 * if another one is authorized, so that the app offers it.
 */
const FILLS = 'least(floor(t.quantity_dispensed / t.quantity_prescribed), t.refills_authorized)'
const fillQuantity: SyncColumnKind = {
  ...number,
  read: (column) => `least(${column} - ${FILLS} * t.quantity_prescribed, t.quantity_prescribed)`,
}
const fillsUsed: SyncColumnKind = { ...number, read: () => FILLS }
/** The app knows active, completed and cancelled. */
const itemStatus: SyncColumnKind = {
  ...requiredText,
  read: (column) => `case ${column} when 'partially_dispensed' then 'active' else ${column} end`,
}
const nullableNumber: SyncColumnKind = { read: same, sent: 'numeric', write: same, check: asNumber }
/** A number in the database, text on phones. */
const numberAsText: SyncColumnKind = {
  ...text,
  read: (column) => `coalesce(${column}::text, '')`,
  write: (value) => `nullif(${value}, '')::numeric`,
}

const boolean: SyncColumnKind = {
  read: (column) => `coalesce(${column}, false)`,
  sent: 'boolean',
  write: (value) => `coalesce(${value}, false)`,
  check: orEmpty(asBoolean, false),
}
const nullableBoolean: SyncColumnKind = {
  read: same,
  sent: 'boolean',
  write: same,
  check: asBoolean,
}

/** Null on neither side. */
const moment: SyncColumnKind = {
  read: milliseconds,
  sent: 'numeric',
  write: (value) => `coalesce(${fromMilliseconds(value)}, now())`,
  check: asMoment,
  isMoment: true,
}
const nullableMoment: SyncColumnKind = { ...moment, write: fromMilliseconds }
/** 0 on phones, null in the database. */
const momentOrZero: SyncColumnKind = {
  ...moment,
  read: (column) => `coalesce(${milliseconds(column)}, 0)`,
  write: (value) => fromMilliseconds(`nullif(${value}, 0)`),
  check: orEmpty(asMoment, 0),
}
/** A calendar day that phones hold as a moment: midnight in UTC. */
const dayAsMoment: SyncColumnKind = {
  ...momentOrZero,
  read: (column) => milliseconds(`(${column}::timestamp at time zone 'UTC')`),
}
const day: SyncColumnKind = {
  read: (column) => `coalesce(${column}::text, '')`,
  sent: 'text',
  write: (value) => `nullif(${value}, '')::date`,
  check: orEmpty(asDay, ''),
  isPlain: true,
}

const json: SyncColumnKind = {
  read: (column) => `${column}::text`,
  sent: 'text',
  write: (value) => `${value}::jsonb`,
  check: asJson('{}'),
  isJson: true,
}

/** Bytes of the columns of a newer app that are stored with a row. */
const MOST_BESIDE = 64 * 1024
const COLUMN = /^[a-z]\w{0,62}$/i
/** Columns of a newer version of the app: values as SQLite has them. */
const besides: SyncColumnKind = {
  ...json,
  read: (column) => `coalesce(${column}, '{}')::text`,
  write: (value) => `nullif(${value}::jsonb, '{}')`,
  check(value) {
    const checkedText = json.check(value)
    if (typeof checkedText !== 'string') return checkedText
    const columns = JSON.parse(checkedText) as unknown
    if (typeof columns !== 'object' || columns === null || Array.isArray(columns)) return WRONG_TYPE
    if (Buffer.byteLength(checkedText) > MOST_BESIDE) return new Wrong('sync.reason_unknownTooLong')
    for (const [name, each] of Object.entries(columns)) {
      if (!COLUMN.test(name) || (typeof each === 'object' && each !== null)) return WRONG_TYPE
      if (typeof each === 'string' && !isStorable(each)) return CHARACTERS
    }
    return checkedText
  },
  isBeside: true,
}
const jsonList: SyncColumnKind = { ...json, check: asJson('[]') }
/** A PostgreSQL array, as JSON. Phones only read these. */
const list: SyncColumnKind = { ...jsonList, read: (column) => `array_to_json(${column})::text` }

export const syncColumnKinds: Readonly<Record<DeviceKind | 'besides', SyncColumnKind>> = {
  text,
  requiredText,
  'text?': nullableText,
  id,
  'id?': nullableId,
  fieldId,
  number,
  'number?': nullableNumber,
  numberAsText,
  stockNumber,
  fillQuantity,
  fillsUsed,
  itemStatus,
  boolean,
  'boolean?': nullableBoolean,
  moment,
  'moment?': nullableMoment,
  momentOrZero,
  dayAsMoment,
  day,
  json,
  jsonList,
  list,
  besides,
}

/** SQL for the JSON of a column's value on phones. */
export function columnJsonSql(kind: SyncColumnKind, column: string): string {
  const value = kind.read(column)
  if (kind.sent !== 'text') return `coalesce((${value})::text, 'null')`
  return kind.isPlain
    ? `coalesce('"' || ${value} || '"', 'null')`
    : `coalesce(to_json(${value}), 'null')`
}

/** Whether two values of a column are the same. */
export function isSame(kind: SyncColumnKind, one: Wire, other: Wire): boolean {
  if (one === other) return true
  if (!kind.isJson || typeof one !== 'string' || typeof other !== 'string') return false
  return isDeepStrictEqual(parseStored(one), parseStored(other))
}
