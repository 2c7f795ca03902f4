import { type RawBuilder, sql } from 'kysely'
import { isOwnWork } from '~/features/rules/own-work/own-work.server'
import {
  answeredDiagnoses,
  type DiagnosisQuestion,
  diagnosisQuestions,
  isDiagnosed,
  plainCode,
} from '~/features/care/problem-codes/diagnosed.server'
import { hasOutcomes, findProgram, TUBERCULOSIS } from '~/features/care/programs/programs'
import { isReturn } from '~/features/record/visits/visits.server'
import { patientName } from '~/features/people/patients/patient'
import { STARTERS } from '~/forms/starters'
import { localized } from '~/forms/translations'
import { namedClinic } from '~/policy/on.server'
import { readHistory } from '~/policy/rules'
import { historyWhere, patientsWhere, rowsWhere } from '~/policy/sql.server'
import { query } from '~/server/operation'
import { patientsOfRows } from '~/server/shown'
import type { Actor } from '~/shared/actor'
import type { Language } from '~/shared/language'
import { clinicTimeZone, momentAt, clinicToday } from '~/shared/zone'
import { DayRegister, ProgramRegister } from './register'

/** A page of a paper register has 20 lines; more than this is a mistake in the choice. */
const MOST = 1000

type Person = {
  patient_id: string
  given_name: string | null
  surname: string | null
  sex: string | null
  date_of_birth: string | null
  metadata: unknown
  phone: string | null
}

const named = <Row extends Person>(rows: readonly Row[]) =>
  rows.map(({ given_name, surname, ...row }) => ({
    ...row,
    name: patientName({ given_name, surname }),
  }))

const person = sql`p.id as patient_id, p.given_name, p.surname, p.sex, p.date_of_birth, p.metadata, p.phone`

/** Of a row of problems or forms, by the name of a column. */
type Where = (row: (column: string) => RawBuilder<unknown>) => RawBuilder<unknown>

/** The label of the form's own option that a diagnosis names by its value; of an earlier version where it left. */
const optionLabel = sql`(
  select o ->> 'label' from (
      select form_fields, null::int as version from event_forms where id = e.form_id
      union all select form_fields, version from event_form_versions where form_id = e.form_id) form
    cross join lateral jsonb_array_elements(form.form_fields) field
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(field -> 'options') when 'array' then field -> 'options' else '[]' end) o
  where field ->> 'id' = q.field_id and o ->> 'value' = answered.value #>> '{}'
  order by form.version desc nulls first limit 1)`

/**
 * What was diagnosed in the rows that the user reads, as reports count it: id, patient_id, at, the text, and the code,
 * or the text without one, by which two are the same.
 */
function diagnosedWhere(actor: Actor, questions: readonly DiagnosisQuestion[], where: Where) {
  const of = (alias: string) => where((column) => sql.raw(`${alias}.${column}`))
  const problems = sql`select d.id, d.patient_id, d.created_at as at, ${sql.raw(plainCode('d.problem_code'))} as code,
      concat_ws(' ', d.problem_label, nullif(d.problem_code, '')) as text
    from patient_problems d where ${isDiagnosed('d')} and ${isOwnWork('d')} and ${of('d')} and ${rowsWhere(actor, 'd')}`
  const events = sql`select ev.id, ev.patient_id, ev.visit_id, ev.form_id, ev.created_at
    from events ev where not ev.is_deleted and ${of('ev')} and ${rowsWhere(actor, 'ev')}`
  const all = sql`${problems} union all
    select e.id, e.patient_id, e.created_at, given.code, case jsonb_typeof(answered.value)
      when 'object' then concat_ws(' ', nullif(answered.value ->> 'desc', ''), nullif(answered.value ->> 'code', ''))
      when 'string' then concat_ws(' ', ${optionLabel}, answered.value #>> '{}') end
    ${answeredDiagnoses(questions, events)}
      and not exists (
        select from patient_problems known
        where known.visit_id = e.visit_id and ${isDiagnosed('known')} and given.code <> ''
          and ${sql.raw(plainCode('known.problem_code'))} = given.code and ${rowsWhere(actor, 'known')})`
  return sql`select id, patient_id, at, text, coalesce(nullif(code, ''), text) as what
    from (${all}) found where text <> ''`
}

/**
 * The visits of a clinic on a day, in their order: the columns of an outpatient register. What was diagnosed without a
 * visit has a line, too, in the clinic in which reports count it.
 */
