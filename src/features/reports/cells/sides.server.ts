import { type RawBuilder, sql } from 'kysely'
import { addAll } from '~/shared/any-length'
import { addDays } from '~/shared/zone'
import type { ReportSource } from './fields'
import type { Test, Window } from './grammar'
import { bounds, type Scope, type WantedRows } from './sources/source.server'
import {
  anyTime,
  type RelatedRowsTest,
  column,
  type Days,
  daysOfRows,
  fieldColumn,
  fieldsIn,
  groupsIn,
  withImpliedTests,
  isPlain,
  conceptFilter,
  type Place,
  pregnantSince,
  relation,
  sourceSql,
  testSql,
  unionOrNull,
  wantedIn,
} from './terms.server'

type Sql = RawBuilder<unknown>

/**
 * The rows that tests are about. `rows` is the name of their CTE, `alias` its alias, `prefix` begins
 * the names of CTEs made for it.
 */
type Base = {
  rows: string
  alias: string
  prefix: string
  source: ReportSource
  days: Days | null
  /** of events: their concepts, if they are known */
  concepts: readonly string[] | null
}

/**
 * For tests inside other tests: the outer `Sides`, whose reads are shared, and the conditions of the
 * rows that ask.
 */
type Around = { sides: Sides; asked: readonly Sql[] }

/**
 * A CTE with the rows of a source that tests need. It has only the patients or visits of rows that
 * meet one of `asked`.
 */
type Read = {
  name: string
  source: ReportSource
  window: Window
  /** of windows with a first and a last day: those of all tests together */
  days: Days | null
  tests: Test[]
  /** of each test that it answers: what the rows must pass */
  wheres: (readonly Test[])[]
  concepts: (readonly string[] | null)[]
  asked: Sql[]
  /** read before the rows that ask: of these patients */
  before: Sql | null
}

/** A CTE with the patients, visits, or patients and days that have a row of `read` that passes `where`. */
type Side = {
  name: string
  read: Read
  where: Test[]
  /** of `latest`: the tests of the last row, by their JSON */
  is: Map<string, Test> | null
  by: 'patient_id' | 'visit_id' | 'patient_day'
  /** of the rows that were read, those of these days */
  days: Days | null
  /** a row counts for each day from so many after to so many after its own */
  shift: readonly [number, number] | null
}

/**
 * A CTE with the number of each day on which a patient has a row that passes `tests`: first contact,
 * second …
 */
type Numbered = { name: string; tests: Test[]; asked: Sql[] }

/**
 * A window of up to so many days is expanded to one key for each day. A longer one makes more keys
 * than a lookup for each row costs.
 */
const MOST_SHIFTS = 31

/** Whether a case is new depends on the groups that are asked for. */
const isOfRowAlone = (test: Test) => isPlain(test) && test[0] !== 'case.is_new'

const concat = (one: Sql, other: Sql) => sql`concat(${one}, ' ', ${other})`

/**
 * PostgreSQL answers `in` from a hash table that it makes once. For a join it would expect too few rows, and read the
 * other side once for each row.
 */
const isIn = (key: Sql, keys: Sql) => sql`coalesce(${key} in (${keys}), false)`

/**
 * Answers the tests `exists`, `latest` and `nth` for all rows of a scan at once. `term` and `nth` return the condition
 * for one test and record what it needs; `ctes` then returns the CTEs: each source is read once (`Read`), and each test
 * is a set of keys in it (`Side`). Tests inside these tests are answered in the same way, by a `Sides` of their own.
 */
export class Sides {
  readonly #reads = new Map<string, Read>()
  readonly #sides = new Map<string, Side>()
  readonly #numbered = new Map<string, Numbered>()

  constructor(
    readonly scope: Scope,
    readonly base: Base,
    readonly around: Around | null = null,
  ) {}

