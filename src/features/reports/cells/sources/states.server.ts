import { type RawBuilder, sql } from 'kysely'
import { keysIn } from '~/shared/object'
import { type Counts, PROGRAMS } from '~/features/care/programs/programs'
import { STARTER_SCHEDULES } from '~/features/care/programs/schedule'
import { addDays } from '~/shared/zone'
import type { ReportSource } from '../fields'
import type { Comparison, Test, Window } from '../grammar'
import { shiftMonthStart, periodAt, readPeriod, startOfDayIn } from '../period'
import { boundAnswers } from './events.server'
import { calls, doses } from './plans.server'
import { bp, sugars } from './readings.server'
import {
  bounds,
  sqlDay,
  monthsBetweenSql,
  ofClinics,
  ofNoVisit,
  ofPatient,
  REPORT_PATIENT_COLUMNS,
  raw,
  type SourceRange,
  type Scope,
  type SourceSql,
  type WantedRows,
  withinDays,
} from './source.server'
import { visitsSource } from './visits.server'

type Sql = RawBuilder<unknown>

const noFields: ReadonlySet<string> = new Set()

/** Rows with a day that can count as a visit of a program. */
const VISIT_ROWS = {
  bp: (scope, wanted) => bp.rows(scope, wanted, noFields),
  sugar: (scope, wanted) => sugars.rows(scope, wanted, noFields),
  contact: (scope, wanted) => boundAnswers(scope, wanted, ['anc.contact']),
  dose: (scope, wanted) => doses.rows(scope, wanted, noFields),
  visit: (scope, wanted) => visitsSource.rows(scope, wanted, noFields),
} satisfies Record<string, (scope: Scope, wanted: WantedRows) => Sql>
type VisitRows = keyof typeof VISIT_ROWS

const COUNTED: Record<Counts, readonly VisitRows[]> = {
  bp: ['bp'],
  bp_or_sugar: ['bp', 'sugar'],
  contact: ['contact'],
  dose: ['dose'],
  visit: ['visit'],
}

/** The programs of whose visits these rows are. */
const countedProgramCodes = (kind: VisitRows) =>
  PROGRAMS.filter(({ counts }) => COUNTED[counts].includes(kind)).map(({ code }) => code)
/** The same rows are read for other tests of a report: once for all. */
const READ_BEFORE: Partial<Record<VisitRows, ReportSource>> = { bp: 'bp', sugar: 'sugars' }
export const SOURCES_BEFORE: readonly ReportSource[] = Object.values(READ_BEFORE)
const KINDS = keysIn(VISIT_ROWS).filter((kind) => countedProgramCodes(kind).length > 0)

/** The sources of visits of each program, as tests: what `state.care` and windows of months ask. */
const visitedIn = (window: Window): Test => ({
  any: PROGRAMS.flatMap(({ code, counts }): Test[] =>
    VISITED[counts].map((exists) => ({
      all: [['state.program', 'is', code], { ...exists, in: window }],
    })),
  ),
})

const VISITED: Record<Counts, { exists: ReportSource; where?: Test }[]> = {
  bp: [{ exists: 'bp' }],
  bp_or_sugar: [{ exists: 'bp' }, { exists: 'sugars' }],
  contact: [{ exists: 'events', where: ['event.concept', 'is', 'anc.contact'] }],
  dose: [{ exists: 'doses' }],
  visit: [{ exists: 'visits' }],
}

/** Of each enrolment `t`, the last visit of its program in the 11 months before the period, as `seen_….day`. */
function lastVisits(scope: Scope, wanted: WantedRows): Sql {
  const { first } = scope.period
  const range = bounds(scope.zone, shiftMonthStart(first, -11), addDays(first, -1))
  const joins = KINDS.map((kind) => {
    const patients = wanted.patient
      ? { patient: wanted.patient }
      : { patients: enrolled(scope, wanted, countedProgramCodes(kind)) }
    const source = READ_BEFORE[kind]
    const before = source && scope.readBefore?.[source]
    const rows = before
      ? sql`select patient_id, day from ${sql.raw(before)} where ${withinDays(range, sql.raw('day'))}`
      : VISIT_ROWS[kind](scope, { range, ...patients })
    return sql`left join (
        select patient_id, max(day) as day
        from (${rows}) visited
        group by patient_id
      ) ${seen(kind)} on ${seen(kind)}.patient_id = t.patient_id
        and t.program = any(${countedProgramCodes(kind)}::text[])`
  })
  return sql.join(joins, sql` `)
}

