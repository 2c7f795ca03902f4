import { type RawBuilder, sql } from 'kysely'
import {
  sqlDay,
  ofClinics,
  ofPatient,
  ofVisit,
  raw,
  type Scope,
  type SourceSql,
  type WantedRows,
  within,
} from './source.server'

/** The days in which a further visit is a revisit, unless the visit says otherwise. */
const REVISIT_DAYS = 14

/**
 * Visits with `is_first`: whether the patient has no earlier one in the same clinic in the days before. Reads the
 * visits of the window and of these days once.
 */
export function visitsWithNews(scope: Scope, wanted: WantedRows): RawBuilder<unknown> {
  const { range } = wanted
  // two days more, for zones; the days themselves are compared
  const from = range.from && sql`(${range.from} - make_interval(days => ${REVISIT_DAYS + 2}))`
  const { visit, visits, ...around } = wanted
  const several = visits && {
    patients: sql`select patient_id from visits where id in (${visits})`,
  }
  const patients = visit
    ? { patient: sql`(select patient_id from visits where id = ${visit})` }
    : several
  const wider = { ...around, ...patients, range: { ...range, from, first: null } }
  return sql`
    select w.*, (w.before is null
      or ${sqlDay(scope, sql.raw('w.before'))} < ${sqlDay(scope, visited('w'))} - ${REVISIT_DAYS}::int) as is_first
    from (
      select v.id, v.patient_id, v.clinic_id, v.check_in_timestamp, v.is_revisit, v.provider_id,
        max(v.check_in_timestamp) over (
          partition by v.patient_id, v.clinic_id order by v.check_in_timestamp
          range between unbounded preceding and current row exclude group) as before
      from visits v
      where ${isSeen} and ${within(scope, wider.range, visited('v'))}
        and ${ofClinics(scope, wider, sql.raw('v.clinic_id'))}
        and ${ofPatient(wider, sql.raw('v.patient_id'))}
    ) w
    where ${within(scope, range, visited('w'))} and ${ofVisit(wanted, sql.raw('w.id'))}`
}

/** Visits in which nobody saw the patient are in no figure. */
const isSeen = sql`not v.is_deleted and not visit_only_waits(v.id, v.closed_at, v.closed_as)`

const visited = (alias: string) => sql.raw(`${alias}.check_in_timestamp`)

/** Of a visit, and of rows that have the columns of theirs. */
export const visitFields: SourceSql<'visits'>['fields'] = {
  'visit.is_new': raw('not coalesce(r.is_revisit, not r.is_first)'),
  'visit.weekday': raw(`extract(isodow from r.day)::int`),
  'visit.hour': ({ zone }) => sql`extract(hour from r.visited_at at time zone ${zone}::text)::int`,
  'visit.has_provider': raw(`r.provider_id is not null`),
}

export const visitsSource: SourceSql<'visits'> = {
  opens: ['visits'],
  rows: (scope, wanted, used) => sql`
    select v.id, v.patient_id, v.id as visit_id, v.clinic_id, v.check_in_timestamp as at,
      ${sqlDay(scope, visited('v'))} as day, v.is_revisit, v.provider_id,
      v.check_in_timestamp as visited_at,
      ${used.has('visit.is_new') ? sql`v.is_first` : sql`null::boolean`} as is_first
    from ${used.has('visit.is_new') ? sql`(${visitsWithNews(scope, wanted)})` : sql`visits`} v
    where ${used.has('visit.is_new') ? sql`true` : isSeen}
      and ${within(scope, wanted.range, visited('v'))}
      and ${ofClinics(scope, wanted, sql.raw('v.clinic_id'))}
      and ${ofPatient(wanted, sql.raw('v.patient_id'))} and ${ofVisit(wanted, sql.raw('v.id'))}`,
  fields: visitFields,
}
