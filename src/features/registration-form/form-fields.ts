import * as z from 'zod'
import {
  type BirthPrecision,
  birthFrom,
  birthText,
  FIRST_DAY,
  isAgeOfZero,
  latestDay,
} from '~/fields/birth'
import { SEX_WORDS, sexOf } from '~/fields/sex'
import type { Field, Fields } from '~/fields/field'
import { type Answer, fieldOf, type Question } from '~/forms/question'
import { type Language, type Translated, translated } from '~/shared/language'
import { type FormField, isBaseColumn } from './registration-form'

/** By which a form field's answer goes in drafts, complaints and rows: a base field's column, else `answers.<id>`. */
export const nameOfField = ({ baseField, column, id }: FormField) =>
  baseField ? column : `answers.${id}`

/** The fields that a form asks for, in its order. The clinic is not among them: the web asks for it once, by itself. */
export const askedFields = (fields: readonly FormField[]) =>
  fields.filter(
    ({ visible, deleted, baseField, column }) =>
      visible && !deleted && (!baseField || isBaseColumn(column)),
  )

/** What a form asks for, as fields of the product in one language. `kept`: the answers given so far, by name. */
export function fieldsOf(
  fields: readonly FormField[],
  language: Language,
  kept: Record<string, unknown> = {},
): Fields {
  return Object.fromEntries(
    askedFields(fields).map((field) => {
      const name = nameOfField(field)
      return [name, formField(field, language, kept[name])]
    }),
  )
}

/** One field of a form; a deleted or hidden one too, so that an old answer is shown as it was meant. */
export function formField(field: FormField, language: Language, kept?: unknown): Field {
  if (field.baseField && field.column === 'date_of_birth') return birthField(field, language, kept)
  return fieldOf(questionOf(field), language, kept)
}

const questionOf = (field: FormField): Question => ({
  id: field.id,
  fieldType: field.fieldType,
  label: field.label,
  required: field.required,
  options: field.options.map((label) => {
    const value = valueOf(field, label)
    const sex = field.baseField && field.column === 'sex' ? sexOf(value) : null
    return { value, label, aliases: sex ? SEX_WORDS[sex] : [] }
  }),
  max: field.baseField ? 200 : undefined,
})

/** An option is kept in English, or in the first language there is; `sex` in lower case, as phones write it. */
function valueOf(field: FormField, option: Translated): string {
  const text = translated(option, 'en')
  return field.baseField && field.column === 'sex' ? text.toLowerCase() : text
}

const birthField = (field: FormField, language: Language, kept: unknown): Field => ({
  kind: 'birthDate',
  label: { text: translated(field.label, language) },
  required: field.required,
  schema: birthSchema(field.required, kept),
})

/** Hands over the shortest text that means the same birth on any day: an age becomes `~1992`. What stood there may stay. */
function birthSchema(required: boolean, kept: unknown): z.ZodType<Answer> {
  return z.unknown().transform((raw, { issues }): Answer => {
    const complain = (message: string) => {
      issues.push({ code: 'custom', message, input: raw })
      return z.NEVER
    }
    const isNothing =
      raw === null || raw === undefined || (typeof raw === 'string' && raw.trim() === '')
    if (isNothing) return required ? complain('validation.required') : null
    const birth = typeof raw === 'string' ? birthFrom(raw, latestDay()) : null
    if (typeof raw === 'string' && isAgeOfZero(raw)) return complain('validation.ageOfZero')
    if (!birth) return complain('validation.birth')
    const text = birthText(birth)
    if (text === kept) return text
    if (birth.day < FIRST_DAY) return complain('validation.tooEarly')
    return birth.day > latestDay() ? complain('validation.inFuture') : text
  })
}

/** The text that stands for a stored birth in a form. */
export const birthAnswer = (day: string | null, precision: BirthPrecision): string | null =>
  day && birthText({ day, precision })
