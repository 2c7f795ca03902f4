import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '~/db/types'

// What a patient has, and what was diagnosed in a visit, or on a day without one: problems that are not refuted, and
// the answers to questions about diagnoses. Reports and registers read this.

/** A question about diagnoses. */
export type DiagnosisQuestion = { form_id: string; field_id: string }

/** The questions of all forms, and of their earlier versions. */
export async function diagnosisQuestions(db: Kysely<DB>): Promise<DiagnosisQuestion[]> {
  const { rows } = await sql<DiagnosisQuestion>`
    select distinct form.id as form_id, field ->> 'id' as field_id
    from (select id, form_fields from event_forms
      union all select form_id, form_fields from event_form_versions) form
      cross join lateral jsonb_array_elements(form.form_fields) field
    where field ->> 'fieldType' = 'diagnosis'`.execute(db)
  return rows
}

/** Codes are compared without dots and blanks. */
export const plainCode = (code: string) => `upper(translate(${code}, '. ', ''))`

/** Of problems `alias`: refuted is not diagnosed. */
export const isDiagnosed = (alias: string) => sql.raw(diagnosed(alias))
const diagnosed = (alias: string) =>
  `(not ${alias}.is_deleted and ${alias}.verification_status <> 'refuted')`

/** Of problems `alias`: the patient has it now, as `isCurrent` of the record says. */
export const isCurrentProblem = (alias: string) =>
  sql.raw(`(${diagnosed(alias)} and ${alias}.clinical_status not in ('inactive', 'resolved'))`)

/**
 * `from … where …` over the answered diagnoses of events `e` (id, form_id, visit_id): `given.code` without dots, empty
 * if none was chosen, and `answered.value` as it is stored. A code that a problem of the visit refutes is left out.
 */
export const answeredDiagnoses = (
  questions: readonly DiagnosisQuestion[],
  events: RawBuilder<unknown>,
) => sql`
    from (${events}) e
      join event_answers ea on ea.event_id = e.id
      join unnest(${questions.map(({ form_id }) => form_id)}::uuid[],
        ${questions.map(({ field_id }) => field_id)}::text[]) q (form_id, field_id)
        on q.form_id = e.form_id
      cross join lateral jsonb_array_elements(
        case jsonb_typeof(ea.answers -> q.field_id) when 'array' then ea.answers -> q.field_id
          else '[]' end) answered (value)
      cross join lateral (
        select ${sql.raw(
          plainCode(`coalesce(case jsonb_typeof(answered.value)
          when 'object' then answered.value ->> 'code' else answered.value #>> '{}' end, '')`),
        )} as code
      ) given
    where not exists (
      select from patient_problems refuted
      where refuted.visit_id = e.visit_id and not refuted.is_deleted
        and refuted.verification_status = 'refuted'
        and ${sql.raw(plainCode('refuted.problem_code'))} = given.code
    )`
