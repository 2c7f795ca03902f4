import { type RawBuilder, sql } from 'kysely'
import { addDays } from '~/shared/zone'
import type { Comparison, Test, Value, Window } from './grammar'
import type { ReportSource } from './fields'
import { shiftMonthStart, periodAt, readPeriod } from './period'
import { sources } from './sources/all.server'
import { careTest } from './sources/states.server'
import {
  bounds,
  sourceColumnsSql,
  commonFields,
  isOfClinics,
  REPORT_PATIENT_COLUMNS,
  type SourceRange,
  type Scope,
  type SourceSql,
  type WantedRows,
} from './sources/source.server'

type Sql = RawBuilder<unknown>

/** A test that asks for rows of the patient or the visit. */
export type RelatedRowsTest = Extract<Test, { exists: ReportSource } | { latest: ReportSource }>
type Nth = Extract<Test, { nth: ReportSource }>

/** Answers tests for all rows at once; `where`: which rows ask. Null: the test is to be answered for each row. */
type BulkTests = {
  term: (test: RelatedRowsTest, where: RawBuilder<unknown>) => RawBuilder<unknown> | null
  nth: (test: Nth, where: RawBuilder<unknown>) => RawBuilder<unknown>
}

/** A row that a test is about: its source and alias, and for cases the groups that are tested. */
export type Place = {
  scope: Scope
  source: ReportSource
  alias: string
  groups: readonly number[] | null
  /** of the rows of a scan: tests of patients and visits are answered for all rows at once */
  sides?: BulkTests
  /** of the rows of a scan: which of them the test decides; absent: all */
  where?: Sql
}

export const sourceSql = (source: ReportSource) =>
  sources[source] as unknown as SourceSql<ReportSource> // one of them, not each
export const column = ({ alias }: { alias: string }, name: string) => sql.ref(`${alias}.${name}`)
export const fieldColumn = ({ alias }: { alias: string }, name: string) =>
  sql.raw(`${alias}."${name}"`)

// Which rows --------------------------------------------------------------------------------------

export const anyTime: SourceRange = {
  from: null,
  to: null,
  first: null,
  last: null,
  isByDay: false,
}

/** The days of a window that does not depend on a row; null: from the beginning. */
export function daysIn({ period }: Scope, window: Window): { first: string | null; last: string } {
  if (typeof window === 'string') return { first: period.first, last: period.last }
  if ('months' in window)
    return { first: shiftMonthStart(period.last, 1 - window.months), last: period.last }
  if ('quarter' in window) {
    // the quarter of the day after has not ended with the period
    const next = readPeriod(periodAt('quarter', addDays(period.last, 1)), 'UTC')!
    return { first: shiftMonthStart(next.first, -3), last: addDays(next.first, -1) }
  }
  if ('before' in window) return { first: null, last: addDays(period.first, -1) }
  return { first: null, last: period.last }
}

/** The rows of a window; `outer`: the row that a test is about, else the run's clinics. */
export function wantedIn(scope: Scope, window: Window, outer: Place | null): WantedRows {
  if (window === 'visit')
    return { range: anyTime, ...(outer && { visit: column(outer, 'visit_id') }) }
  const patient = outer && { patient: column(outer, 'patient_id') }
  if (typeof window === 'string' || !('days' in window)) {
    const { first, last } = daysIn(scope, window)
    return { ...patient, range: bounds(scope.zone, first, last) }
  }
  const day = fieldColumn(outer!, window.after)
  const [first, last] = window.days.map((days) => sql`(${day} + ${days}::int)`) as [Sql, Sql]
  return {
    ...patient,
    range: {
      // no zone is a day from UTC: the index finds the days around, the days decide
      from: sql`((${first} - 1)::timestamp at time zone 'UTC')`,
      to: sql`((${last} + 2)::timestamp at time zone 'UTC')`,
      first,
      last,
      isByDay: true,
    },
  }
}