export const dayRegister = query('registers.day', {
  access: 'list',
  on: namedClinic(readHistory.permissions),
  input: DayRegister,
  async run({ db, actor }, { clinicId, day }) {
    const zone = clinicTimeZone()
    const questions = await diagnosisQuestions(db)
    const diagnosed = (where: Where) => diagnosedWhere(actor, questions, where)
    const [from, to] = [
      sql`${momentAt(`${day}T00:00`, zone)}::timestamptz`,
      sql`${momentAt(`${day}T00:00`, zone)}::timestamptz + interval '25 hours'`,
    ]
    const { rows } = await sql<
      Person & {
        id: string
        at: Date
        camp: string | null
        /** Null: diagnosed without a visit. */
        is_return: boolean | null
        provider_name: string | null
        problems: string[]
        medicines: string[]
        referred_to: string | null
      }
    >`
      select visits.id, visits.check_in_timestamp as at, ${person}, p.camp, visits.provider_name,
        ${isReturn} as is_return,
        array(select text from (
            select distinct on (what) * from (${diagnosed((row) => sql`${row('visit_id')} = visits.id`)}) each
            order by what, at, id) d
          order by d.at, d.id) as problems,
        array(select coalesce(nullif(c.generic_name, ''), c.brand_name) from prescriptions
            join prescription_items i on i.prescription_id = prescriptions.id and not i.is_deleted
            join drug_catalogue c on c.id = i.drug_id
          where prescriptions.visit_id = visits.id and not prescriptions.is_deleted
            and ${rowsWhere(actor, 'prescriptions')}
            and i.item_status <> 'cancelled' order by i.position, i.id) as medicines,
        (select string_agg(to_name, ', ') from referrals r
          where r.visit_id = visits.id and not r.is_deleted and ${rowsWhere(actor, 'r')}) as referred_to
      from visits join patients p on p.id = visits.patient_id
      where visits.clinic_id = ${clinicId} and not visits.is_deleted
        and not visit_only_waits(visits.id, visits.closed_at, visits.closed_as)
        and visits.check_in_timestamp >= ${from} and visits.check_in_timestamp < ${to}
        and clinic_day(visits.check_in_timestamp) = ${day}::date
        and ${historyWhere(actor, 'visits')}
      union all
      select min(found.id::text)::uuid, min(found.at) as at, ${person}, p.camp, null, null,
        array_agg(found.text order by found.at, found.id), '{}', null
      from (${diagnosed(
        (row) => sql`${row('visit_id')} is null and ${row('created_at')} >= ${from}
          and ${row('created_at')} < ${to} and clinic_day(${row('created_at')}) = ${day}::date
          and ${row('patient_id')} in (select id from patients where primary_clinic_id = ${clinicId})`,
      )}) found join patients p on p.id = found.patient_id
      where not p.is_deleted and ${patientsWhere(readHistory, actor, 'p.id')}
      group by p.id
      order by at, id limit ${MOST}`.execute(db)
    return { rows: named(rows) }
  },
  shows: patientsOfRows,
})
export type DayLine = Awaited<ReturnType<typeof dayRegister>>['rows'][number]

/** Days before the enrolment and after its end in which a form belongs to it: sputum of month 0, a late result. */
const AROUND = 31

/**
 * The patients of a program in a clinic: the last blood pressure of each of the last twelve months, or the newest
 * answers that the register of the program names. A program with outcomes keeps who ended in the last twelve months.
 */
