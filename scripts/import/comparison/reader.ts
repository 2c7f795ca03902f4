import { createHash, hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Client } from 'pg'
import type { UnplacedReason, Rule } from '~/features/exchange/imports/former-rules'

export type ComparedRow = Record<string, unknown>
/** Text as it is, another value as JSON. */
export const textOrJson = (value: unknown) =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** What the page allows for a value, where it allows more than one. */
export class Any {
  constructor(
    readonly allows: (value: unknown, row: ComparedRow) => boolean,
    readonly text: string,
  ) {}
}
export const anything = new Any(() => true, 'anything')
export const something = new Any((value) => value !== null, 'not null')
export const anyOfValues = (...values: unknown[]) =>
  new Any((value) => values.some((one) => same(one, value, {})), `one of ${JSON.stringify(values)}`)

/** What must stand in Sanad for one row of the source. */
type Expected =
  | { unplaced: UnplacedReason }
  /** `rules` names the rule of each column that is not the source's value. */
  | {
      columns: ComparedRow
      rules: Record<string, Rule>
      source: ComparedRow
      calculated: ReadonlySet<string>
    }

export type ComparedTable = {
  name: string
  /** Selects `id`, the whole row as `row`, and what else the rules need, in the order of `id`. */
  source: string
  expect: (row: ComparedRow, context: ComparedRow) => Expected
  /** Selects `id` and `row` in the order of `id`; by default all rows of the table of this name. */
  target?: string
}

export type Finding = {
  table: string
  id: string
  column: string
  expected: unknown
  actual: unknown
  /** The row was changed in Sanad by something other than an import. */
  isChangedHere?: boolean
}
type Counts = {
  equal: number
  changed: number
  unplaced: number
  missing: number
  extra: number
  /** Of the rows that have a place in Sanad. */
  source: { live: number; deleted: number }
  sanad: { live: number; deleted: number }
}
/** Of the values of a column on one side; two sides with equal digests hold equal values in equal rows. */
type Side = { values: number; digest: bigint }
export type ColumnComparison = {
  source: Side
  sanad: Side
  equal: number
  converted: number
  different: number
}
export type ComparisonReport = {
  counts: Record<string, Counts>
  columns: Record<string, Record<string, ColumnComparison>>
  /** Rows (or values of a row) that a rule explains, by "table: rule". */
  rules: Record<string, number>
  /** Differences in rows that were changed in Sanad by something other than an import. */
  changedHere: number
  unexplained: number
  /** The first of them. */
  findings: Finding[]
}

const PAGE = 2_000
const SHOWN = 200
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Differences that are looked up in the audit trail at a time. */
export const LOOKUPS_AT_ONCE = 1_000

/** Reads a query page by page, so that memory does not grow with its rows. */
export async function* readRowsByCursor(client: Client, sql: string): AsyncGenerator<ComparedRow> {
  const cursor = `c${createHash('md5').update(sql).digest('hex')}`
  await client.query(`declare ${cursor} no scroll cursor for ${sql}`)
  for (;;) {
    const { rows } = await client.query<ComparedRow>(`fetch ${PAGE} from ${cursor}`)
    yield* rows
    if (rows.length < PAGE) break
  }
  await client.query(`close ${cursor}`)
}

const TIME = /^\d{4,}-\d\d-\d\dT\d\d:\d\d/
const EXACT_TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/

/** One text for a value on both sides: times in milliseconds, JSON with its keys in order. */
function canonical(value: unknown): string {
  if (value === undefined || value === null) return 'null'
  const time = typeof value === 'string' ? EXACT_TIME.exec(value) : null
  if (!time) return JSON.stringify(ordered(value))
  const [, second = '', fraction = '', zone = ''] = time
  const milliseconds = Math.floor((Number(fraction.padEnd(6, '0')) + 500) / 1000)
  return new Date(Date.parse(second + zone) + milliseconds).toISOString()
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, one]): [string, unknown] => [key, ordered(one)])
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** A sum does not depend on the order of the rows. */
function add(side: Side, id: string, column: string, text: string) {
  if (text !== 'null') side.values += 1
  const digest = hash('sha256', `${id} ${column} ${text}`, 'hex').slice(0, 32)
  side.digest = BigInt.asUintN(128, side.digest + BigInt(`0x${digest}`))
}