/** Fields of a row that tests compare, or that windows of nested tests begin at. */
export function fieldsIn(source: ReportSource, tests: readonly Test[], found = new Set<string>()) {
  for (const test of tests) {
    if (Array.isArray(test))
      if (test[0] === 'state.care') found.add('state.program')
      else found.add(test[0])
    else if ('all' in test) fieldsIn(source, test.all, found)
    else if ('any' in test) fieldsIn(source, test.any, found)
    else if ('not' in test) fieldsIn(source, [test.not], found)
    else if ('nth' in test) {
      const { numberedBy } = sourceSql(source)
      if (numberedBy) found.add(numberedBy)
    } else if (typeof test.in === 'object' && 'days' in test.in) found.add(test.in.after)
  }
  return found
}

/** Who died or left is in no state, unless a test asks for it. */
const leftOut: Partial<Record<ReportSource, Record<string, readonly string[]>>> = {
  patient_states: {
    'state.dead': ['state.dead'],
    'state.ended': ['state.ended', 'state.ended_in_period', 'state.end_reason', 'state.dead'],
  },
}

/** The tests with those that the source adds to them. */
export function withImpliedTests(source: ReportSource, tests: readonly Test[]): Test[] {
  const named = fieldsIn(source, tests)
  const implied = Object.entries(leftOut[source] ?? {}).filter(
    ([, asked]) => !asked.some((field) => named.has(field)),
  )
  return [...tests, ...implied.map(([field]): Test => [field, 'is', false])]
}

/**
 * Rows of a source with the fields that the tests use, each computed once. `isWhole`: with all columns, of which the
 * keys of a scan are made.
 */
export function relation(
  scope: Scope,
  source: ReportSource,
  wanted: WantedRows,
  used: ReadonlySet<string>,
  isWhole = false,
): Sql {
  const { rows, fields, hasPatient } = sourceSql(source)
  const own = fields as Record<string, (scope: Scope) => Sql>
  const columns = [...used].map((name) => {
    const field = own[name] ?? commonFields[name]
    if (!field) throw new Error(`No column for ${name}`)
    return sql`, ${field(scope)} as ${sql.raw(`"${name}"`)}`
  })
  const isTop = isOfClinics(wanted)
  const aboutPatient = [...used].some((name) => name.startsWith('patient.'))
  const isPerPatient = source !== 'movements' && source !== 'stock' && source !== 'shortfalls'
  const joined =
    isPerPatient && (isTop || aboutPatient)
      ? sql`join patients p on p.id = r.patient_id and not p.is_deleted`
      : sql``
  const patients = hasPatient
    ? sql`cross join lateral (
        select ${sql.raw(REPORT_PATIENT_COLUMNS.map((name) => `r.${name}`).join(', '))}) p`
    : joined
  // the fence keeps PostgreSQL from computing a field again wherever a test uses it
  const kept = isWhole ? 'r.*' : sourceColumnsSql(sourceSql(source))
  return sql`(select ${sql.raw(kept)} ${sql.join(columns, sql``)} from (${rows(scope, wanted, used)}) r
    ${patients} ${isTop ? sql`offset 0` : sql``})`
}

export const topRelation = (
  scope: Scope,
  source: ReportSource,
  window: Window,
  tests: readonly Test[],
  { fields, concepts }: { fields: readonly string[]; concepts: readonly string[] | null },
) =>
  relation(
    scope,
    source,
    { ...wantedIn(scope, window, null), ...(concepts && { concepts }) },
    fieldsIn(source, tests, new Set(fields)),
    true,
  )

/** The concepts of rows that pass all tests; null: any, or none. */
export function conceptsIn(tests: readonly Test[]): readonly string[] | null {
  for (const test of tests) {
    const found = testedConcepts(test)
    if (found) return found
  }
  return null
}

function testedConcepts(test: Test): readonly string[] | null {
  if (Array.isArray(test)) {
    const [field, op, value] = test
    return field === 'event.concept' && (op === 'is' || op === 'in')
      ? values(value).map(String)
      : null
  }
  if ('all' in test) return conceptsIn(test.all)
  return 'any' in test && test.any.length > 0 ? unionOrNull(test.any.map(testedConcepts)) : null
}

export const unionOrNull = (lists: readonly (readonly string[] | null)[]) =>
  lists.every((each) => each !== null) ? [...new Set(lists.flat())] : null

export type Days = { first: string; last: string }

