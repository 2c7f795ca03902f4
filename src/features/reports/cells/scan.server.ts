// What a scan computes and how its leaves read it belong together: longer than most files.
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { Pause } from '~/server/pauses'
import type { Comparison, Test, Window } from './grammar'
import type { ReportSource } from './fields'
import type { Leaf, LeafKind, LeafRow, LeafValue } from './kinds/kind'
import { sources } from './sources/all.server'
import { enrolled, SOURCES_BEFORE } from './sources/states.server'
import type { Scope } from './sources/source.server'
import { Sides } from './sides.server'
import { stockDays } from './stock-days.server'
import {
  caseClass,
  conceptsIn,
  daysOfRows,
  fieldsIn,
  groupsIn,
  withImpliedTests,
  isPlain,
  type Place,
  testSql,
  topRelation,
  unionOrNull,
  wantedIn,
} from './terms.server'
import { isOfDrug } from './parts'

/**
 * How a leaf reads a pattern: the places that must be `1`, the places that must not, and the comparisons of groups,
 * which are evaluated here instead of in SQL. `groups`: the groups of diagnoses that the leaf asks for; null: any.
 */
type Bits = {
  all: number[]
  none: number[]
  ofGroups: readonly Comparison[]
  groups: Groups
  /** the medicine that the leaf asks for; undefined: any */
  drug: string | undefined
}
type Groups = readonly number[] | null

/**
 * The results of all conditions for one row: `bits` has a character for each condition, `1` if the row passes. Of a
 * case also the groups of its diagnosis, and those in which it is new; of stock its medicine, if a leaf asks for one.
 */
type Pattern = {
  bits: string
  groups: readonly number[]
  isNewIn: readonly number[]
  drug: string | undefined
}

/**
 * What a leaf counts once: each row, patient, visit … A count of cases also has the groups that it asks for, a sum or a
 * median the field. Leaves with the same key share a column of `base`.
 */
type Key = { name: string; of: Leaf['of']; groups: Groups }

/**
 * One statement for all leaves of a source, a window and a kind of value. A report has hundreds of cells (leaves) but
 * few conditions, so each condition is computed once for each row; rows with the same results form a pattern, the
 * database counts each pattern, and a leaf is the sum of the patterns that pass its conditions.
 *
 * Call `add` with each leaf first, then `values`, `countUnplaced` or `rows`.
 */
export class Scan {
  /** The conditions of all leaves; `at` is the place of the result in the pattern. */
  readonly #terms = new Map<string, { test: Test; groups: Groups; at: number }>()
  readonly #bits = new Map<string, Bits>()
  readonly #groupTests = new Map<string, Comparison>()
  /** One of the comparisons with a medicine. */
  #drugTest: Comparison | undefined
  readonly #keys = new Map<string, Key>()
  readonly #leaves: Leaf[] = []

  constructor(
    readonly scope: Scope,
    readonly source: ReportSource,
    readonly window: Window,
    readonly kind: LeafKind,
  ) {}

  add(leaf: Leaf) {
    const groups = leafGroups(this.scope, leaf)
    const place = (test: Test) => {
      // whether a case is new depends on the group that the leaf asks for
      const text = partKey(test)
      const key = text.includes('"case.is_new"') ? JSON.stringify([text, groups]) : text
      const known = this.#terms.get(key) ?? { test, groups, at: this.#terms.size }
      this.#terms.set(key, known)
      return known.at
    }
    const tests = withImpliedTests(leaf.source, leaf.all.flatMap(atoms))
    const ofGroups = this.kind === 'count' ? tests.filter(isOfGroups) : []
    for (const test of ofGroups) this.#groupTests.set(partKey(test), test)
    // a report may have a row for each medicine: one condition for each would be computed of every movement
    const ofDrug = this.kind === 'sum' ? tests.find(isOfDrug) : undefined
    this.#drugTest ??= ofDrug
    const all = tests
      .filter((test) => test !== ofDrug && !ofGroups.some((each) => each === test))
      .map(place)
    const drug = ofDrug && String(ofDrug[2])
    this.#bits.set(partKey(leaf), { all, none: leaf.none.map(place), ofGroups, groups, drug })
    this.#leaves.push(leaf)
    const key = countedOnce(this.scope, leaf)
    this.#keys.set(key.name, key)
  }

