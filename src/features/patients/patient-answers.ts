import { birthAnswer, nameOfField } from '~/features/registration-form/form-fields'
import {
  type BaseColumn,
  type FormField,
  isBaseColumn,
} from '~/features/registration-form/registration-form'
import { answerOf, type StoredAnswer } from '~/forms/answer'
import type { Answer } from '~/forms/question'
import { birthPrecisionOf } from './patient'

/** What a form of `fieldsOf` handed in, as the operations take it. */
export function givenAnswers(values: Readonly<Record<string, unknown>>) {
  const columns: { [column in BaseColumn]?: string | null } = {}
  const answers: Record<string, Answer> = {}
  for (const [name, value] of Object.entries(values)) {
    if (isBaseColumn(name)) columns[name] = value as string | null
    else if (name.startsWith('answers.')) answers[name.slice('answers.'.length)] = value as Answer
  }
  return { ...columns, answers }
}

type Columns = { [column in BaseColumn]: string | null } & { metadata: unknown }
type Attribute = StoredAnswer & { attribute_id: string }

/**
 * The patient's answers by the names of the form's fields, as `fieldsOf` draws, checks and shows them. A birth is the text
 * that means it. `timeZone`: the clinic's.
 */
export function answersByName(
  form: readonly FormField[],
  patient: Columns,
  attributes: readonly Attribute[],
  timeZone: string,
): Record<string, Answer> {
  return Object.fromEntries(
    form.map((field) => [nameOfField(field), answerTo(field, patient, attributes, timeZone)]),
  )
}

function answerTo(
  field: FormField,
  patient: Columns,
  attributes: readonly Attribute[],
  timeZone: string,
): Answer {
  if (field.baseField) {
    if (!isBaseColumn(field.column)) return null
    if (field.column === 'date_of_birth')
      return birthAnswer(patient.date_of_birth, birthPrecisionOf(patient.metadata))
    return patient[field.column]
  }
  const stored = attributes.find(({ attribute_id }) => attribute_id === field.id)
  return stored ? answerOf(field.fieldType, stored, timeZone) : null
}

/** What was answered to fields that the form does not ask any more: by field, or by the attribute's name alone. */
export function formerAnswers(
  form: readonly FormField[],
  attributes: Readonly<Record<string, Attribute>>,
  timeZone: string,
): { name: string; field: FormField | undefined; answer: Answer }[] {
  return Object.entries(attributes)
    .map(([name, stored]) => {
      const field = form.find(({ id }) => id === stored.attribute_id)
      return { name, field, answer: answerOf(field?.fieldType, stored, timeZone) }
    })
    .filter(({ field, answer }) => answer !== null && (!field || field.deleted || !field.visible))
}