  /** `where`: which rows need the answer. Null: this test cannot be answered at once, only row by row. */
  term(test: RelatedRowsTest, where: Sql): Sql | null {
    const shift = typeof test.in === 'object' && 'days' in test.in ? this.#shiftOf(test) : null
    if (shift === undefined) return null
    const source = 'exists' in test ? test.exists : test.latest
    const tests = withImpliedTests(source, test.where ? [test.where] : [])
    const is = 'latest' in test ? test.is : null
    const ownDays =
      source === 'patient_states' || shift ? null : daysOfRows(this.scope, source, test.in)
    const days = shift
      ? {
          first: addDays(this.base.days!.first, shift[0]),
          last: addDays(this.base.days!.last, shift[1]),
        }
      : ownDays
    const ofPatient = shift ? 'patient_day' : 'patient_id'
    const read = this.read(source, test.in, days, [where])
    addAll(read.tests, is ? [...tests, is] : tests)
    read.wheres.push(tests)
    read.concepts.push(conceptFilter(source, tests).concepts ?? null)
    const key = JSON.stringify([read.name, days, shift, tests, is !== null])
    const side = this.#sides.get(key) ?? {
      name: `${this.base.prefix}s${this.#sides.size}`,
      read,
      where: tests,
      is: is ? new Map<string, Test>() : null,
      by: test.in === 'visit' ? 'visit_id' : ofPatient,
      days,
      shift,
    }
    this.#sides.set(key, side)
    if (side.by === 'patient_day')
      return isIn(
        sql`(${this.#own('patient_id')}, ${this.#own('day')})`,
        sql.raw(`select key, day from ${side.name}`),
      )
    const own = this.#own(side.by)
    if (!is) return isIn(own, sql.raw(`select key from ${side.name}`))
    const isKey = JSON.stringify(is)
    side.is!.set(isKey, is)
    const passes = `p${[...side.is!.keys()].indexOf(isKey)}`
    return isIn(own, sql.raw(`select key from ${side.name} where ${passes}`))
  }

  /**
   * The days around the row's day that the test looks at; undefined if it looks at others, or the row's
   * days are unknown.
   */
  #shiftOf(test: RelatedRowsTest): readonly [number, number] | undefined {
    if (typeof test.in !== 'object' || !('days' in test.in) || !('exists' in test)) return undefined
    const { days, after } = test.in
    // the day of a state is the last of the period, whatever the window
    if (test.exists === 'patient_states') return undefined
    const isFew = days[1] - days[0] < MOST_SHIFTS
    return after === 'row.day' && this.base.days && isFew ? days : undefined
  }

  /**
   * Records a read. Inside another test, rows of patients are read by the outer `Sides`; rows of the
   * same visit are not.
   */
  read(source: ReportSource, window: Window, days: Days | null, asked: readonly Sql[]): Read {
    const { around } = this
    if (around && window !== 'visit') return around.sides.read(source, window, days, around.asked)
    const key = JSON.stringify([source, days ? 'days' : window])
    const read = this.#reads.get(key) ?? {
      name: `${this.base.prefix}w${this.#reads.size}`,
      source,
      window,
      days,
      tests: [],
      wheres: [],
      concepts: [],
      asked: [],
      before: null,
    }
    if (read.days && days)
      read.days = {
        first: days.first < read.days.first ? days.first : read.days.first,
        last: days.last > read.days.last ? days.last : read.days.last,
      }
    for (const each of asked) if (!read.asked.includes(each)) read.asked.push(each)
    this.#reads.set(key, read)
    return read
  }

  /** Reads a source before the rows that ask, which need it themselves; `patients` has theirs. Returns its name. */
  readBefore(source: ReportSource, window: Window, patients: Sql): string {
    const read = this.read(source, window, daysOfRows(this.scope, source, window), [])
    read.before = patients
    return read.name
  }

  /** As `nthSql`. */
  nth(test: { where?: Test | undefined; is: number }, where: Sql): Sql {
    const tests = test.where ? [test.where] : []
    const key = JSON.stringify(tests)
    const name = `${this.base.prefix}n${this.#numbered.size}`
    const numbered = this.#numbered.get(key) ?? { name, tests, asked: [] }
    this.#numbered.set(key, numbered)
    if (!numbered.asked.includes(where)) numbered.asked.push(where)
    return isIn(
      this.#rowKey(),
      sql`select key from ${sql.raw(numbered.name)} where days = ${test.is}::int`,
    )
  }

  #of(asked: readonly Sql[]) {
    const { rows, alias } = this.base
    return sql`from ${sql.raw(`${rows} ${alias}`)} where ${sql.join(asked, sql` or `)}`
  }

  /** The CTEs before and after that of the rows that ask, each followed by a comma. */
  ctes(): { before: Sql; after: Sql } {
    // sides first: the tests inside them add reads
    const sides = [...this.#sides.values()].map((side) => this.#sideCte(side))
    const reads = [...this.#reads.values()]
    const numbered = [...this.#numbered.values()].map((each) => this.#numberedCte(each))
    const list = (ctes: readonly Sql[]) =>
      sql.join([...ctes.map((cte) => sql`${cte},`), sql``], sql` `)
    const renderReads = (isBefore: boolean) =>
      reads
        .filter(({ before }) => (before !== null) === isBefore)
        .map((read) => this.#readCte(read))
    return {
      before: list(renderReads(true)),
      after: list([...renderReads(false), ...sides, ...numbered]),
    }
  }

  #readCte(read: Read): Sql {
    const { name, source, window, days, tests, concepts, asked, before } = read
    const { range } = days
      ? { range: bounds(this.scope.zone, days.first, days.last) }
      : wantedIn(this.scope, window, null)
    const all = source === 'events' ? unionOrNull(concepts) : null
    const wanted: WantedRows = {
      ...(window === 'visit'
        ? { range: anyTime, visits: sql.raw(`select key from ${name}_of`) }
        : { range, patients: sql.raw(`select key from ${name}_of`) }),
      ...(all && { concepts: all }),
    }
    const found = relation(this.scope, source, wanted, fieldsIn(source, tests))
    const key = this.#own(window === 'visit' ? 'visit_id' : 'patient_id')
    const keys = before ?? sql`select ${key} ${this.#of(asked)}`
    return sql`${sql.raw(name)}_of (key) as materialized (select distinct * from (${keys}) keys),
      ${sql.raw(name)} as materialized (select * from ${found} found where ${this.#mayCount(read)})`
  }

  /** Whether a row can pass one of the tests, by their comparisons: a few medicines of thousands of prescriptions. */
  #mayCount({ source, wheres, before }: Read): Sql {
    const compared = wheres.map((where) => where.filter(isOfRowAlone))
    if (before || compared.some((each) => each.length === 0)) return sql`true`
    const place: Place = { scope: this.scope, source, alias: 'found', groups: null }
    const either = compared.map((each) =>
      sql.join(
        each.map((one) => testSql(place, one)),
        sql` and `,
      ),
    )
    return sql.join(either, sql` or `)
  }

  #sideCte({ name, read, where, is, by, days, shift }: Side): Sql {
    const { scope } = this
    const alias = `x_${name}`
    const place: Place = {
      scope,
      source: read.source,
      alias,
      groups: groupsIn(scope, [...where, ...(is?.values() ?? [])]),
    }
    const known = read.days ?? daysOfRows(scope, read.source, read.window)
    const concepts = unionOrNull(read.concepts)
    const base = { alias, source: read.source, days: known, concepts }
    const ofOne = by === 'visit_id' ? by : 'patient_id'
    const inDays = days
      ? sql`(${column(place, 'day')} between ${days.first}::date and ${days.last}::date)`
      : sql`true`
    const around = { sides: this, asked: read.asked }
    const whose = new Sides(scope, { ...base, rows: read.name, prefix: `${name}_` }, around)
    const filter = [
      sql.raw(`${alias}.${ofOne} is not null`),
      inDays,
      ...where.map((each) => testSql({ ...place, sides: whose, where: inDays }, each)),
    ]
    const rows = sql`from ${sql.raw(`${read.name} ${alias}`)} where ${sql.join(filter, sql` and `)}`
    const key = sql.raw(`${alias}.${ofOne}`)
    const own = sql`${whose.ctes().after} ${sql.raw(name)} as materialized`
    if (!is) {
      if (!shift) return sql`${own} (select distinct ${key} as key ${rows})`
      const [from, to] = shift
      // a key may be there more than once: sorting them takes longer than they do
      if (from === to)
        return sql`${own} (select ${key} as key, ${column(place, 'day')} - ${from}::int as day ${rows})`
      return sql`${own} (
        select distinct found.key, found.day - shift as day
        from (select ${key} as key, ${column(place, 'day')} as day ${rows}) found
          cross join generate_series(${from}::int, ${to}::int) shift)`
    }
    const order = sourceSql(read.source).lastFirst?.(alias) ?? `${alias}.at desc, ${alias}.id desc`
    const last = `${name}_last`
    const ofLast = new Sides(scope, { ...base, rows: last, prefix: `${name}_is_` }, around)
    const passes = [...is.values()].map(
      (each, at) => sql`, ${testSql({ ...place, sides: ofLast }, each)} as ${sql.raw(`p${at}`)}`,
    )
    return sql`${whose.ctes().after} ${sql.raw(last)} as materialized (
        select distinct on (${key}) ${sql.raw(alias)}.* ${rows}
        order by ${key}, ${sql.raw(`${alias}.day desc, ${order}`)}),
      ${ofLast.ctes().after} ${sql.raw(name)} as materialized (
        select ${key} as key ${sql.join(passes, sql``)}
        from ${sql.raw(`${last} ${alias}`)})`
  }

  /**
   * The key of each row that needs a number, with the number of its day. Of several rows on one day,
   * only the first has one.
   */
  #numberedCte({ name, tests, asked }: Numbered): Sql {
    const { scope } = this
    const { source, days, concepts } = this.base
    const { numberedBy } = sourceSql(source)
    const next: Place = { scope, source, alias: 'y', groups: groupsIn(scope, tests) }
    const of = this.#of(asked)
    const rows = relation(
      scope,
      source,
      {
        range: days ? bounds(scope.zone, null, days.last) : anyTime,
        patients: sql`select ${this.#own('patient_id')} ${of}`,
        ...(concepts && { concepts }),
      },
      fieldsIn(source, tests, new Set(numberedBy ? [numberedBy] : [])),
    )
    const where = sql.join([sql`true`, ...tests.map((one) => testSql(next, one))], sql` and `)
    const since =
      source === 'events'
        ? pregnantSince(sql.raw('asked.patient_id'), sql.raw('asked.day'))
        : sql`'-infinity'`
    const kind = ({ alias: each }: { alias: string }) =>
      concat(
        column({ alias: each }, 'patient_id'),
        numberedBy ? fieldColumn({ alias: each }, numberedBy) : sql`''`,
      )
    // a join would be slow (see `isIn`): days that count and rows that ask are put together, and windows relate them
    return sql`${sql.raw(name)} as materialized (
      select key, (select count(*) from unnest(days) each where each <= day and each >= since) as days
      from (
        select *, array_agg(day) filter (where is_counted) over (partition by kind) as days,
          max(at) filter (where is_counted) over (partition by kind, day) as first_at,
          max(id::text) filter (where is_counted) over (partition by kind, day) as first_id
        from (
          (select distinct on (1, 2) ${kind(next)} as kind, y.day, y.at, y.id, true as is_counted,
              null as key, null::date as since
            from ${rows} y where ${where} order by 1, 2, 3, 4)
          union all
          select kind, day, at, id, false, key, ${since}::date
          from (select distinct ${kind(this.base)} as kind, ${this.#own('patient_id')},
              ${this.#own('day')}, ${this.#own('at')}, ${this.#own('id')}, ${this.#rowKey()} as key
            ${of}) asked
        ) both_kinds
      ) numbered
      where not is_counted and (first_id is null or (first_at, first_id::uuid) >= (at, id)))`
  }

  #rowKey() {
    const { numberedBy } = sourceSql(this.base.source)
    return concat(this.#own('id'), numberedBy ? fieldColumn(this.base, numberedBy) : sql`''`)
  }

  #own(name: string) {
    return column(this.base, name)
  }
}