/** Of each enrolment `t`, the last day before the period on which a call took the patient off the list: `removed`. */
function removals(scope: Scope, wanted: WantedRows): Sql {
  const range = { ...anyDay, to: sql`${scope.period.from}::timestamptz` }
  const patients = wanted.patient
    ? { patient: wanted.patient }
    : { patients: enrolled(scope, wanted) }
  return sql`left join (
      select patient_id, program, max(day) as day
      from (${calls.rows(scope, { range, ...patients }, noFields)}) called
      where result = 'removed_from_overdue_list'
      group by patient_id, program
    ) removed on removed.patient_id = t.patient_id and removed.program = t.program`
}
const anyDay: SourceRange = { from: null, to: null, first: null, last: null, isByDay: false }

const ALL = PROGRAMS.map(({ code }) => code)

/** The patients of programs, of the run's clinics if its rows are wanted. */
export const enrolled = (scope: Scope, wanted: WantedRows, codes: readonly string[] = ALL) =>
  sql`select e.patient_id from program_enrollments e
    where e.program = any(${[...codes]}::text[]) and not e.is_deleted
      and ${ofClinics(scope, wanted, sql.raw('e.clinic_id'))}`
const seen = (kind: VisitRows) => sql.raw(`seen_${kind}`)

const phone = `coalesce(r.phone, '')`
/** A phone number of at least 8 digits of any script. Most are ASCII, which is counted without a regular expression. */
const hasPhone = sql.raw(`(length(${phone}) - length(translate(${phone}, '0123456789', '')) >= 8
  or regexp_count(${phone} collate names, '[[:digit:]]') >= 8)`)

/** Days from a visit to the next of programs without a schedule of reviews. */
const REVIEW_DAYS = 30
/** By program, the days of the shipped schedules of reviews: a stored one may hold other things only. */
const SHIPPED_DAYS = JSON.stringify(
  Object.fromEntries(
    STARTER_SCHEDULES.flatMap(({ program, steps: [first] }) =>
      first?.after === 'last_visit' && first.days ? [[program, first.days]] : [],
    ),
  ),
)

/**
 * Enrolments with the date of the visit that was next, as the period began: the last appointment after `seen_day` (the
 * last visit in the 11 months before), or else some days after that visit. Null: no visit, or booked for later.
 */
function scheduled(scope: Scope, states: Sql): Sql {
  const { first } = scope.period
  const day = sqlDay(scope, sql.raw('a.timestamp'))
  return sql`
    with state as (${states}),
      booked as (
        select state.id, max(${day}) filter (where ${day} < ${first}::date) as day
        from state join appointments a on a.patient_id = state.patient_id and ${day} > state.seen_day
        where not a.is_deleted and a.status <> 'cancelled'
          -- no zone is a day from UTC: the index finds the times from then on, the days decide
          and a.timestamp >= ${startOfDayIn(addDays(shiftMonthStart(first, -11), -1), 'UTC')}::timestamptz
          -- an appointment that a call of the period brought changes nothing of its start
          and (${day} < ${first}::date or a.created_at < ${scope.period.from}::timestamptz)
        group by state.id
      ),
      schedule as (
        select distinct on (program) program, (body #>> '{steps,0,days}')::int as days
        from follow_up_schedules
        where is_active and not is_deleted and body #>> '{steps,0,after}' = 'last_visit'
        order by program, code
      )
    select state.*, booked.id is not null as is_booked,
      case when booked.id is not null then booked.day
        else seen_day + coalesce(review_days, schedule.days,
          (${SHIPPED_DAYS}::jsonb ->> state.program)::int, ${REVIEW_DAYS}::int) end as scheduled_on
    from state left join booked on booked.id = state.id
      left join schedule on schedule.program = state.program`
}

/** Overdue at 00:00 on the first day of the period, and can be called. */
function overdue(scope: Scope): Sql {
  const { first } = scope.period
  return sql`(coalesce(r.scheduled_on < ${first}::date, false)
    and coalesce(r.removed_on < r.scheduled_on, true)
    and not (r.is_booked and exists (
      select from appointments a
      where a.patient_id = r.patient_id and not a.is_deleted and a.status <> 'cancelled'
        and a.timestamp >= ((r.scheduled_on - 1)::timestamp at time zone 'UTC')
        and a.timestamp < ((r.scheduled_on + 2)::timestamp at time zone 'UTC')
        and ${sqlDay(scope, sql.raw('a.timestamp'))} = r.scheduled_on
        and (a.fulfilled_visit_id is not null or a.status in ('completed', 'checked_in'))
    ))
    and ${hasPhone})`
}