export const programRegister = query('registers.program', {
  access: 'list',
  on: namedClinic(readHistory.permissions),
  input: ProgramRegister,
  async run({ db, actor }, { clinicId, program, language = 'en' }) {
    const today = clinicToday()
    const concepts = findProgram(program)?.register?.map(({ concept }) => concept) ?? []
    const answer = (asked: readonly string[]) => sql`
      select ev.id as event_id, b.concept, f ->> 'value' as value,
        coalesce(clinic_day(v.check_in_timestamp), clinic_day(ev.created_at)) as day
      from events ev
        join report_bindings b on b.form_id = ev.form_id and b.concept = any(${[...asked]}::text[])
          and not b.is_deleted and b.option is null and b.when_field_id is null
        join jsonb_array_elements(ev.form_data) f on f ->> 'fieldId' = b.field_id
        left join visits v on v.id = ev.visit_id and not v.is_deleted
      where ev.patient_id = e.patient_id and not ev.is_deleted and ${rowsWhere(actor, 'ev')}
        and coalesce(f ->> 'value', '') <> ''`
    const neighbour = (is: '<' | '>', order: 'asc' | 'desc') => sql`
      select o.enrolled_on, o.ended_on from program_enrollments o
      where o.patient_id = e.patient_id and o.program = e.program and not o.is_deleted
        and o.end_reason is distinct from 'mistaken'
        and (o.enrolled_on, o.id) ${sql.raw(is)} (e.enrolled_on, e.id)
      order by o.enrolled_on ${sql.raw(order)}, o.id ${sql.raw(order)} limit 1`
    // the days between two enrolments of one patient are of the later one: its month 0
    const ownDays = sql`
        left join lateral (${neighbour('<', 'desc')}) earlier on true
        left join lateral (${neighbour('>', 'asc')}) later on true
        cross join lateral (select
          greatest(e.enrolled_on - ${AROUND}::int, case when earlier.enrolled_on is not null
            then least(earlier.ended_on + 1, e.enrolled_on) end) as first,
          least(coalesce(e.ended_on, ${today}::date) + ${AROUND}::int, case when later.enrolled_on is not null
            then greatest(later.enrolled_on - ${AROUND}::int, least(e.ended_on + 1, later.enrolled_on)) - 1
            end) as last) own`
    const { rows } = await sql<
      Person & {
        id: string
        enrolled_on: string
        ended_on: string | null
        end_reason: string | null
        last_visit_on: string | null
        /** By month, `yyyy-MM`. */
        pressures: Record<string, string>
        /** By concept, the newest since the enrolment. */
        answers: Record<string, string>
        /** By month of treatment. */
        sputum: Record<string, string>
      }
    >`
      select e.id, ${person}, e.enrolled_on, e.ended_on, e.end_reason,
        coalesce((select jsonb_object_agg(concept, value) from (
          select distinct on (concept) concept, value from (${answer(concepts)}) answers
          where day between own.first and own.last order by concept, day desc, event_id desc) newest), '{}') as answers,
        coalesce((select jsonb_object_agg(month, value) from (
          select distinct on (m.value) m.value as month, s.value
          from (${answer(program === TUBERCULOSIS ? ['tb.sputum'] : [])}) s
            join (${answer(program === TUBERCULOSIS ? ['tb.month'] : [])}) m using (event_id)
          where s.value <> 'not_done' and s.day between own.first and own.last
          order by m.value, s.day desc, event_id desc) of_month), '{}') as sputum,
        (select max(clinic_day(v.check_in_timestamp)) from visits v
          where v.patient_id = e.patient_id and not v.is_deleted
            and not visit_only_waits(v.id, v.closed_at, v.closed_as)
            and ${rowsWhere(actor, 'v')}
        ) as last_visit_on,
        coalesce((select jsonb_object_agg(month, pressure) from (
          select distinct on (month) to_char(clinic_day(t.timestamp), 'YYYY-MM') as month,
            concat(round(t.systolic_bp), '/', round(t.diastolic_bp)) as pressure
          from patient_vitals t
          where t.patient_id = e.patient_id and not t.is_deleted and ${rowsWhere(actor, 't')}
            and t.systolic_bp is not null and t.diastolic_bp is not null and ${isOwnWork('t')}
            and t.timestamp >= now() - interval '13 months'
          order by month, t.timestamp desc) last_of_month), '{}') as pressures
      from program_enrollments e join patients p on p.id = e.patient_id
        ${ownDays}
      where e.clinic_id = ${clinicId} and e.program = ${program} and not e.is_deleted
        and ${
          hasOutcomes(program)
            ? sql`e.end_reason is distinct from 'mistaken'
          and coalesce(e.ended_on > ${today}::date - interval '12 months', true)`
            : sql`e.ended_on is null and p.died_on is null`
        }
        and ${patientsWhere(readHistory, actor, 'e.patient_id')}
        and ${rowsWhere(actor, 'e')}
      order by e.enrolled_on, e.id limit ${MOST}`.execute(db)
    return {
      rows: named(rows).map(({ answers, sputum, ...row }) => ({
        ...row,
        answers: textsOfAnswers(answers, language),
        sputum: Object.fromEntries(
          Object.entries(sputum).map(([month, value]) => [
            month,
            textOfAnswer('tb.sputum', value, language),
          ]),
        ),
      })),
    }
  },
  shows: patientsOfRows,
})
export type ProgramLine = Awaited<ReturnType<typeof programRegister>>['rows'][number]

/** The options of the library's forms by the concept that the question holds. */
const OPTIONS = new Map(
  STARTERS.flatMap(({ concepts, form }) =>
    concepts.flatMap(({ concept, fieldId, option }) => {
      const at = option === null && form.form_fields.findIndex(({ id }) => id === fieldId)
      return at === false || at < 0 ? [] : [[concept, { form, at }] as const]
    }),
  ),
)

const labels = new Map<string, ReadonlyMap<string, string>>()
/** By its value, the label of each option of a question that holds the concept. */
function optionLabels(concept: string, language: Language): ReadonlyMap<string, string> {
  const key = `${language}/${concept}`
  const made = labels.get(key)
  if (made) return made
  const known = OPTIONS.get(concept)
  const field = known && localized(known.form, language).form_fields[known.at]
  const options = field && 'options' in field ? field.options : []
  const all = new Map(options.map(({ value, label }) => [value, label]))
  labels.set(key, all)
  return all
}

/** A choice as the library's form names it; any other answer, also of a form with other options, as it is stored. */
const textOfAnswer = (concept: string, value: string, language: Language): string =>
  optionLabels(concept, language).get(value) ?? value

const textsOfAnswers = (answers: Record<string, string>, language: Language) =>
  Object.fromEntries(
    Object.entries(answers).map(([concept, value]) => [
      concept,
      textOfAnswer(concept, value, language),
    ]),
  )
