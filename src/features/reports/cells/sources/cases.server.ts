import { type RawBuilder, sql } from 'kysely'
import { isOwnWork } from '~/features/rules/own-work/own-work.server'
import {
  answeredDiagnoses,
  isDiagnosed,
  plainCode,
} from '~/features/care/problem-codes/diagnosed.server'
import { largest } from '~/shared/any-length'
import { raw, recordedRows, type Scope, type SourceSql, type WantedRows } from './source.server'
import { visitFields, visitsWithNews } from './visits.server'

/** Codes in no group of the definition form a group of their own, with episodes of so many days. */
const UNGROUPED = 0
const UNGROUPED_EPISODE_DAYS = 14
/** Of a group without `episode_days`: longer than any life. */
const EVER = 100_000

/** Diagnoses of this clinic that are not refuted: problems, and the answers to questions about diagnoses. */
function diagnoses(scope: Scope, wanted: WantedRows): RawBuilder<unknown> {
  const problems = recordedRows(
    scope,
    wanted,
    {
      table: 'patient_problems',
      own: 'created_at',
      columns: `t.problem_code_system as system, ${plainCode('t.problem_code')} as code,
        t.problem_code_system || ' ' || ${plainCode('t.problem_code')} as coded`,
    },
    sql`${isDiagnosed('t')} and ${isOwnWork('t')}`,
  )
  if (scope.diagnoses.length === 0) return problems
  const forms = [...new Set(scope.diagnoses.map(({ form_id }) => form_id))]
  const events = recordedRows(
    scope,
    wanted,
    { table: 'events', own: 'created_at', columns: 't.form_id' },
    sql`t.form_id = any(${forms}::uuid[])`,
  )
  return sql`${problems}
    union all
    select e.id, e.patient_id, e.visit_id, e.clinic_id, e.at, e.day, e.is_revisit, e.provider_id,
      e.visited_at, case given.code when '' then 'none' else 'icd10' end, given.code,
      case given.code when '' then 'none ' else 'icd10 ' || given.code end
    ${answeredDiagnoses(scope.diagnoses, events)}`
}

/** Which codes are in which groups, as arrays of one length. */
function codeRanges({ definition, groups }: Scope) {
  const rows = Object.entries(definition.groups ?? {}).flatMap(([name, group]) => {
    const at = groups.get(name) ?? UNGROUPED
    const whole = (system: string, codes: readonly string[] = []) =>
      codes.map((code) => ({ at, system, low: code.replaceAll('.', ''), high: null }))
    return [
      ...(group.icd10 ?? []).map((range) => {
        const [low = '', high] = range.replaceAll('.', '').split('-')
        return { at, system: 'icd10', low, high: high ?? null }
      }),
      ...whole('icd11', group.icd11),
      ...whole('snomed', group.snomed),
    ]
  })
  return sql`unnest(${rows.map(({ at }) => at)}::int[], ${rows.map(({ system }) => system)}::text[],
    ${rows.map(({ low }) => low.toUpperCase())}::text[], ${rows.map(({ high }) => high)}::text[])
    ranges (grp, system, low, high)`
}

const groupSpecs = ({ definition, groups }: Scope) =>
  Object.entries(definition.groups ?? {}).map(([name, group]) => ({
    at: groups.get(name) ?? UNGROUPED,
    days: group.episode_days ?? EVER,
    except: (group.except ?? []).map((other) => groups.get(other) ?? UNGROUPED),
  }))

/**
 * The groups of each code of `rows`, in ascending order. Joins use `coded` alone: of two columns PostgreSQL expects so
 * few rows that it would read the rest once for each.
 */
