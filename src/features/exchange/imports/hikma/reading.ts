import { isTooDeep, parseStored } from '~/db/stored-json'
import { stableId } from '../stable-id'
import type { UnplacedReason, Rule } from '../former-rules'
import type { ReviewedRule } from '../moved-in/moved-in'
import type { ImportedRecord } from '../write.server'
import { isId } from '~/shared/id'
import { isObject } from '~/shared/object'

/** A row of the source by column. JSON columns are text as they are stored, all else as `row_to_json` writes it. */
export type SourceRow = Readonly<Record<string, unknown>>

/** What the mapping changed, or what the user should look at. */
export type ImportNote = {
  rule: Rule
  column?: string
  value?: unknown
  /** A clinician decides what it means for this patient. */
  patientId?: string
}

/** A row of the target, or the reason why there is none; the source row is then kept in a file. */
export type HikmaReading =
  | { record: ImportedRecord; notes: ImportNote[] }
  | { unplaced: UnplacedReason }

/** What a mapping may know of a row that its row names. */
export type ReferencedRow = Readonly<{
  id: string
  is_deleted: boolean
  deleted_at?: string | null
  patient_id?: string | null
  clinic_id?: string | null
  drug_id?: string | null
  is_archived?: boolean
}>

export type ReferenceTable =
  | 'clinics'
  | 'users'
  | 'patients'
  | 'visits'
  | 'events'
  | 'event_forms'
  | 'drug_catalogue'
  | 'drug_batches'
  | 'prescriptions'
  | 'prescription_items'

/** Finds a row that is in Sanad; undefined if there is none. */
export type FindReference = (table: ReferenceTable, id: unknown) => ReferencedRow | undefined

/** Remembers the answers for the last texts: many values of a batch are equal. */
export function remembering<T extends object | string | undefined>(
  answer: (text: string) => T,
  most = 4_096,
): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const now = answer(text)
    if (known.size >= most) known.clear()
    known.set(text, now)
    return now
  }
}

const NUL_OR_LONE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** Text as it is, another value as JSON. */
export const sourceText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** Numbers that JavaScript would change keep their digits. */
const exact = (_key: string, value: unknown, context?: { source: string }) =>
  typeof value === 'number' && context && String(value) !== context.source
    ? (JSON as unknown as { rawJSON: (text: string) => unknown }).rawJSON(context.source) // newer than its types
    : value
const hasUnusualNumber = (text: string) => /\d{16}|\d[eE.]\d*/.test(text)