/** Sanad keeps milliseconds, the source microseconds. */
function same(expected: unknown, actual: unknown, row: ComparedRow): boolean {
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

/** The columns whose value no rule explains, with what was expected. */
export const unexplainedDifferences = (
  expected: Exclude<Expected, { unplaced: UnplacedReason }>,
  actual: ComparedRow,
): [string, unknown][] =>
  Object.entries(expected.columns).filter(([column, value]) => !same(value, actual[column], actual))

/** The columns that differ from the source without a rule that says so. Metadata holds what the rules keep. */
export const convertedWithoutRule = (
  { columns, rules, source, calculated }: Exclude<Expected, { unplaced: UnplacedReason }>,
  actual: ComparedRow,
): string[] =>
  Object.keys(columns).filter(
    (column) =>
      column !== 'metadata' &&
      rules[column] === undefined &&
      !calculated.has(column) &&
      column in source &&
      canonical(source[column]) !== canonical(actual[column]),
  )

export class Reader {
  readonly comparison: ComparisonReport = {
    counts: {},
    columns: {},
    rules: {},
    changedHere: 0,
    unexplained: 0,
    findings: [],
  }
  #found: (Finding & { recordId: string })[] = []

  /** `onFinding` takes every difference that no rule explains. */
  constructor(
    readonly source: Client,
    readonly target: Client,
    readonly onFinding?: (finding: Finding) => Promise<void> | void,
  ) {}

  rule(table: string, rule: Rule | UnplacedReason, count = 1) {
    const name = `${table}: ${rule}`
    this.comparison.rules[name] = (this.comparison.rules[name] ?? 0) + count
  }

  finding(
    table: string,
    id: string,
    column: string,
    expected: unknown,
    actual: unknown,
    recordId = id,
  ) {
    const text = expected instanceof Any ? expected.text : expected
    this.#found.push({ table, id, column, expected: text, actual, recordId })
  }

  /** Asks the audit trail which of the rows with a difference were changed in Sanad since. */
  async settle(least = 1) {
    if (this.#found.length < least) return
    const found = this.#found.splice(0)
    const { rows } = await this.target.query<{ key: string }>(
      `select distinct table_name || ' ' || record_id as key from audit_log
       where action <> 'imports.hikma' and table_name = any($1) and record_id = any($2::uuid[])`,
      [
        [...new Set(found.map(({ table }) => table))],
        found.map(({ recordId }) => recordId).filter((id) => ID.test(id)),
      ],
    )
    const changed = new Set(rows.map(({ key }) => key))
    for (const { recordId, ...finding } of found) {
      const isChangedHere = changed.has(`${finding.table} ${recordId}`)
      if (isChangedHere) this.comparison.changedHere += 1
      else this.comparison.unexplained += 1
      if (!isChangedHere && this.comparison.findings.length < SHOWN)
        this.comparison.findings.push(finding)
      await this.onFinding?.({ ...finding, isChangedHere })
    }
  }

  countsOf(table: string) {
    return (this.comparison.counts[table] ??= {
      equal: 0,
      changed: 0,
      unplaced: 0,
      missing: 0,
      extra: 0,
      source: { live: 0, deleted: 0 },
      sanad: { live: 0, deleted: 0 },
    })
  }

  #column(table: string, column: string) {
    const columns = (this.comparison.columns[table] ??= {})
    return (columns[column] ??= {
      source: { values: 0, digest: 0n },
      sanad: { values: 0, digest: 0n },
      equal: 0,
      converted: 0,
      different: 0,
    })
  }

  /** Adds the values of both sides to the tallies of their columns. */
  #tally(
    table: string,
    id: string,
    names: string[],
    source: ComparedRow,
    actual: ComparedRow,
    isWrong: Set<string>,
  ) {
    for (const column of names) {
      const tally = this.#column(table, column)
      const [there, here] = [canonical(source[column]), canonical(actual[column])]
      add(tally.source, id, column, there)
      add(tally.sanad, id, column, here)
      if (isWrong.has(column)) tally.different += 1
      else if (there === here) tally.equal += 1
      else tally.converted += 1
    }
  }

  /** One row of the source and its row in Sanad. */
  row(table: string, id: string, expected: Expected, actual: ComparedRow | undefined) {
    const counts = this.countsOf(table)
    if (actual) counts.sanad[actual['is_deleted'] === true ? 'deleted' : 'live'] += 1
    if ('unplaced' in expected) {
      if (actual) return this.finding(table, id, '', `unplaced: ${expected.unplaced}`, actual)
      counts.unplaced += 1
      return this.rule(table, expected.unplaced)
    }
    counts.source[expected.source['is_deleted'] === true ? 'deleted' : 'live'] += 1
    if (!actual) {
      counts.missing += 1
      return this.finding(table, id, '', 'a row', 'none')
    }
    const different = unexplainedDifferences(expected, actual)
    const isWrong = new Set(different.map(([column]) => column))
    this.#tally(table, id, Object.keys(expected.columns), expected.source, actual, isWrong)
    for (const [column, value] of different)
      this.finding(table, id, column, value, actual[column], textOrJson(actual['id'] ?? id))
    if (different.length) return
    const rules = new Set(Object.values(expected.rules))
    for (const rule of rules) this.rule(table, rule)
    if (rules.size) counts.changed += 1
    else counts.equal += 1
  }

  /** Walks through both sides in the order of `id`. `onExtra` takes rows that the source does not have. */
  async table(
    { name, source, expect, target }: ComparedTable,
    onExtra?: (row: ComparedRow) => boolean,
  ) {
    const there = readRowsByCursor(
      this.target,
      target ?? `select id::text, to_jsonb(t) as row from ${name} t order by t.id`,
    )
    const extra = (row: ComparedRow) => {
      if (onExtra?.(row)) return
      this.countsOf(name).extra += 1
      this.finding(name, String(row['id']), '', 'no row', row)
    }
    this.countsOf(name)
    let next = await there.next()
    for await (const { id, row, ...context } of readRowsByCursor(this.source, source)) {
      const key = String(id)
      while (!next.done && String(next.value['id']) < key) {
        extra(next.value['row'] as ComparedRow)
        next = await there.next()
      }
      const found =
        !next.done && next.value['id'] === key ? (next.value['row'] as ComparedRow) : undefined
      if (found) next = await there.next()
      this.row(name, key, expect(row as ComparedRow, context), found)
      await this.settle(LOOKUPS_AT_ONCE)
    }
    for (; !next.done; next = await there.next()) {
      extra(next.value['row'] as ComparedRow)
      await this.settle(LOOKUPS_AT_ONCE)
    }
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

/** A list of the source, also if it is a text that holds one; empty if it is none. */
export function parseSourceList(value: unknown): unknown[] {
  let list = value
  try {
    if (typeof list === 'string') list = JSON.parse(list)
  } catch {
    return []
  }
  return Array.isArray(list) ? list : []
}

/** The rule by which a list differs from the source's value. */
export const ruleOfList = (value: unknown): Rule => {
  if (value === null) return 'empty'
  if (typeof value === 'string') return 'parsed'
  return Array.isArray(value) ? 'characters' : 'noList'
}

/** Whether a text has letters. */
export const isNamed = (value: unknown) => textOrJson(value ?? '').trim() !== ''

/** The expected row, rule by rule. */
export class ExpectedRow {
  readonly columns: ComparedRow = {}
  readonly rules: Record<string, Rule> = {}
  private readonly calculated = new Set<string>()
  private readonly originals: unknown[] = []
  private mayKeep = false
  constructor(
    private readonly row: ComparedRow,
    columns: readonly string[],
  ) {
    for (const column of columns) this.columns[column] = row[column]
  }

  /** The column has another value than at the source. */
  set(column: string, value: unknown, rule: Rule) {
    if (!(value instanceof Any) && same(this.columns[column], value, {})) return this
    this.columns[column] = value
    this.rules[column] = rule
    return this
  }

  /** As `set`; metadata.hikma holds the source's value. */
  setKept(column: string, value: unknown, rule: Rule, original = this.row[column]) {
    if (original !== null && original !== undefined) this.originals.push(original)
    return this.set(column, value, rule).note(rule)
  }

  /** metadata.hikma holds a value that has no column; by `rule`, if Sanad has another value for it. */
  original(value: unknown, rule?: Rule) {
    this.originals.push(value)
    return rule ? this.note(rule) : this
  }

  /** Another value for a reason that the caller names; without one, it is the source's in another form. */
  allow(column: string, value: unknown, rule?: Rule) {
    this.columns[column] = value
    if (rule) this.rules[column] = rule
    return this
  }

  /** Sanad calculates the column, whatever the source says. */
  calculates(column: string, value: unknown) {
    this.columns[column] = value
    this.calculated.add(column)
    return this
  }

  /** A name without the blanks around it. */
  trimmed(column: string) {
    const text = this.row[column]
    if (isNamed(text) && this.rules[column] === undefined)
      this.set(column, textOrJson(text).trim(), 'blanks')
    return this
  }

  /** What Sanad has where the source has nothing. */
  defaults(values: ComparedRow) {
    for (const [column, value] of Object.entries(values))
      if (this.row[column] === null || this.row[column] === undefined)
        this.set(column, value, 'empty')
    return this
  }

  /** The moment of the row, where the source has none of its own. */
  moment(column: string) {
    if (this.row[column] === null)
      this.set(column, this.row['created_at'] ?? this.row['updated_at'] ?? something, 'noTime')
    return this
  }

  /** A rule that changed a part of a column, or a value that is in no column. */
  note(rule: Rule, column?: string) {
    this.rules[`(${rule})`] = rule
    if (column) this.rules[column] ??= rule
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
            text.trimStart().startsWith(value.replace(/…$/u, '').trimStart()),
          'the beginning',
        ),
        'cut',
      )
    return this
  }

  times(columns: readonly string[] = ['created_at', 'updated_at']) {
    for (const column of columns) {
      this.columns[column] = this.row[column]
      if (this.row[column] === null) this.set(column, something, 'noTime')
    }
    return this
  }

  /** Deleted at the source, or with its parent. */
  deletion(isParentDeleted = false) {
    const isDeleted = this.row['is_deleted'] === true
    this.columns['is_deleted'] = isDeleted || isParentDeleted
    if (this.row['is_deleted'] === null) this.rules['is_deleted'] = 'empty'
    if (isDeleted) {
      const at = this.row['deleted_at'] ?? this.row['updated_at'] ?? something
      this.columns['deleted_at'] = at
      if (this.row['deleted_at'] === null) this.rules['deleted_at'] = 'noTime'
    } else if (isParentDeleted) {
      this.columns['deleted_at'] = something
      this.rules['is_deleted'] = 'deletedAlong'
      this.rules['deleted_at'] = 'deletedAlong'
    } else this.columns['deleted_at'] = null
    return this
  }

  metadata() {
    const source = cleaned(this.row['metadata'] ?? {})
    if (!isDeepStrictEqual(source, this.row['metadata'] ?? {}))
      this.rules['metadata'] = 'characters'
    const originals = this.originals
    const mayKeep = () => this.mayKeep || Object.keys(this.rules).length > 0
    this.columns['metadata'] = new Any(
      (value) => {
        if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
        const { hikma, ...rest } = value as ComparedRow
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
    const { columns, rules, row: source, calculated } = this
    return { columns, rules, source, calculated }
  }
}