function grouped(scope: Scope, rows: string) {
  const except = groupSpecs(scope).flatMap(({ at, except: excepted }) =>
    excepted.map((other) => [at, other]),
  )
  return sql`
    select c.coded,
      coalesce((
        select array_agg(each order by each) from unnest(found.groups) each
        where not exists (
          select from unnest(${except.map(([at]) => at)}::int[],
            ${except.map(([, other]) => other)}::int[]) excepted (grp, other)
          where excepted.grp = each and excepted.other = any(found.groups)
        )
      ), array[${UNGROUPED}::int]) as groups
    from (select distinct coded, system, code from ${sql.raw(rows)}) c
      cross join lateral (
        select array_agg(distinct ranges.grp) as groups from ${codeRanges(scope)}
        where case
          when c.system not in ('icd10', 'icd10cm') then ranges.system = c.system and ranges.low = c.code
          when ranges.system <> 'icd10' then false
          when ranges.high is null then starts_with(c.code, ranges.low)
          else left(c.code, 3) collate "C" between ranges.low and ranges.high
        end
      ) found`
}

/** The visits (or rows without one) and groups of which the patient had no case in the days before. */
function newCases(scope: Scope, wanted: WantedRows) {
  const names = groupSpecs(scope)
  const longest = largest([UNGROUPED_EPISODE_DAYS, ...names.map(({ days }) => days)])
  const { range } = wanted
  // two days more, for zones; the days themselves are compared below
  const from =
    longest < EVER && range.from
      ? sql`(${range.from} - make_interval(days => ${longest + 2}))`
      : null
  const history = { ...range, from, first: null }
  return sql`
    , past as materialized (${diagnoses(scope, {
      range: history,
      patients: sql`select patient_id from found`,
    })}),
    past_groups as materialized (${grouped(scope, 'past')}),
    new_cases as materialized (
      select ordered.id, array_agg(ordered.grp) as groups
      from (
        select cases.*, lag(cases.day) over (
            partition by cases.patient_id, cases.grp order by cases.at, cases.id) as before
        from (
          select distinct coalesce(past.visit_id, past.id) as id, past.patient_id, past.at, past.day,
            each as grp
          from past join past_groups using (coded) cross join unnest(past_groups.groups) each
        ) cases
      ) ordered
        join unnest(${[UNGROUPED, ...names.map(({ at }) => at)]}::int[],
          ${[UNGROUPED_EPISODE_DAYS, ...names.map(({ days }) => days)]}::int[]) episodes (grp, days)
          on episodes.grp = ordered.grp
      where ordered.before is null or ordered.day - ordered.before > episodes.days
      group by ordered.id
    )`
}

/**
 * A row for each code of a visit; `class` is its first group. A case is a visit and a group: the scan counts the
 * visits of a tested group once, and a visit once for each class if no group is tested.
 */
export const casesSource: SourceSql<'cases'> = {
  opens: ['visits', 'patient_problems', 'events'],
  isRepeated: true,
  further: ['groups', 'class'],
  rows: (scope, wanted, used) => {
    const isNew = used.has('case.is_new')
    const isVisitNew = used.has('visit.is_new')
    return sql`
      with found as materialized (${diagnoses(scope, wanted)}),
      code_groups as materialized (${grouped(scope, 'found')})
      ${isNew ? newCases(scope, wanted) : sql``}
      select coalesce(found.visit_id, found.id) as id, found.patient_id, found.visit_id,
        found.clinic_id, found.at, found.day, found.is_revisit, found.provider_id,
        found.visited_at, found.system, found.code, code_groups.groups,
        code_groups.groups[1] as class,
        ${isVisitNew ? sql`coalesce(visited.is_first, true)` : sql`null::boolean`} as is_first,
        ${isNew ? sql`coalesce(new_cases.groups, '{}')` : sql`'{}'::int[]`} as new_groups
      from found join code_groups using (coded)
        ${isNew ? sql`left join new_cases on new_cases.id = coalesce(found.visit_id, found.id)` : sql``}
        ${
          isVisitNew
            ? sql`left join (${visitsWithNews(scope, wanted)}) visited on visited.id = found.visit_id`
            : sql``
        }`
  },
  fields: {
    ...visitFields,
    'case.code': raw(`nullif(r.code, '')`),
    'case.is_grouped': () => sql`r.class <> ${UNGROUPED}::int`,
    // the groups in which it is new: a test says of which group it asks
    'case.is_new': raw('r.new_groups'),
    'case.system': raw('r.system'),
  },
}
