import { schemaOf } from '~/fields/field'
import type { Answer } from '~/forms/question'
import { invalid, type Message } from '~/shared/errors'
import { problems } from '~/shared/problems'
import { askedFields, formField, nameOfField } from './form-fields'
import { BASE_FIELDS, type BaseColumn, type FormField, isBaseColumn } from './registration-form'

/** What somebody hands in: base columns and answers by field id; what is absent is left as it is, null or "" is none. */
export type Given = { [column in BaseColumn]?: unknown } & { answers?: Record<string, unknown> }

export type CheckedAnswers = {
  /** Only the columns that were given. A date of birth is the text that means it (`birthFrom`). */
  columns: { [column in BaseColumn]?: string | null }
  answers: { field: FormField; answer: Answer }[]
}

/**
 * Checks answers against the form. A new patient must answer what the form requires; a change, what it touches.
 * `kept`: the answers so far, by name: one that is no option any more may stay. Throws `invalid` with a sentence per field.
 */
export function checkAnswers(
  form: readonly FormField[],
  given: Given,
  { isNew, kept = {} }: { isNew: boolean; kept?: Record<string, unknown> },
): CheckedAnswers {
  const { answers: byId = {}, ...columns } = given
  const values: Record<string, unknown> = { ...columns }
  for (const [id, value] of Object.entries(byId)) values[`answers.${id}`] = value

  const asked = new Set(askedFields(form))
  const concerned = new Map<string, FormField>()
  for (const field of [...form, ...missingBaseFields(form)]) {
    const name = nameOfField(field)
    if (field.baseField && !isBaseColumn(field.column)) continue
    if (values[name] !== undefined || (isNew && asked.has(field))) {
      concerned.set(name, asked.has(field) ? field : { ...field, required: false })
      values[name] ??= null
    }
  }
  refuseUnknown(values, concerned)

  const fields = [...concerned].map(
    ([name, field]) => [name, formField(field, 'en', kept[name])] as const,
  )
  const parsed = schemaOf(Object.fromEntries(fields)).safeParse(values)
  if (!parsed.success) throw invalid(problems(parsed.error))
  const checked = [...concerned].map(([name, field]) => ({
    field,
    answer: (parsed.data[name] ?? null) as Answer,
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

/** A form from an older server may lack a base field; its column takes a text all the same. */
const missingBaseFields = (form: readonly FormField[]): FormField[] =>
  Object.entries(BASE_FIELDS)
    .filter(([column]) => !form.some((field) => field.baseField && field.column === column))
    .map(([column, id], at) => ({
      id,
      column,
      position: form.length + at + 1,
      label: { en: column },
      fieldType: column === 'date_of_birth' ? 'date' : 'text',
      options: [],
      required: false,
      baseField: true,
      visible: false,
      deleted: false,
      showsInSummary: false,
      isSearchField: false,
    }))
