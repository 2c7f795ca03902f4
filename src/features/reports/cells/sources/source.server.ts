import { type RawBuilder, sql } from 'kysely'
import { SEX_WORDS } from '~/fields/sex'
import { addDays } from '~/shared/zone'
import type { ReportDefinition } from '../grammar'
import type { SourceFieldName, ReportSource, SOURCES } from '../fields'
import { type Period, startOfDayIn } from '../period'
import type { OpenedTable } from './opened'

/** What a run reads beside the rows of its sources. */
export type Scope = {
  definition: ReportDefinition
  clinicIds: readonly string[]
  period: Period
  zone: string
  now: Date
  bindings: readonly Binding[]
  /** questions about diagnoses: the form and the field */
  diagnoses: readonly { form_id: string; field_id: string }[]
  /** the number of a group of codes, in the order of the definition */
  groups: ReadonlyMap<string, number>
  /** of a scan of states: the names of what was read of their patients before them */
  readBefore?: Partial<Record<ReportSource, string>>
}

export type Binding = {
  concept: string
  clinic_id: string | null
  form_id: string
  field_id: string | null
  option: string | null
  /** only if another field has this answer */
  when_field_id: string | null
  when_option: string | null
}

/** Null: no bound. Instants for what has a time, days for what has only a day. */
export type SourceRange = {
  from: RawBuilder<unknown> | null
  to: RawBuilder<unknown> | null
  first: RawBuilder<unknown> | null
  last: RawBuilder<unknown> | null
  /** `from` and `to` are wider than the days: these decide */
  isByDay: boolean
}

/** Whole days from the first to the last. */
export const bounds = (zone: string, first: string | null, last: string | null): SourceRange => ({
  from: first === null ? null : sql`${startOfDayIn(first, zone)}::timestamptz`,
  to: last === null ? null : sql`${startOfDayIn(addDays(last, 1), zone)}::timestamptz`,
  first: first === null ? null : sql`${first}::date`,
  last: last === null ? null : sql`${last}::date`,
  isByDay: false,
})

/** Which rows: of the run's clinics in a range, or of patients or visits, whatever the clinic. */
export type WantedRows = {
  range: SourceRange
  patient?: RawBuilder<unknown>
  visit?: RawBuilder<unknown>
  /** queries of ids */
  patients?: RawBuilder<unknown>
  visits?: RawBuilder<unknown>
  /** of events: only those that answer one of these */
  concepts?: readonly string[]
}

/** Rows of the run's clinics: their places decide, not a patient or visit. */
export const isOfClinics = ({ patient, patients, visit, visits }: WantedRows) =>
  !patient && !patients && !visit && !visits

type OwnField<S extends ReportSource> = Exclude<
  SourceFieldName<S>,
  `patient.${string}` | `row.${string}`
>

/**
 * `rows` selects id, patient_id, visit_id, clinic_id, at and day (the row's day in the clinic's zone), and what its
 * fields need. `fields` are expressions over a row `r`.
 */
export type SourceSql<S extends ReportSource> = {
  rows: (scope: Scope, wanted: WantedRows, used: ReadonlySet<string>) => RawBuilder<unknown>
  fields: Record<OwnField<S>, (scope: Scope) => RawBuilder<unknown>>
  /** where its rows are found when a number is opened; null: they are of no patient */
  opens: (typeof SOURCES)[S]['perPatient'] extends true
    ? readonly [OpenedTable, ...OpenedTable[]]
    : null
  /** its rows have the columns of their patients that fields use, of patients who are not deleted */
  hasPatient?: true
  /** several rows may have one id: they count once */
  isRepeated?: true
  /** fields in which rows are numbered separately by `nth` */
  numberedBy?: SourceFieldName<S>
  /** the order of the rows of a day, the last first, for `latest`; absent: by their time */
  lastFirst?: (alias: string) => string
  /** columns that tests of its rows and `lastFirst` use, beside those that all sources have and fields */
  further?: readonly string[]
}

const OF_EVERY_SOURCE = ['id', 'patient_id', 'visit_id', 'clinic_id', 'at', 'day']

/** What tests use of the rows of a source, beside fields. Of fewer columns PostgreSQL may read an index alone. */
export const sourceColumnsSql = ({ further = [] }: { further?: readonly string[] }) =>
  [...OF_EVERY_SOURCE, ...further].map((name) => `r.${name}`).join(', ')

export const raw = (text: string) => () => sql.raw(text)

const and = (conditions: readonly (RawBuilder<unknown> | null)[]) => {
  const present = conditions.filter((each) => each !== null)
  return present.length === 0 ? sql`true` : sql.join(present, sql` and `)
}

export const sqlDay = ({ zone }: Scope, at: RawBuilder<unknown>) =>
  sql`(${at} at time zone ${zone}::text)::date`

/** An instant in the range. */
export const within = (
  scope: Scope,
  { from, to, first, last, isByDay }: SourceRange,
  at: RawBuilder<unknown>,
) =>
  and([
    from && sql`${at} >= ${from}`,
    to && sql`${at} < ${to}`,
    isByDay && first ? sql`${sqlDay(scope, at)} >= ${first}` : null,
    isByDay && last ? sql`${sqlDay(scope, at)} <= ${last}` : null,
  ])