/** The days that rows of a window can have; null: not known before they are read. */
export function daysOfRows(scope: Scope, source: ReportSource, window: Window): Days | null {
  if (source === 'patient_states') return { first: scope.period.last, last: scope.period.last }
  if (window === 'visit' || (typeof window === 'object' && 'days' in window)) return null
  const { first, last } = daysIn(scope, window)
  return first === null ? null : { first, last }
}

// Tests -------------------------------------------------------------------------------------------

const values = (value: Value) => (Array.isArray(value) ? value : [value])
/** A whole number is compared as one: PostgreSQL would turn each age or count into a numeric. */
const sqlType = (given: readonly Value[]) => {
  if (typeof given[0] === 'boolean') return 'boolean'
  if (typeof given[0] === 'string') return 'text'
  if (given.every((each) => Number.isInteger(each) && Math.abs(Number(each)) < 2 ** 31))
    return 'int'
  return 'numeric'
}

/** The class of a case: the first of the tested groups that its code is in. */
export function caseClass({ alias, groups }: Pick<Place, 'alias' | 'groups'>): Sql {
  const all = sql.ref(`${alias}.groups`)
  if (!groups) return sql.ref(`${alias}.class`)
  if (groups.length === 1) return sql`${groups[0]}::int`
  return sql`(select min(each) from unnest(${all}) each where each = any(${[...groups]}::int[]))`
}

function comparisonSql(place: Place, [field, op, value]: Comparison): Sql {
  if (field === 'state.care') return testSql(place, careTest([field, op, value]))
  const left = fieldColumn(place, field)
  if (field === 'case.is_new')
    return sql`(coalesce(${caseClass(place)} = any(${left}), false) = ${value === true}::boolean)`
  if (op === 'isSet') return value === true ? sql`(${left} is not null)` : sql`(${left} is null)`
  if (op === 'inGroup') {
    const groups = values(value).map((name) => place.scope.groups.get(String(name)) ?? -1)
    return sql`(${column(place, 'groups')} && ${groups}::int[])`
  }
  if (op === 'has')
    return sql`coalesce(${left} && ${values(value).map((each) => String(each).toLowerCase())}::text[], false)`
  const isCode = field === 'case.code'
  const given = isCode
    ? values(value).map((each) => String(each).replaceAll('.', '').toUpperCase())
    : values(value)
  const type = field === 'row.day' || field.endsWith('_day') ? 'date' : sqlType(given)
  if (op === 'in' || op === 'is')
    // PostgreSQL reads an array again for each row
    return given.length === 1
      ? sql`coalesce(${left} = ${given[0]}::${sql.raw(type)}, false)`
      : sql`coalesce(${left} = any(${given}::${sql.raw(type)}[]), false)`
  const operator = { below: '<', atMost: '<=', atLeast: '>=', above: '>' }[op]
  return sql`coalesce(${left} ${sql.raw(operator)} ${given[0]}::${sql.raw(type)}, false)`
}

/** The comparisons come first: what asks for further rows is asked only of rows that pass them. */
function allSql(place: Place, tests: readonly Test[]): Sql {
  if (tests.length === 0) return sql`true`
  const [plain, asking] = [tests.filter(isPlain), tests.filter((test) => !isPlain(test))]
  const compared = plain.map((test) => testSql(place, test))
  const where = sql.join([...(place.where ? [place.where] : []), ...compared], sql` and `)
  const narrowed = compared.length > 0 ? { ...place, where } : place
  return sql`(${sql.join([...compared, ...asking.map((test) => testSql(narrowed, test))], sql` and `)})`
}

/** A comparison of a field of the row: it asks for no other rows. */
export const isPlain = (test: Test): test is Comparison =>
  Array.isArray(test) && test[0] !== 'state.care'

