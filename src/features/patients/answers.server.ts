import { type Kysely, sql } from 'kysely'
import type { DB } from '~/db/types'
import type { CheckedAnswers } from '~/features/registration-form/given-answers'
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

/** The answers to fields that the clinic added, of a patient whom the caller has already been allowed to see. */
export const attributesOf = (db: Kysely<DB>, patientId: string) =>
  db
    .selectFrom('patient_additional_attributes')
    .select(['attribute', ...columns])
    .where('patient_id', '=', patientId)
    .where('is_deleted', '=', false)
    // of two with one name, the younger stands last and counts
    .orderBy('server_created_at')
    .limit(1000)
    .execute()
export type Attribute = Awaited<ReturnType<typeof attributesOf>>[number]

/** Those that differ from what is kept. */
export const changedAnswers = (answers: CheckedAnswers['answers'], kept: Attribute[]) =>
  answers.filter(({ field, answer }) => {
    const stored = kept.find(({ attribute_id }) => attribute_id === field.id)
    if (!stored || answer === null) return (stored !== undefined) !== (answer !== null)
    // by what is stored: which day a phone's moment was depends on where it is read
    const { metadata: _day, ...values } = storedAnswer(field.fieldType, answer)
    return Object.entries(values).some(
      ([name, value]) => !same(stored[name as keyof typeof values], value),
    )
  })

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Writes answers in two statements, however many there are. No answer any more: the row goes, as a tombstone for phones. */
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
            // a phone's own notes stay, but for the day that the old moment stood for
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
