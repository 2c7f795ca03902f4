import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'

export type Row = Record<string, unknown>

/** What the page allows for a value, where it allows more than one. */
export class Any {
  constructor(
    readonly allows: (value: unknown, row: Row) => boolean,
    readonly text: string,
  ) {}
}
export const anything = new Any(() => true, 'anything')
export const something = new Any((value) => value !== null, 'not null')
export const oneOf = (...values: unknown[]) =>
  new Any((value) => values.some((one) => same(one, value, {})), `one of ${JSON.stringify(values)}`)

/** What must stand in Sanad for one row of the source. */
type Expected =
  | { unplaced: string }
  /** `rules` names the rule of each column that is not the source's value. */
  | { columns: Row; rules: Record<string, string> }

export type Table = {
  name: string
  /** Selects `id`, the whole row as `row`, and what else the rules need, in the order of `id`. */
  source: string
  expect: (row: Row, context: Row) => Expected
  /** Selects `id` and `row` in the order of `id`; by default all rows of the table of this name. */
  target?: string
}

type Finding = {
  table: string
  id: string
  column: string
  expected: unknown
  actual: unknown
}
type Counts = {
  equal: number
  changed: number
  unplaced: number
  missing: number
  extra: number
}
export type Comparison = {
  counts: Record<string, Counts>
  /** Rows (or values of a row) that a rule explains, by "table: rule". */
  rules: Record<string, number>
  unexplained: number
  /** The first of them. */
  findings: Finding[]
}

const PAGE = 2_000
const SHOWN = 200

