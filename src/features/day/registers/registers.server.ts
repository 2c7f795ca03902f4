import { sql } from 'kysely'
import { isReturn } from '~/features/care/visits/visits.server'
import { nameOf } from '~/features/people/patients/patient'
import { namedClinic } from '~/policy/on.server'
import { readHistory } from '~/policy/rules'
import { historyWhere, patientsWhere, rowsWhere } from '~/policy/sql.server'
import { query } from '~/server/operation'
import { patientsOfRows } from '~/server/shown'
import { clinicTimeZone, momentAt } from '~/shared/zone'
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
  rows.map(({ given_name, surname, ...row }) => ({ ...row, name: nameOf({ given_name, surname }) }))

const person = sql`p.id as patient_id, p.given_name, p.surname, p.sex, p.date_of_birth, p.metadata, p.phone`

/** The visits of a clinic on a day, in their order: the columns of an outpatient register. */
export const dayRegister = query('registers.day', {
  on: namedClinic(readHistory.permissions),
  input: DayRegister,
  async run({ db, actor }, { clinicId, day }) {
    const zone = clinicTimeZone()
    const { rows } = await sql<
      Person & {
        id: string
        at: Date
        camp: string | null
        is_return: boolean
        provider_name: string | null
        problems: string[]
        medicines: string[]
        referred_to: string | null
      }
    >`
      select visits.id, visits.check_in_timestamp as at, ${person}, p.camp, visits.provider_name,
        ${isReturn} as is_return,
        array(select concat_ws(' ', problem_label, problem_code) from patient_problems d
          where d.visit_id = visits.id and not d.is_deleted and ${rowsWhere(actor, 'd')}
            and d.verification_status <> 'refuted' order by d.created_at, d.id) as problems,
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
        and visits.check_in_timestamp >= ${momentAt(`${day}T00:00`, zone)}
        and visits.check_in_timestamp < ${momentAt(`${day}T00:00`, zone)}::timestamptz + interval '25 hours'
        and clinic_day(visits.check_in_timestamp) = ${day}::date
        and ${historyWhere(actor, 'visits')}
      order by visits.check_in_timestamp, visits.id limit ${MOST}`.execute(db)
    return { rows: named(rows) }
  },
  shows: patientsOfRows,
})
export type DayLine = Awaited<ReturnType<typeof dayRegister>>['rows'][number]

/** The patients of a program in a clinic, with the last blood pressure of each of the last twelve months. */
export const programRegister = query('registers.program', {
  on: namedClinic(readHistory.permissions),
  input: ProgramRegister,
  async run({ db, actor }, { clinicId, program }) {
    const { rows } = await sql<
      Person & {
        id: string
        enrolled_on: string
        last_visit_on: string | null
        /** By month, `yyyy-MM`. */
        pressures: Record<string, string>
      }
    >`
      select e.id, ${person}, e.enrolled_on,
        (select max(clinic_day(v.check_in_timestamp)) from visits v
          where v.patient_id = e.patient_id and not v.is_deleted and ${rowsWhere(actor, 'v')}
        ) as last_visit_on,
        coalesce((select jsonb_object_agg(month, pressure) from (
          select distinct on (month) to_char(clinic_day(t.timestamp), 'YYYY-MM') as month,
            concat(round(t.systolic_bp), '/', round(t.diastolic_bp)) as pressure
          from patient_vitals t
          where t.patient_id = e.patient_id and not t.is_deleted and ${rowsWhere(actor, 't')}
            and t.systolic_bp is not null and t.diastolic_bp is not null
            and t.timestamp >= now() - interval '13 months'
          order by month, t.timestamp desc) last_of_month), '{}') as pressures
      from program_enrollments e join patients p on p.id = e.patient_id
      where e.clinic_id = ${clinicId} and e.program = ${program} and e.ended_on is null
        and not e.is_deleted and p.died_on is null and ${patientsWhere(readHistory, actor, 'e.patient_id')}
        and ${rowsWhere(actor, 'e')}
      order by e.enrolled_on, e.id limit ${MOST}`.execute(db)
    return { rows: named(rows) }
  },
  shows: patientsOfRows,
})
export type ProgramLine = Awaited<ReturnType<typeof programRegister>>['rows'][number]