/** Undefined if it is no JSON. What has more levels than are stored becomes its own text. */
export function parseSourceJson(text: string): unknown {
  try {
    if (isTooDeep(text)) return parseStored(text)
    return hasUnusualNumber(text)
      ? JSON.parse(text, exact as (key: string, value: unknown) => unknown)
      : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

const isRaw = (value: object) =>
  (JSON as unknown as { isRawJSON: (value: unknown) => boolean }).isRawJSON(value) // nor this

/** Without the characters that PostgreSQL cannot store; keys as well. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(NUL_OR_LONE, '')
  if (Array.isArray(value)) return value.map(storable)
  if (typeof value !== 'object' || value === null || isRaw(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key.replaceAll(NUL_OR_LONE, ''), storable(one)]),
  )
}

const MOMENT = /^(\d{4,6})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d+)?(Z|[+-]\d\d(?::?\d\d)?)?$/

/**
 * A timestamp as PostgreSQL prints it, in UTC with milliseconds, rounded as `timestamptz(3)` rounds; undefined if it
 * is none (`infinity`, a year before Christ).
 */
export const parseTimestamp = (text: unknown): string | undefined =>
  typeof text === 'string' ? parseMoment(text) : undefined

const parseMoment = remembering((text) => {
  const parts = MOMENT.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', zone = 'Z'] = parts
  if (year!.length > 4) return undefined
  const offset = zone.length === 3 ? `${zone}:00` : zone
  const base = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  const moment = new Date(base + Math.round(Number(`0${fraction}`) * 1000))
  return Number.isFinite(moment.getTime()) ? moment.toISOString() : undefined
})

export const idOrStable = (kind: string, id: unknown): string =>
  isId(id) ? id.toLowerCase() : stableId(kind, String(id))

/** A list, also if the source stores it as a text inside JSON. */
export function listIn(value: unknown): unknown[] {
  // a text inside of JSON may hold what the database cannot store
  const parsed = typeof value === 'string' ? storable(parseSourceJson(value)) : value
  return Array.isArray(parsed) ? (parsed as unknown[]) : []
}

/** Reads the columns of one row and collects what it changed. */
export function reader(row: SourceRow) {
  const notes: ImportNote[] = []
  const kept: Record<string, unknown> = {}
  const note = (rule: Rule, column?: string, value?: unknown) =>
    notes.push({ rule, ...(column && { column }), ...(value !== undefined && { value }) })
  const read = {
    note,
    /** A word that lost its meaning, for the file that a clinician works through; kept in `metadata.hikma`. */
    forClinician(rule: ReviewedRule, column: string, value: unknown) {
      kept[column] = value
      notes.push({ rule, column, value, patientId: sourceText(row['patient_id'] ?? row['id']) })
    },
    /** Keeps an original value in `metadata.hikma`. */
    keep: (column: string, value: unknown) => {
      kept[column] = value
    },
    /** Null, or the text; at most `max` characters, the whole then in `metadata.hikma`. */
    text(column: string, max = Infinity): string | null {
      const value = row[column]
      if (value === null || value === undefined) return null
      const text = sourceText(value)
      const clean = text.replaceAll(NUL_OR_LONE, '')
      if (clean !== text) note('characters', column)
      if (Array.from(clean).length <= max) return clean
      note('cut', column)
      kept[column] = clean
      return Array.from(clean).slice(0, max).join('')
    },
    /** A name without the blanks around it; empty if there is none. */
    name(column: string, max: number): string {
      const given = read.text(column, max) ?? ''
      const name = given.trim()
      if (name && name !== given) note('blanks', column)
      return name
    },
    /** The text, or what Sanad has where the source has none. */
    textOr(column: string, otherwise: string, max = Infinity): string {
      if (row[column] === null) note('empty', column)
      return read.text(column, max) ?? otherwise
    },
    flag: (column: string, otherwise = false): boolean => {
      const value = row[column]
      if (value === null) note('empty', column)
      return typeof value === 'boolean' ? value : otherwise
    },
    number: (column: string): number | null => {
      const value = row[column]
      return typeof value === 'number' && Number.isFinite(value) ? value : null
    },
    /** The moment, or that of the row. */
    momentOr(column: string, otherwise: string): string {
      const moment = read.moment(column)
      if (moment === null && row[column] === null) note('noTime', column)
      return moment ?? otherwise
    },
    /** Null for an infinite one, which is listed. */
    moment(column: string): string | null {
      const value = row[column]
      if (value === null || value === undefined) return null
      const moment = parseTimestamp(value)
      if (moment !== undefined) return moment
      note('date', column, value)
      kept[column] = value
      return null
    },
    day(column: string): string | null {
      const value = row[column]
      if (value === null || value === undefined) return null
      const text = sourceText(value)
      const day = text.slice(0, 10)
      if (/^\d{4}-\d\d-\d\d$/.test(day) && !text.endsWith('BC')) return day
      note('date', column, value)
      kept[column] = value
      return null
    },
    json(column: string, otherwise: unknown): unknown {
      const value = row[column]
      if (value === null && column !== 'metadata') note('empty', column)
      if (value === null || value === undefined) return otherwise
      const parsed = typeof value === 'string' ? parseSourceJson(value) : value
      if (parsed === null && column !== 'metadata') note('empty', column)
      if (parsed === undefined || parsed === null) return otherwise
      const clean = storable(parsed)
      if (typeof value === 'string' && isTooDeep(value)) note('deep', column)
      if (typeof value === 'string' && /\\u(0000|d[89a-f])/i.test(value)) {
        if (JSON.stringify(clean) !== JSON.stringify(parsed)) note('characters', column)
      }
      return clean
    },
    list(column: string): unknown[] {
      const stored = read.json(column, [])
      if (typeof stored === 'string') note('parsed', column)
      else if (!Array.isArray(stored)) note('noList', column)
      return listIn(stored)
    },
    /** The source's own metadata, with the kept originals under `hikma`. Read it last. */
    metadata(): unknown {
      const own = read.json('metadata', {})
      if (Object.keys(kept).length === 0) return own
      return { ...(isObject(own) ? own : { value: own }), hikma: storable(kept) }
    },
    stamps() {
      const created =
        read.moment('created_at') ?? read.moment('updated_at') ?? read.moment('last_modified')
      for (const column of ['created_at', 'updated_at'])
        if (row[column] === null) note('noTime', column)
      const updated = read.moment('updated_at') ?? created
      const is_deleted = read.flag('is_deleted')
      const moment = created ?? '1970-01-01T00:00:00.000Z'
      if (is_deleted && row['deleted_at'] === null) note('noTime', 'deleted_at')
      return {
        is_deleted,
        deleted_at: is_deleted ? (read.moment('deleted_at') ?? updated ?? moment) : null,
        created_at: moment,
        updated_at: updated ?? moment,
      }
    },
    /** The id if Sanad has that row; else null, listed. */
    reference(column: string, table: ReferenceTable, known: FindReference): string | null {
      const id = row[column]
      if (id === null || id === undefined) return null
      if (known(table, id)) return sourceText(id)
      note('unknown', column, id)
      return null
    },
    /** One of the values; else `otherwise`, listed, the original in `metadata.hikma` if `keeps`. */
    oneOf(column: string, values: readonly string[], otherwise: string, keeps = false): string {
      const value = row[column]
      if (typeof value === 'string' && values.includes(value)) return value
      if (value === null) note('empty', column)
      if (value !== null && value !== undefined) note('value', column, value)
      if (keeps && value !== null && value !== undefined) kept[column] = value
      return otherwise
    },
    /** As `oneOf`, of a word that a clinician has to interpret. */
    wordOf(
      rule: ReviewedRule,
      column: string,
      values: readonly string[],
      otherwise: string,
    ): string {
      const value = row[column]
      if (typeof value === 'string' && values.includes(value)) return value
      if (value === null) note('empty', column)
      if (value !== null && value !== undefined) read.forClinician(rule, column, value)
      return otherwise
    },
    done: (record: ImportedRecord): HikmaReading => ({ record, notes }),
  }
  return read
}
export type RowReader = ReturnType<typeof reader>

/** An entry that the source calls entered in error is deleted: it never was true of this patient. */
export function deletedAsWithdrawn<
  S extends { is_deleted: boolean; deleted_at: string | null; updated_at: string },
>(read: RowReader, stamps: S, column: string, value: unknown): S {
  read.forClinician('withdrawn', column, value)
  return stamps.is_deleted ? stamps : { ...stamps, is_deleted: true, deleted_at: stamps.updated_at }
}

/** A live row of a deleted patient or visit is deleted along, because the source forgets some. */
export function deletedAlong<S extends { is_deleted: boolean; deleted_at: string | null }>(
  read: RowReader,
  stamps: S,
  parents: readonly (ReferencedRow | undefined)[],
): S {
  const parent = parents.find((one) => one?.is_deleted)
  if (stamps.is_deleted || !parent) return stamps
  read.note('deletedAlong')
  return { ...stamps, is_deleted: true, deleted_at: parent.deleted_at ?? stamps.deleted_at }
}