/** Reads a query page by page, so that memory does not grow with its rows. */
export async function* rowsOf(client: Client, sql: string): AsyncGenerator<Row> {
  const cursor = `c${createHash('md5').update(sql).digest('hex')}`
  await client.query(`declare ${cursor} no scroll cursor for ${sql}`)
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${PAGE} from ${cursor}`)
    yield* rows
    if (rows.length < PAGE) break
  }
  await client.query(`close ${cursor}`)
}

const TIME = /^\d{4,}-\d\d-\d\dT\d\d:\d\d/

/** Sanad keeps milliseconds, the source microseconds. */
function same(expected: unknown, actual: unknown, row: Row): boolean {
  if (expected instanceof Any) return expected.allows(actual, row)
  if (expected === actual) return true
  if (typeof expected === 'string' && typeof actual === 'string')
    return (
      TIME.test(expected) &&
      TIME.test(actual) &&
      Math.abs(Date.parse(expected) - Date.parse(actual)) <= 1
    )
  return typeof expected === 'object' && expected !== null && isDeepStrictEqual(expected, actual)
}

export class Reader {
  readonly comparison: Comparison = { counts: {}, rules: {}, unexplained: 0, findings: [] }
  constructor(
    readonly source: Client,
    readonly target: Client,
  ) {}

  rule(table: string, rule: string, count = 1) {
    const name = `${table}: ${rule}`
    this.comparison.rules[name] = (this.comparison.rules[name] ?? 0) + count
  }

  finding(table: string, id: string, column: string, expected: unknown, actual: unknown) {
    this.comparison.unexplained += 1
    if (this.comparison.findings.length < SHOWN)
      this.comparison.findings.push({
        table,
        id,
        column,
        expected: expected instanceof Any ? expected.text : expected,
        actual,
      })
  }

  countsOf(table: string) {
    return (this.comparison.counts[table] ??= {
      equal: 0,
      changed: 0,
      unplaced: 0,
      missing: 0,
      extra: 0,
    })
  }

  /** One row of the source and its row in Sanad. */
  row(table: string, id: string, expected: Expected, actual: Row | undefined) {
    const counts = this.countsOf(table)
    if ('unplaced' in expected) {
      if (actual) return this.finding(table, id, '', `unplaced: ${expected.unplaced}`, actual)
      counts.unplaced += 1
      return this.rule(table, expected.unplaced)
    }
    if (!actual) {
      counts.missing += 1
      return this.finding(table, id, '', 'a row', 'none')
    }
    const different = Object.entries(expected.columns).filter(
      ([column, value]) => !same(value, actual[column], actual),
    )
    for (const [column, value] of different) this.finding(table, id, column, value, actual[column])
    if (different.length) return
    const rules = new Set(Object.values(expected.rules))
    for (const rule of rules) this.rule(table, rule)
    if (rules.size) counts.changed += 1
    else counts.equal += 1
  }

  /** Walks through both sides in the order of `id`. `onExtra` takes rows that the source does not have. */
  async table({ name, source, expect, target }: Table, onExtra?: (row: Row) => boolean) {
    const there = rowsOf(
      this.target,
      target ?? `select id::text, to_jsonb(t) as row from ${name} t order by t.id`,
    )
    const extra = (row: Row) => {
      if (onExtra?.(row)) return
      this.countsOf(name).extra += 1
      this.finding(name, String(row['id']), '', 'no row', row)
    }
    this.countsOf(name)
    let next = await there.next()
    for await (const { id, row, ...context } of rowsOf(this.source, source)) {
      const key = String(id)
      while (!next.done && String(next.value['id']) < key) {
        extra(next.value['row'] as Row)
        next = await there.next()
      }
      const found = !next.done && next.value['id'] === key ? (next.value['row'] as Row) : undefined
      if (found) next = await there.next()
      this.row(name, key, expect(row as Row, context), found)
    }
    for (; !next.done; next = await there.next()) extra(next.value['row'] as Row)
  }
}

const NAMESPACE = Buffer.from('8f4b1c0e5d0b4c589a620d1f6f3f2b7a', 'hex')

/** UUID v5 (RFC 9562, 5.5) over the words as JSON, as the page's stableId. */
export function stableUuid(...words: string[]) {
  const hash = createHash('sha1').update(NAMESPACE).update(JSON.stringify(words)).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-')
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
/** An id of the source that is no UUID becomes a stable one. */
export const attributeId = (id: string) =>
  UUID.test(id) ? id.toLowerCase() : stableUuid('hikma.attribute', id)

/** Without NUL and lone surrogates, in every text of a JSON value. */
export function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '').replaceAll(/\p{Surrogate}/gu, '')
  if (Array.isArray(value)) return value.map(cleaned)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [cleaned(key), cleaned(one)]),
    )
  return value
}

/** The expected row, rule by rule. */
export class Draft {
  readonly columns: Row = {}
  readonly rules: Record<string, string> = {}
  private readonly originals: unknown[] = []
  private mayKeep = false
  constructor(
    private readonly row: Row,
    columns: readonly string[],
  ) {
    for (const column of columns) this.columns[column] = row[column]
  }

  /** The column has another value than at the source. */
  set(column: string, value: unknown, rule: string) {
    if (!(value instanceof Any) && same(this.columns[column], value, {})) return this
    this.columns[column] = value
    this.rules[column] = rule
    return this
  }

  /** As `set`; metadata.hikma holds the source's value. */
  setKept(column: string, value: unknown, rule: string, original = this.row[column]) {
    this.originals.push(original)
    return this.set(column, value, rule)
  }

  /** metadata.hikma holds a value that has no column. */
  original(value: unknown, rule: string) {
    this.originals.push(value)
    return this.note(rule)
  }

  allow(column: string, value: unknown) {
    this.columns[column] = value
    return this
  }

  note(rule: string) {
    this.rules[`(${rule})`] = rule
    return this
  }

  /** Text over Sanad's limit is cut. */
  cut(column: string, limit: number) {
    const text = this.row[column]
    if (typeof text === 'string' && text.length > limit)
      this.setKept(
        column,
        new Any(
          (value) =>
            typeof value === 'string' &&
            value.length > limit - 20 &&
            value.length <= limit &&
            text.startsWith(value.replace(/…$/u, '')),
          'the beginning',
        ),
        'text over the limit',
      )
    return this
  }

  times(columns: readonly string[] = ['created_at', 'updated_at']) {
    for (const column of columns) {
      this.columns[column] = this.row[column]
      if (this.row[column] === null) this.set(column, something, 'no time')
    }
    return this
  }

  /** Deleted at the source, or with its parent. */
  deletion(isParentDeleted = false) {
    const isDeleted = this.row['is_deleted'] === true
    this.columns['is_deleted'] = isDeleted || isParentDeleted
    if (isDeleted) {
      const at = this.row['deleted_at'] ?? this.row['updated_at'] ?? something
      this.columns['deleted_at'] = at
      if (this.row['deleted_at'] === null) this.rules['deleted_at'] = 'deletion without a time'
    } else if (isParentDeleted) {
      this.columns['deleted_at'] = something
      this.rules['is_deleted'] = 'deleted along'
    } else this.columns['deleted_at'] = null
    return this
  }

  metadata() {
    const source = cleaned(this.row['metadata'])
    if (!isDeepStrictEqual(source, this.row['metadata']))
      this.rules['metadata'] = 'characters removed'
    const originals = this.originals
    const mayKeep = () => this.mayKeep || Object.keys(this.rules).length > 0
    this.columns['metadata'] = new Any(
      (value) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
        const { hikma, ...rest } = value as Row
        if (!isDeepStrictEqual(rest, source)) return false
        const kept = JSON.stringify(hikma ?? null)
        return (
          (hikma === undefined || mayKeep()) &&
          originals.every((original) =>
            typeof original === 'string'
              ? kept.includes(JSON.stringify(original).slice(1, -1))
              : hikma !== undefined,
          )
        )
      },
      `${JSON.stringify(source)} with ${JSON.stringify(originals)} in hikma`,
    )
    return this
  }

  keeps() {
    this.mayKeep = true
    return this
  }

  end(): Expected {
    return { columns: this.columns, rules: this.rules }
  }
}