export const withinDays = ({ first, last }: SourceRange, day: RawBuilder<unknown>) =>
  and([first && sql`${day} >= ${first}`, last && sql`${day} <= ${last}`])

/** Of the run's clinics, unless the rows of patients or visits are wanted. */
export const ofClinics = (scope: Scope, wanted: WantedRows, clinic: RawBuilder<unknown>) =>
  isOfClinics(wanted) ? sql`${clinic} = any(${[...scope.clinicIds]}::uuid[])` : sql`true`

/**
 * `coalesce` makes PostgreSQL look into a hash of the patients. It would expect far fewer than there are, and read the
 * whole history of one after another instead of the window.
 */
export const ofPatient = (
  { patient, patients, range }: WantedRows,
  column: RawBuilder<unknown>,
) => {
  if (patients && range.from) return sql`coalesce(${column} in (${patients}), false)`
  if (patients) return sql`${column} in (${patients})`
  return patient ? sql`${column} = ${patient}` : sql`true`
}
export const ofVisit = ({ visit, visits }: WantedRows, column: RawBuilder<unknown>) => {
  if (visits) return sql`${column} in (${visits})`
  return visit ? sql`${column} = ${visit}` : sql`true`
}
export const ofNoVisit = ({ visit, visits }: WantedRows) =>
  visit || visits ? sql`false` : sql`true`

/** The columns of a patient that fields use. */
export const REPORT_PATIENT_COLUMNS = [
  'sex',
  'date_of_birth',
  'camp',
  'citizenship',
  'died_on',
] as const

/** What a definition can test of every patient `p` and every row `r`. */
export const commonFields: Record<string, (scope: Scope) => RawBuilder<unknown>> = {
  'patient.sex': () => sql`case
      when btrim(lower(p.sex), ' .') = any(${[...SEX_WORDS.male]}::text[]) then 'male'
      when btrim(lower(p.sex), ' .') = any(${[...SEX_WORDS.female, 'f']}::text[]) then 'female'
      else 'unknown' end`,
  'patient.age_months': () => ageInMonths,
  'patient.age_years': () => sql`(${ageInMonths}) / 12`,
  'patient.camp': raw(`nullif(btrim(p.camp), '')`),
  'patient.citizenship': raw(`nullif(btrim(p.citizenship), '')`),
  'patient.is_dead': raw(`p.died_on is not null`),
  'row.day': raw('r.day'),
  'row.clinic': raw('r.clinic_id::text'),
}

/** The calendar months from one day to another. `extract` computes in numeric, which takes several times as long. */
export const monthsBetweenSql = (from: string, to: string) =>
  `((date_part('year', ${to}) - date_part('year', ${from})) * 12
    + date_part('month', ${to}) - date_part('month', ${from}))::int`

/** `date + interval` makes 28 February of 29 February and 30 April of 31 April, as the age needs. */
const months = monthsBetweenSql('p.date_of_birth', 'r.day')
const ageInMonths = sql.raw(`(${months}
  - (p.date_of_birth + make_interval(months => ${months}) > r.day)::int)`)

/** Columns of the visit `v` of a row, under the names that its fields use. */
const ofTheVisit = 'v.is_revisit, v.provider_id, v.check_in_timestamp as visited_at'
const withoutVisit = (at: string) => `null::boolean, null::uuid, ${at}`

/**
 * Rows recorded in a visit, or outside of one: then their own time and the clinic of the patient count. `columns` are
 * of the table `t` and of what `join` adds; `own` is the time of a row without a visit, `clinic` its clinic if not that
 * of the patient.
 */
export function recordedRows(
  scope: Scope,
  wanted: WantedRows,
  {
    table,
    join = '',
    own,
    columns,
    clinic,
  }: { table: string; join?: string; own: string; columns: string; clinic?: string },
  more: RawBuilder<unknown> = sql`true`,
) {
  const [visited, at] = [sql.raw('v.check_in_timestamp'), sql.raw(`t.${own}`)]
  const inVisit = sql`
    select t.id, t.patient_id, t.visit_id, v.clinic_id, ${visited} as at,
      ${sqlDay(scope, visited)} as day, ${sql.raw(`${ofTheVisit}, ${columns}`)}
    from visits v join ${sql.raw(table)} t on t.visit_id = v.id ${sql.raw(join)}
    where not t.is_deleted and not v.is_deleted and ${within(scope, wanted.range, visited)}
      and ${ofClinics(scope, wanted, sql.raw('v.clinic_id'))}
      and ${ofPatient(wanted, sql.raw('t.patient_id'))} and ${ofVisit(wanted, sql.raw('v.id'))}
      and ${more}`
  if (wanted.visit || wanted.visits) return inVisit
  const place = sql.raw(clinic ? `t.${clinic}` : 'o.primary_clinic_id')
  return sql`${inVisit}
    union all
    select t.id, t.patient_id, t.visit_id, ${place}, ${at}, ${sqlDay(scope, at)},
      ${sql.raw(`${withoutVisit(`t.${own}`)}, ${columns}`)}
    from ${sql.raw(table)} t join patients o on o.id = t.patient_id ${sql.raw(join)}
    where not t.is_deleted and t.visit_id is null and ${within(scope, wanted.range, at)}
      and ${ofClinics(scope, wanted, place)} and ${ofPatient(wanted, sql.raw('t.patient_id'))}
      and ${more}`
}