const lastSeen = sql`greatest(${sql.join(KINDS.map((kind) => sql`${seen(kind)}.day`))})`

/** W12: under care with a visit of the program in the months R-11 to R. */
export function careTest([, op, value]: Comparison): Test {
  const underCare = visitedIn({ months: 12 })
  if (op === 'isSet') return value === true ? { all: [] } : { not: { all: [] } }
  const wanted = Array.isArray(value) ? value : [value]
  const either: Test[] = []
  if (wanted.includes('under_care')) either.push(underCare)
  if (wanted.includes('lost')) either.push({ not: underCare })
  return { any: either }
}

/**
 * Counts a patient once in a program, although records that were merged may bring further enrolments: of those open at
 * the end of the period the first, and of a patient who has died the last.
 */
const countsOnce = ({ period }: Scope) => {
  const last = sql`${period.last}::date`
  const isOpen = (alias: string) => sql`coalesce(${sql.ref(`${alias}.ended_on`)} > ${last}, true)`
  return sql`not exists (
    select from program_enrollments other
    where other.patient_id = t.patient_id and other.program = t.program and other.id <> t.id
      and not other.is_deleted and other.end_reason is distinct from 'mistaken'
      and other.enrolled_on <= ${last}
      and case when enrolled.died_on <= ${last}
        then (other.enrolled_on, other.id) > (t.enrolled_on, t.id)
        else ${isOpen('t')} and ${isOpen('other')}
          and (other.enrolled_on, other.id) < (t.enrolled_on, t.id) end)`
}

/** Enrolments in a program as they are at the end of the period. */
export const patientStates: SourceSql<'patient_states'> = {
  opens: ['program_enrollments'],
  hasPatient: true,
  rows(scope, wanted, used) {
    const isScheduled = used.has('state.overdue')
    const states = sql`
    select t.id, t.patient_id, null::uuid as visit_id, t.clinic_id,
      t.enrolled_on::timestamp at time zone ${scope.zone}::text as at, ${scope.period.last}::date as day,
      t.program, t.enrolled_on, t.ended_on, t.end_reason, t.lmp, t.review_days,
      ${sql.raw(REPORT_PATIENT_COLUMNS.map((name) => `enrolled.${name}`).join(', '))}
      ${isScheduled ? sql`, enrolled.phone, ${lastSeen} as seen_day, removed.day as removed_on` : sql``}
    from program_enrollments t
      join patients enrolled on enrolled.id = t.patient_id and not enrolled.is_deleted
      ${isScheduled ? sql`${lastVisits(scope, wanted)} ${removals(scope, wanted)}` : sql``}
    where not t.is_deleted and t.end_reason is distinct from 'mistaken'
      and ${withinDays({ ...wanted.range, first: null }, sql.raw('t.enrolled_on'))}
      and ${ofClinics(scope, wanted, sql.raw('t.clinic_id'))}
      and ${ofPatient(wanted, sql.raw('t.patient_id'))}
      and ${ofNoVisit(wanted)} and ${countsOnce(scope)}`
    return isScheduled ? scheduled(scope, states) : states
  },
  fields: {
    'state.program': raw('r.program'),
    // tests of it are written as tests of visits: `careTest`
    'state.care': raw('null::text'),
    'state.months_enrolled': raw(monthsBetweenSql('r.enrolled_on', 'r.day')),
    'state.quarters_enrolled': (scope) => {
      // of the last quarter that has ended with the period
      const last = sql`${endOfLastQuarter(scope.period.last)}::date`
      return sql`((date_part('year', ${last}) - date_part('year', r.enrolled_on)) * 4
        + date_part('quarter', ${last}) - date_part('quarter', r.enrolled_on))::int`
    },
    'state.enrolled_day': raw('r.enrolled_on'),
    'state.overdue': overdue,
    // null: died after the period, and is in no figure of it, either
    'state.dead': raw(
      'case when r.died_on is null then false when r.died_on <= r.day then true end',
    ),
    'state.ended': raw('(r.ended_on is not null and r.ended_on <= r.day)'),
    'state.ended_in_period': ({ period }) =>
      sql`(r.ended_on is not null and r.ended_on between ${period.first}::date and ${period.last}::date)`,
    'state.end_reason': raw('case when r.ended_on <= r.day then r.end_reason end'),
    'state.weeks_pregnant': raw('(r.day - r.lmp) / 7'),
  },
}

/** The last day of the last quarter that has ended by a day. */
function endOfLastQuarter(last: string) {
  const next = readPeriod(periodAt('quarter', addDays(last, 1)), 'UTC')!
  return addDays(next.first, -1)
}
