import { type Kysely, sql } from 'kysely'
import { asPrepared } from '~/db/kept'
import type { DB } from '~/db/types'
import type { CheckedAnswers } from '~/features/people/registration/given-answers'
import { storedAnswer } from '~/forms/answer'
import { newId } from '~/shared/id'

const columns = [
  'attribute_id',
  'number_value',
  'string_value',
  'date_value',
  'boolean_value',
  'metadata',
] as const

/**
 * The answers to the fields that the clinic added. The caller has checked that the actor may see
 * the patient.
 */
export const loadAttributes = (db: Kysely<DB>, patientId: string) =>
  db
    .selectFrom('patient_additional_attributes')
    .modifyFront(asPrepared())
    .select(['attribute', ...columns])
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    // of two answers with one name, the newer one comes last and counts
    .orderBy('server_created_at')
    .limit(1000)
    .execute()
export type Attribute = Awaited<ReturnType<typeof loadAttributes>>[number]

/** The answers that differ from the stored ones. */
export const changedAnswers = (answers: CheckedAnswers['answers'], attributes: Attribute[]) =>
  answers.filter(({ field, answer }) => {
    const stored = attributes.find(({ attribute_id }) => attribute_id === field.id)
    if (!stored || answer === null) return (stored !== undefined) !== (answer !== null)
    // compares stored values: the day of a phone's moment depends on the time zone
    const { metadata: _day, ...values } = storedAnswer(field.fieldType, answer)
    return Object.entries(values).some(
      ([name, value]) => !same(stored[name as keyof typeof values], value),
    )
  })

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/**
 * Writes any number of answers in two statements. A removed answer becomes a tombstone, which
 * phones receive.
 */
export async function writeAnswers(
  db: Kysely<DB>,
  patientId: string,
  answers: CheckedAnswers['answers'],
) {
  const rows = answers.flatMap(({ field, answer }) => {
    if (answer === null) return []
    const { metadata, ...values } = storedAnswer(field.fieldType, answer)
    return {
      id: newId(),
      patient_id: patientId,
      attribute_id: field.id,
      attribute: field.column,
      ...values,
      metadata: JSON.stringify(metadata),
    }
  })
  if (rows.length > 0) {
    await db
      .insertInto('patient_additional_attributes')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['patient_id', 'attribute_id'])
          .where('is_deleted', '=', false)
          .doUpdateSet(({ ref }) => ({
            attribute: ref('excluded.attribute'),
            number_value: ref('excluded.number_value'),
            string_value: ref('excluded.string_value'),
            date_value: ref('excluded.date_value'),
            boolean_value: ref('excluded.boolean_value'),
            // keeps the phone's own metadata, except for the day of the replaced moment
            metadata: sql`(patient_additional_attributes.metadata - 'day') || excluded.metadata`,
            updated_at: new Date(),
          })),
      )
      .execute()
  }
  const cleared = answers.filter(({ answer }) => answer === null).map(({ field }) => field.id)
  if (cleared.length > 0) {
    await db
      .updateTable('patient_additional_attributes')
      .set({ is_deleted: true, updated_at: new Date() })
      .where('patient_id', '=', patientId)
      .where('attribute_id', 'in', cleared)
      .where('is_deleted', '=', false)
      .execute()
  }
}
