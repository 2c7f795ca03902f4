import { birthAnswer, nameOfField } from '~/features/people/registration/form-fields'
import type { RegistrationField } from '~/features/people/registration/registration-form'
import { readStoredAnswer, type StoredAnswerColumns } from '~/forms/answer'
import type { AnswerValue } from '~/forms/question'
import { type BaseColumnName, isBaseColumn } from '~/records/patient'
import type { Language } from '~/shared/language'
import { readBirthPrecision } from './patient'

/** The values of a form of `readFormFields`, as the input of the operations. */
export function givenAnswers(values: Readonly<Record<string, unknown>>) {
  const columns: { [column in BaseColumnName]?: string | null } = {}
  const answers: Record<string, AnswerValue> = {}
  for (const [name, value] of Object.entries(values)) {
    if (isBaseColumn(name)) columns[name] = value as string | null
    else if (name.startsWith('answers.'))
      answers[name.slice('answers.'.length)] = value as AnswerValue
  }
  const { language, weeks_at_birth } = values
  return {
    ...columns,
    answers,
    ...(language !== undefined && { language: language as Language | null }),
    ...(weeks_at_birth !== undefined && { weeks_at_birth: weeks_at_birth as number | null }),
  }
}

type Columns = { [column in BaseColumnName]: string | null } & { metadata: unknown }
type Attribute = StoredAnswerColumns & { attribute_id: string }

/**
 * The patient's answers by the names of the form's fields, as the fields of `readFormFields` expect them.
 * A date of birth is the text of `birthAnswer`. `timeZone` is that of the clinic.
 */
export function answersByName(
  form: readonly RegistrationField[],
  patient: Columns,
  attributes: readonly Attribute[],
  timeZone: string,
): Record<string, AnswerValue> {
  return Object.fromEntries(
    form.map((field) => [nameOfField(field), answerTo(field, patient, attributes, timeZone)]),
  )
}

function answerTo(
  field: RegistrationField,
  patient: Columns,
  attributes: readonly Attribute[],
  timeZone: string,
): AnswerValue {
  if (field.baseField) {
    if (!isBaseColumn(field.column)) return null
    if (field.column === 'date_of_birth')
      return birthAnswer(patient.date_of_birth, readBirthPrecision(patient.metadata))
    return patient[field.column]
  }
  const stored = attributes.find(({ attribute_id }) => attribute_id === field.id)
  return stored ? readStoredAnswer(field.fieldType, stored, timeZone) : null
}