/** Never null: a comparison with a missing value is false, and its negation true. */
export function testSql(place: Place, test: Test): Sql {
  const { scope } = place
  const each = (tests: readonly Test[]) => tests.map((one) => testSql(place, one))
  if (Array.isArray(test)) return comparisonSql(place, test)
  if ('all' in test) return allSql(place, test.all)
  if ('any' in test)
    return test.any.length === 0 ? sql`false` : sql`(${sql.join(each(test.any), sql` or `)})`
  if ('not' in test) return sql`(not ${testSql(place, test.not)})`
  const alias = `${place.alias}_`
  const ofAll =
    'nth' in test
      ? place.sides?.nth(test, place.where ?? sql`true`)
      : place.sides?.term(test, place.where ?? sql`true`)
  if (ofAll) return ofAll
  if ('nth' in test) return nthSql(place, alias, test)
  const inner = 'exists' in test ? test.exists : test.latest
  const where = withImpliedTests(inner, test.where ? [test.where] : [])
  const is = 'latest' in test ? test.is : null
  const next: Place = {
    scope,
    source: inner,
    alias,
    groups: groupsIn(scope, is ? [...where, is] : where),
  }
  const rows = relation(
    scope,
    inner,
    { ...wantedIn(scope, test.in, place), ...conceptFilter(inner, where) },
    fieldsIn(inner, is ? [...where, is] : where),
  )
  const conditions = where.map((one) => testSql(next, one))
  const filter = conditions.length > 0 ? sql`where ${sql.join(conditions, sql` and `)}` : sql``
  if (!is) return sql`exists (select from ${rows} ${sql.raw(alias)} ${filter})`
  const order = sourceSql(inner).lastFirst?.(alias) ?? `${alias}.at desc, ${alias}.id desc`
  return sql`coalesce((select ${testSql(next, is)} from ${rows} ${sql.raw(alias)} ${filter}
    order by ${sql.raw(`${alias}.day desc, ${order}`)} limit 1), false)`
}

/**
 * The row is the first of its day, and so many days of the patient have such rows up to then; in a pregnancy,
 * since that began. Rows are numbered apart by concept or vaccine.
 */
function nthSql(place: Place, alias: string, test: { where?: Test | undefined; is: number }): Sql {
  const { scope, source } = place
  const { numberedBy } = sourceSql(source)
  const tests = test.where ? [test.where] : []
  const next: Place = { scope, source, alias, groups: groupsIn(scope, tests) }
  const used = fieldsIn(source, tests, new Set(numberedBy ? [numberedBy] : []))
  const [own, other] = [(name: string) => column(place, name), (name: string) => column(next, name)]
  const rows = relation(scope, source, { range: anyTime, patient: own('patient_id') }, used)
  const same = numberedBy
    ? sql`${fieldColumn(next, numberedBy)} is not distinct from ${fieldColumn(place, numberedBy)}`
    : sql`true`
  const filter = sql.join([same, ...tests.map((one) => testSql(next, one))], sql` and `)
  const since = pregnantSince(own('patient_id'), own('day'))
  return sql`(select count(distinct ${other('day')}) = ${test.is}::int and bool_and(
      ${other('day')} < ${own('day')} or (${other('at')}, ${other('id')}) >= (${own('at')}, ${own('id')}))
    from ${rows} ${sql.raw(alias)}
    where ${other('day')} <= ${own('day')} and ${filter}
      and ${source === 'events' ? sql`${other('day')} >= ${since}` : sql`true`})`
}

/** When the pregnancy of a day began; '-infinity' without one. */
export const pregnantSince = (patient: Sql, day: Sql) => sql`coalesce((
    select max(coalesce(e.lmp, e.enrolled_on)) from program_enrollments e
    where e.patient_id = ${patient} and e.program = 'pregnancy' and not e.is_deleted
      and coalesce(e.lmp, e.enrolled_on) <= ${day}
      and (e.ended_on is null or e.ended_on >= ${day})), '-infinity')`

/** Reads only events with the concepts that the tests ask for. */
export function conceptFilter(
  source: ReportSource,
  tests: readonly Test[],
): Pick<WantedRows, 'concepts'> {
  const concepts = source === 'events' ? conceptsIn(tests) : null
  return concepts ? { concepts } : {}
}

/** The groups that tests ask for; null if they ask for none. */
export function groupsIn({ groups }: Scope, tests: readonly Test[]): number[] | null {
  const numbers = [...new Set(testedGroupNames(tests))].map((name) => groups.get(name) ?? -1)
  return numbers.length > 0 ? numbers.toSorted((a, b) => a - b) : null
}

const testedGroupNames = (tests: readonly Test[]): string[] =>
  tests.flatMap((test) => {
    if (Array.isArray(test)) return test[1] === 'inGroup' ? values(test[2]).map(String) : []
    if ('all' in test) return testedGroupNames(test.all)
    return 'any' in test ? testedGroupNames(test.any) : []
  })