  #passes(leaf: Leaf): (pattern: Pattern) => boolean {
    const { all, none, ofGroups, groups, drug } = this.#bits.get(partKey(leaf))!
    const inGroups = ofGroups.map((test) => this.#passesGroups(test, groups))
    return (pattern) =>
      (drug === undefined || pattern.drug === drug) &&
      all.every((at) => pattern.bits[at] === '1') &&
      none.every((at) => pattern.bits[at] !== '1') &&
      inGroups.every((passes) => passes(pattern))
  }

  /** As `testSql`, of the groups that the pattern names: cheaper than a condition for each group and row. */
  #passesGroups([field, , value]: Comparison, tested: Groups): (pattern: Pattern) => boolean {
    if (field === 'case.is_new')
      return ({ groups, isNewIn }) => {
        const [first] = tested ? tested.filter((each) => groups.includes(each)) : groups
        const asked = tested?.length === 1 ? tested[0] : first
        return (asked !== undefined && isNewIn.includes(asked)) === (value === true)
      }
    const names = Array.isArray(value) ? value : [value]
    const wanted = names.map((name) => this.scope.groups.get(String(name)) ?? -1)
    return ({ groups }) => groups.some((each) => wanted.includes(each))
  }

  readonly #read = new Map<string, Pattern>()

  #patternOf(text: string): Pattern {
    const known = this.#read.get(text)
    if (known) return known
    const [bits = '', groups = '', isNewIn = '', drug] = text.split(' ')
    const numbers = (list: string) => (list === '' ? [] : list.split(',').map(Number))
    const pattern = { bits, groups: numbers(groups), isNewIn: numbers(isNewIn), drug }
    this.#read.set(text, pattern)
    return pattern
  }

  #place(groups: Groups, sides?: Sides): Place {
    return { scope: this.scope, source: this.source, alias: 'r0', groups, ...(sides && { sides }) }
  }

  /**
   * Whether a row can pass one of the leaves, by their comparisons: what asks for further rows is not computed of the
   * others.
   */
  #mayPass(leaves: readonly Leaf[]): RawBuilder<unknown> {
    const plain = [...this.#terms.values()].filter(({ test }) => isPlain(test))
    // rows of single medicines ask the same: each set once
    const asked = new Map(
      leaves.map((leaf) => {
        const { all } = this.#bits.get(partKey(leaf))!
        return [all.join(), all] as const
      }),
    )
    const sets = [...asked.values()].map(
      (all) => new Set(plain.filter(({ at }) => all.includes(at))),
    )
    const widest = sets.filter(
      (set, at) =>
        !sets.some(
          (other, otherAt) =>
            [...other].every((each) => set.has(each)) && (other.size < set.size || otherAt < at),
        ),
    )
    const [first, ...rest] = widest
    if (!first) return sql`true`
    const either = rest.length < MOST_SETS ? widest : [intersection(first, rest)]
    const conditions = either.map((set) => {
      const each = [...set].map(({ test, groups }) => testSql(this.#place(groups), test))
      return each.length === 0 ? sql`true` : sql`(${sql.join(each, sql` and `)})`
    })
    return sql`(${sql.join(conditions, sql` or `)})`
  }

  /** The number of the leaf's column in `base` (k0 …, n0 …). */
  #keyAt(leaf: Leaf) {
    return [...this.#keys.keys()].indexOf(countedOnce(this.scope, leaf).name)
  }

  /** `base`: id, patient_id, pattern, and of each key what counts once (k0 …) or the number (n0 …). */
  #base(): RawBuilder<unknown> {
    const terms = [...this.#terms]
    const tests = [
      ...terms.map(([, { test }]) => test),
      ...this.#groupTests.values(),
      ...(this.#drugTest ? [this.#drugTest] : []),
    ]
    const keys = [...this.#keys.values()]
    const fields = keys.flatMap(({ of }) => aggregatedField(of) ?? [])
    const concepts =
      this.source === 'events' ? unionOrNull(this.#leaves.map(({ all }) => conceptsIn(all))) : null
    const sides = new Sides(this.scope, {
      rows: 'r0',
      alias: 'r0',
      prefix: '',
      source: this.source,
      days: daysOfRows(this.scope, this.source, this.window),
      concepts,
    })
    const scope = { ...this.scope, readBefore: this.#readBefore(sides, tests) }
    const rows = topRelation(scope, this.source, this.window, tests, { fields, concepts })
    const bits = terms.map(([, { test, groups, at }]) => {
      const place = this.#place(groups, sides)
      if (isPlain(test)) return sql`(${testSql(place, test)})::int`
      const asking = this.#leaves.filter((leaf) => {
        const { all, none } = this.#bits.get(partKey(leaf))!
        return all.includes(at) || none.includes(at)
      })
      const where = this.#mayPass(asking)
      return sql`(case when ${where} then ${testSql({ ...place, where }, test)} else false end)::int`
    })
    const { before, after } = sides.ctes()
    const results = bits.length === 0 ? sql`''` : sql`array_to_string(array[${sql.join(bits)}], '')`
    const ofDrug = this.#drugTest ? sql` || '   ' || r0."drug.id"` : sql``
    const pattern =
      this.#groupTests.size === 0
        ? sql`${results} ${ofDrug}`
        : sql`${results} || ' ' || array_to_string(r0.groups, ',') || ' '
            || array_to_string(r0.new_groups, ',')`
    const columns = keys.map((key, at) => {
      const field = aggregatedField(key.of)
      const value = field ? sql.raw(`r0."${field}"`) : this.#keySql(key)
      return sql`, ${value} as ${field ? n(at) : k(at)}`
    })
    return sql`base as materialized (
      with ${before} r0 as materialized (select * from ${rows} r0 where ${this.#mayPass(this.#leaves)}),
      ${after} patterns as (select r0.id, r0.patient_id, (${pattern}) collate "C" as pattern
        ${sql.join([...columns, sql``], sql``)} from r0)
      select * from patterns)`
  }

  /** What states need of their patients' rows is read for other tests, too. */
  #readBefore(sides: Sides, tests: readonly Test[]): Scope['readBefore'] {
    if (this.source !== 'patient_states' || !fieldsIn(this.source, tests).has('state.overdue'))
      return {}
    const patients = enrolled(this.scope, wantedIn(this.scope, this.window, null))
    return Object.fromEntries(
      SOURCES_BEFORE.map((source) => [source, sides.readBefore(source, { months: 12 }, patients)]),
    )
  }

  #keySql({ of, groups }: Key): RawBuilder<unknown> {
    switch (of.kind === 'count' ? of.once : 'row') {
      case 'row':
        return this.source === 'cases' && groups?.length !== 1
          ? sql`(r0.id, ${caseClass(this.#place(groups))})`
          : sql`r0.id`
      case 'patient':
        return sql`r0.patient_id`
      case 'visit':
        return sql`coalesce(r0.visit_id, r0.id)`
      case 'day':
        return sql`(r0.clinic_id, r0.day)`
      case 'clinic':
        return sql`r0.clinic_id`
      case 'provider_day':
        return sql`case when r0.provider_id is not null then (r0.provider_id, r0.day) end`
      case 'prescription':
        return sql`r0.prescription_id`
    }
  }

  /** Of each leaf, its value and number of rows. */
  values(db: Kysely<DB>): Promise<(leaf: Leaf) => LeafValue> {
    return this.#valuesOf[this.kind](db)
  }

  readonly #valuesOf: Record<LeafKind, (db: Kysely<DB>) => Promise<(leaf: Leaf) => LeafValue>> = {
    count: (db) => this.#counts(db),
    sum: (db) => this.#sums(db),
    median: (db) => this.#medians(db),
    days: (db) => this.#days(db),
  }

  async #counts(db: Kysely<DB>) {
    const patterns = await this.#patterns(db)
    return (leaf: Leaf) => {
      const [passes, key] = [this.#passes(leaf), this.#keyAt(leaf)]
      let value = 0
      for (const row of patterns) if (row.key === key && row.patterns.some(passes)) value += row.n
      return { value, rows: value }
    }
  }

  /** Counts the patients, visits … that have a row in `leaf` and no row in any of `others`. */
  async unplaced(db: Kysely<DB>): Promise<(leaf: Leaf, others: readonly Leaf[]) => number> {
    const patterns = await this.#patterns(db)
    return (leaf, others) => {
      const [passes, key] = [this.#passes(leaf), this.#keyAt(leaf)]
      const placed = others.map((other) => this.#passes(other))
      const isPlaced = (pattern: Pattern) => placed.some((passesOther) => passesOther(pattern))
      let value = 0
      for (const row of patterns)
        if (row.key === key && row.patterns.some(passes) && !row.patterns.some(isPlaced))
          value += row.n
      return value
    }
  }

  #found: Promise<{ key: number; patterns: Pattern[]; n: number }[]> | undefined

  #patterns(db: Kysely<DB>) {
    return (this.#found ??= this.#count(db))
  }

  async #count(db: Kysely<DB>) {
    const counts = [...this.#keys.values()].map((key, at) =>
      key.name === 'row' && !sources[this.source].isRepeated
        ? sql`select ${at}::int as key, array[pattern] as patterns, count(*)::int as n
            from base group by pattern`
        : sql`select ${at}::int as key, patterns, count(*)::int as n
            from (select array_agg(distinct pattern) as patterns from base
              where ${k(at)} is not null group by ${k(at)}) keys
            group by patterns`,
    )
    const { rows } = await sql<{ key: number; patterns: string[]; n: number }>`
      with ${this.#base()} ${sql.join(counts, sql` union all `)}`.execute(db)
    return rows.map(({ key, patterns, n: count }) => ({
      key,
      patterns: patterns.map((each) => this.#patternOf(each)),
      n: count,
    }))
  }

  async #sums(db: Kysely<DB>) {
    const sums = [...this.#keys].map(
      (_, at) => sql`, sum(${n(at)})::float8 as ${n(at)}, count(${n(at)})::int as ${count(at)}`,
    )
    const { rows } = await sql<{ pattern: string } & Record<string, number>>`
      with ${this.#base()} select pattern ${sql.join(sums, sql``)} from base
      group by pattern`.execute(db)
    const byDrug = Map.groupBy(rows, ({ pattern }) => this.#patternOf(pattern).drug)
    return (leaf: Leaf) => {
      const [passes, key] = [this.#passes(leaf), this.#keyAt(leaf)]
      const { drug } = this.#bits.get(partKey(leaf))!
      const asked = drug === undefined ? rows : (byDrug.get(drug) ?? [])
      const passing = asked.filter(({ pattern }) => passes(this.#patternOf(pattern)))
      const total = (name: string) => passing.reduce((sum, row) => sum + (row[name] ?? 0), 0)
      // quantities have three decimals
      return { value: Math.round(total(`n${key}`) * 1000) / 1000, rows: total(`count${key}`) }
    }
  }

  async #medians(db: Kysely<DB>) {
    const passes = ({ all, none }: Pick<Bits, 'all' | 'none'>) =>
      sql.join(
        [
          sql`true`,
          ...all.map((at) => sql`substr(pattern, ${at + 1}::int, 1) = '1'`),
          ...none.map((at) => sql`substr(pattern, ${at + 1}::int, 1) <> '1'`),
        ],
        sql` and `,
      )
    const medians = this.#leaves.flatMap((leaf, at) => {
      const [number, filter] = [n(this.#keyAt(leaf)), passes(this.#bits.get(partKey(leaf))!)]
      return [
        sql`percentile_cont(0.5) within group (order by ${number}) filter (where ${filter}) as ${n(at)}`,
        sql`count(${number}) filter (where ${filter})::int as ${count(at)}`,
      ]
    })
    const { rows } = await sql<Record<string, number | null>>`
      with ${this.#base()} select ${sql.join(medians)} from base`.execute(db)
    const keys = this.#leaves.map(partKey)
    return (leaf: Leaf) => {
      const at = keys.indexOf(partKey(leaf))
      return { value: rows[0]?.[`n${at}`] ?? null, rows: rows[0]?.[`count${at}`] ?? 0 }
    }
  }

  /** Days have no rows that could be opened. */
  async #days(db: Kysely<DB>) {
    const leaves = this.#leaves.map((leaf) => ({ ...leaf, all: leaf.all.flatMap(atoms) }))
    const counts = await stockDays(db, this.scope, leaves)
    const byKey = new Map(this.#leaves.map((leaf, at) => [partKey(leaf), counts[at]]))
    return (leaf: Leaf) => ({ value: byKey.get(partKey(leaf)) ?? null, rows: 0 })
  }

  /** Of each leaf, the rows that it counts, by their ids in ascending order. */
  async rows(db: Kysely<DB>): Promise<(leaf: Leaf) => LeafRow[]> {
    if (this.kind === 'days') return () => []
    const all = [...this.#keys.values()].map(({ of }, at) => {
      const [key, present] = aggregatedField(of) ? [sql`id`, n(at)] : [k(at), k(at)]
      return sql`
        select ${at}::int as key, min(id::text) as id, min(patient_id::text) as patient_id,
          array_agg(distinct pattern) as patterns
        from base where ${present} is not null group by ${key}`
    })
    const { rows } = await sql<{
      key: number
      id: string
      patient_id: string | null
      patterns: string[]
    }>`with ${this.#base()} ${sql.join(all, sql` union all `)} order by 1, 2`.execute(db)
    const byPatterns = Map.groupBy(rows, ({ key, patterns }) => `${key} ${patterns.join(' ')}`)
    return (leaf) => {
      const [passes, key] = [this.#passes(leaf), this.#keyAt(leaf)]
      return [...byPatterns.values()]
        .flatMap((alike) =>
          alike[0]!.key === key && alike[0]!.patterns.some((each) => passes(this.#patternOf(each)))
            ? alike
            : [],
        )
        .map(({ id, patient_id }) => ({ id, patientId: patient_id }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    }
  }
}

const k = (at: number) => sql.raw(`k${at}`)
const n = (at: number) => sql.raw(`n${at}`)
const count = (at: number) => sql.raw(`count${at}`)
const texts = new WeakMap<object, string>()
/** JSON of a leaf or a test, written once: a report compares hundreds of leaves some ten times. */
export function partKey(part: Leaf | Test): string {
  const text = texts.get(part) ?? JSON.stringify(part)
  texts.set(part, text)
  return text
}

/** Beyond so many sets of conditions, those that they share decide. */
const MOST_SETS = 12

const intersection = <T>(first: Set<T>, rest: readonly Set<T>[]) =>
  new Set([...first].filter((one) => rest.every((each) => each.has(one))))

/** A comparison of the groups of a case. */
const isOfGroups = (test: Test): test is Comparison =>
  Array.isArray(test) && (test[1] === 'inGroup' || test[0] === 'case.is_new')

/** Splits `all` into its conditions, because the columns and rows of a section share most of them. */
const atoms = (test: Test): Test[] =>
  !Array.isArray(test) && 'all' in test ? test.all.flatMap(atoms) : [test]

/** The scans that answer these leaves. */
export async function planScans(
  scope: Scope,
  leaves: readonly Leaf[],
  pause: Pause,
): Promise<Map<string, Scan>> {
  const scans = new Map<string, Scan>()
  for (const leaf of leaves) {
    await pause()
    const key = scanKey(leaf)
    const scan = scans.get(key) ?? new Scan(scope, leaf.source, leaf.window, leaf.of.kind)
    scan.add(leaf)
    scans.set(key, scan)
  }
  return scans
}

const leafGroups = (scope: Scope, leaf: Leaf) =>
  leaf.source === 'cases' ? groupsIn(scope, leaf.all) : null

const aggregatedField = (of: Leaf['of']) => ('field' in of ? of.field : null)

/** The key of a leaf. With one group, each row of it is a case, so all such leaves share one key. */
function countedOnce(scope: Scope, leaf: Leaf): Key {
  const { of } = leaf
  if (of.kind !== 'count') return { name: aggregatedField(of) ?? 'days', of, groups: null }
  const own = of.once === 'row' ? leafGroups(scope, leaf) : null
  const groups = own?.length === 1 ? [0] : own
  return { name: groups ? `${of.once} ${groups.join(' ')}` : of.once, of, groups }
}

export const scanKey = (leaf: Leaf) => JSON.stringify([leaf.source, leaf.window, leaf.of.kind])
