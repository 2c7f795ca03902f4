import { type BaseColumnName, isBaseColumn } from '~/records/patient'
import { fieldsSchema } from '~/fields/field'
import type { AnswerValue } from '~/forms/question'
import { invalid, type Message } from '~/shared/errors'
import { firstErrors } from '~/shared/problems'
import {
  askedFields,
  changedField,
  formField,
  nameOfField,
  newOutsideTables,
  notBelow,
} from './form-fields'
import type { RegistrationField } from './registration-form'

/**
 * Base columns, and answers by field id. An absent value does not change, null and "" are no
 * answer.
 */
type Given = { [column in BaseColumnName]?: unknown } & { answers?: Record<string, unknown> }

export type CheckedAnswers = {
  /** Only the given columns. A date of birth is a text that `birthFrom` reads. */
  columns: { [column in BaseColumnName]?: string | null }
  answers: { field: RegistrationField; answer: AnswerValue }[]
}

/**
 * Checks answers against the form. A new patient needs an answer to each required field. A change
 * takes no stored answer to a required field away. `kept` has the stored answers by name: an answer that is no longer
 * an option may stay. Throws `invalid` with a message per field.
 */
export function checkAnswers(
  form: readonly RegistrationField[],
  given: Given,
  { isNew, kept = {} }: { isNew: boolean; kept?: Record<string, unknown> },
): CheckedAnswers {
  const { answers: byId = {}, ...columns } = given
  const values: Record<string, unknown> = { ...columns }
  for (const [id, value] of Object.entries(byId)) values[`answers.${id}`] = value

  const asked = new Set(askedFields(form))
  const concerned = new Map<string, RegistrationField>()
  for (const field of form) {
    const name = nameOfField(field)
    if (field.baseField && !isBaseColumn(field.column)) continue
    if (values[name] !== undefined || (isNew && asked.has(field))) {
      concerned.set(name, asked.has(field) ? field : { ...field, required: false })
      values[name] ??= null
    }
  }
  refuseUnknown(values, concerned)

  const fields = [...concerned].map(
    ([name, field]) => [name, (isNew ? formField : changedField)(field, 'en', kept[name])] as const,
  )
  const parsed = fieldsSchema(Object.fromEntries(fields)).safeParse(values)
  if (!parsed.success) throw invalid(firstErrors(parsed.error))
  const outside = newOutsideTables(form, parsed.data, kept)
  if (outside.length > 0) throw invalid(notBelow(outside))
  const checked = [...concerned].map(([name, field]) => ({
    field,
    answer: (parsed.data[name] ?? null) as AnswerValue,
  }))
  return {
    columns: Object.fromEntries(
      checked
        .filter(({ field }) => field.baseField)
        .map(({ field, answer }) => [field.column, answer]),
    ),
    answers: checked.filter(({ field }) => !field.baseField),
  }
}

function refuseUnknown(values: Record<string, unknown>, concerned: Map<string, unknown>) {
  const unknown = Object.keys(values).filter(
    (name) => values[name] !== undefined && !concerned.has(name),
  )
  if (unknown.length === 0) return
  const text: Message = { key: 'registration.unknownField' }
  throw invalid(Object.fromEntries(unknown.map((name) => [name, text])))
}
