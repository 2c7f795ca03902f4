import { isDiagnosed } from '~/features/care/problem-codes/diagnosed.server'
import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import { newId } from '~/shared/id'
import { type EnrolmentPatient, type Enrollment, deriveEnrolments, type Origin } from './enrolment'
import { programCodes, snomedCodes } from './programs'

/** The day of the settling, and where the clinics are. */
export type Today = { today: string; zone: string }

/** Writes the enrolments of these patients as their records want them. */
export async function settleEnrollments(db: Kysely<DB>, ids: readonly string[], now: Today) {
  const patients = await loadEnrolmentPatients(db, ids, now.zone)
  const wanted = [...patients].flatMap(([patient_id, patient]) => {
    const stored = new Map(patient.enrollments.map((row) => [row.id, row]))
    return deriveEnrolments(patient, now.today).flatMap((row) =>
      row.id && isDeepStrictEqual(row, stored.get(row.id)) ? [] : [{ ...row, patient_id }],
    )
  })
  if (wanted.length === 0) return
  const rows = wanted.map((row) => ({ ...row, id: row.id ?? newId(), isNew: row.id === null }))
  const asRows = (some: typeof rows) => sql`jsonb_to_recordset(${JSON.stringify(some)}::jsonb) as n
    (id uuid, patient_id uuid, program text, clinic_id uuid, enrolled_on date, ended_on date,
     end_reason text, lmp date, origin_id uuid, is_deleted boolean, metadata jsonb)`
  // rows that close first: a patient has one open row of a program
  const isOpen = ({ ended_on, is_deleted }: (typeof rows)[number]) => !ended_on && !is_deleted
  for (const some of [rows.filter((row) => !isOpen(row)), rows.filter(isOpen)]) {
    const [added, changed] = [some.filter(({ isNew }) => isNew), some.filter(({ isNew }) => !isNew)]
    if (changed.length > 0)
      await sql`update program_enrollments e set
          (clinic_id, enrolled_on, ended_on, end_reason, lmp, origin_id, is_deleted, metadata, updated_at) =
          (n.clinic_id, n.enrolled_on, n.ended_on, n.end_reason, n.lmp, n.origin_id, n.is_deleted,
            n.metadata, clock_timestamp())
        from ${asRows(changed)} where e.id = n.id`.execute(db)
    if (added.length > 0)
      await sql`insert into program_enrollments (id, patient_id, program, clinic_id, enrolled_on,
          ended_on, end_reason, lmp, origin_id, metadata, recorded_clinic_id)
        select id, patient_id, program, clinic_id, enrolled_on, ended_on, end_reason, lmp, origin_id,
          metadata, clinic_id
        from ${asRows(added)}`.execute(db)
  }
}

export type WithPatientId<T> = T & { patient_id: string }

/** What decides about the enrolments of patients who are not deleted. */
async function loadEnrolmentPatients(
  db: Kysely<DB>,
  ids: readonly string[],
  zone: string,
): Promise<Map<string, EnrolmentPatient>> {
  const day = (column: string) =>
    sql`to_char(${sql.ref(column)} at time zone ${zone}, 'YYYY-MM-DD')`
  const text = (column: string) => sql`to_char(${sql.ref(column)}, 'YYYY-MM-DD')`
  const all = sql`${[...ids]}::uuid[]`
  const patients = await sql<
    WithPatientId<Pick<EnrolmentPatient, 'primaryClinicId' | 'born' | 'diedOn'>>
  >`select id as patient_id, primary_clinic_id as "primaryClinicId",
      ${text('date_of_birth')} as born, ${text('died_on')} as "diedOn"
    from patients where id = any(${all}) and not is_deleted`.execute(db)
  const enrollments = await sql<WithPatientId<Enrollment>>`
    select patient_id, id, program, clinic_id, ${text('enrolled_on')} as enrolled_on,
      ${text('ended_on')} as ended_on, end_reason, ${text('lmp')} as lmp, origin_id, is_deleted, metadata
    from program_enrollments where patient_id = any(${all})`.execute(db)
  const origins = await sql<WithPatientId<Origin>>`
    with problems as (
      select p.*, upper(replace(problem_code, '.', '')) as code
      from patient_problems p
      where patient_id = any(${all}) and ${isDiagnosed('p')}
    )
    select p.patient_id, p.id, m.program,
      coalesce(${day('v.check_in_timestamp')}, ${day('p.created_at')}) as day,
      case when p.clinical_status in ('inactive', 'resolved')
        then coalesce(${day('p.end_date')}, ${day('p.last_modified')}) end as until,
      coalesce(v.clinic_id, p.recorded_clinic_id, (
        select l.clinic_id from patient_links l where l.patient_id = p.patient_id and l.until is null
        order by l.since, l.clinic_id limit 1)) as "clinicId"
    from problems p
      join (
        select distinct problem_code_system, problem_code, program
        from problems, jsonb_to_recordset(${JSON.stringify(programCodes)}::jsonb)
          as c (program text, system text, first text, last text)
        where c.system = problem_code_system and left(code, length(first)) >= first
          and left(code, length(last)) <= last
        union
        select 'snomed', code, program
        from jsonb_to_recordset(${JSON.stringify(snomedCodes)}::jsonb) as c (program text, code text)
      ) m using (problem_code_system, problem_code)
      left join visits v on v.id = p.visit_id and not v.is_deleted
    union all
    select distinct on (d.patient_id) d.patient_id, d.id, 'child-immunization',
      to_char(d.given_on, 'YYYY-MM-DD'), null,
      coalesce(d.clinic_id, d.recorded_clinic_id)
    from (
      select * from patient_immunizations
      where patient_id = any(${all}) and not is_deleted order by patient_id, given_on, id) d`.execute(
    db,
  )
  const answers = await sql<WithPatientId<EnrolmentPatient['answers'][number]>>`
    select patient_id, state, ${text('asked_on')} as asked_on, ${text('due_on')} as due_on,
      ${text('ended_on')} as ended_on, enrollment_id
    from pregnancy_answers where patient_id = any(${all})
    order by asked_on desc, created_at desc, id desc`.execute(db)
  const [ofEnrollments, ofOrigins, ofAnswers] = [
    byPatient(enrollments.rows),
    byPatient(origins.rows),
    byPatient(answers.rows),
  ]
  return new Map(
    patients.rows.map(({ patient_id, ...patient }) => [
      patient_id,
      {
        ...patient,
        enrollments: ofEnrollments.get(patient_id) ?? [],
        origins: ofOrigins.get(patient_id) ?? [],
        answers: ofAnswers.get(patient_id) ?? [],
      },
    ]),
  )
}

/** Rows by their patient, without the column. */
export function byPatient<T extends object>(
  rows: readonly WithPatientId<T>[],
): Map<string, Omit<T, 'patient_id'>[]> {
  const found = new Map<string, Omit<T, 'patient_id'>[]>()
  for (const { patient_id, ...row } of rows) {
    const some = found.get(patient_id)
    if (some) some.push(row)
    else found.set(patient_id, [row])
  }
  return found
}
