import * as z from 'zod'
import {
  type BirthPrecision,
  birthChoices,
  birthFrom,
  birthText,
  FIRST_BIRTH_DAY,
  isAgeOfZero,
  latestDay,
} from '~/fields/birth'
import { isEmpty } from '~/fields/kind'
import { languageField } from '~/fields/language-choice'
import { SEX_WORDS, parseSex } from '~/fields/sex'
import { isBaseColumn } from '~/records/patient'
import { type Cascade, optionsFor, outsideTables } from './cascade'
import type { Field, Fields, Option } from '~/fields/field'
import { type AnswerValue, questionField, type FormQuestion } from '~/forms/question'
import { type Language, type Translated, translated } from '~/shared/language'
import { cleanLine } from '~/shared/typed-text'
import type { Message } from '~/shared/errors'
import { isLanguageField, type RegistrationField } from './registration-form'

const patientLanguageField = languageField('patients.language', 'patients.languageHint')

/**
 * The name of a field in drafts, errors and rows: the column of a base field, otherwise
 * `answers.<id>`.
 */
export function nameOfField(field: RegistrationField): string {
  if (isLanguageField(field)) return 'language'
  return field.baseField ? field.column : `answers.${field.id}`
}

/**
 * The fields that a form asks for, in its order, without the clinic, which the web asks for
 * separately.
 */
export const askedFields = (fields: readonly RegistrationField[]) => fields.filter(isAsked)

const isAsked = ({ visible, deleted, baseField, column }: RegistrationField) =>
  visible && !deleted && (!baseField || isBaseColumn(column))

/** What the screens that register and edit patients ask, in the order of the form: the language too. */
const fieldsOnScreen = (fields: readonly RegistrationField[]) =>
  fields.filter((field) => isAsked(field) || (isLanguageField(field) && field.visible))

/** `readFormFields` with the language at its place: what is registered. */
export const fieldsOfScreen = (fields: readonly RegistrationField[], language: Language): Fields =>
  Object.fromEntries(
    fieldsOnScreen(fields).map((field) => [nameOfField(field), formField(field, language)]),
  )

/** What each field is called, also those that the form does not ask for any more. */
export const fieldLabels = (fields: readonly RegistrationField[], language: Language) =>
  Object.fromEntries(fields.map((field) => [nameOfField(field), translated(field.label, language)]))

/**
 * True for a required field without a stored answer: the form began to ask for it after the patient was registered, or
 * a phone or an import left it out. A change of something else does not wait for it; an answer is never taken away.
 */
const isAskedLater = (field: RegistrationField, kept: unknown) =>
  field.required && (isEmpty(kept) || (typeof kept === 'string' && cleanLine(kept) === ''))

/** The fields of a form for a change of a registered patient, with the language at its place. */
export const fieldsOfChange = (
  fields: readonly RegistrationField[],
  language: Language,
  kept: Record<string, unknown>,
): Fields =>
  Object.fromEntries(
    fieldsOnScreen(fields).map((field) => {
      const name = nameOfField(field)
      return [name, changedField(field, language, kept[name])]
    }),
  )

/** One field of it: the rule of the screen and of the operation. */
export function changedField(field: RegistrationField, language: Language, kept: unknown): Field {
  return isAskedLater(field, kept)
    ? {
        ...formField({ ...field, required: false }, language, kept),
        hint: 'registration.askedLater',
      }
    : formField(field, language, kept)
}

/** What the required fields are called that a registered patient has no answer to. */
export const missingAnswers = (
  fields: readonly RegistrationField[],
  language: Language,
  kept: Record<string, unknown>,
): string[] =>
  askedFields(fields)
    .filter((field) => isAskedLater(field, kept[nameOfField(field)]))
    .map(({ label }) => translated(label, language))

/** What the fields are called whose answer the table of options does not have, with what they depend on. */
export const answersOutsideTables = (
  fields: readonly RegistrationField[],
  language: Language,
  answers: Record<string, unknown>,
) =>
  outsideTables(askedFields(fields), (field) => answers[nameOfField(field)]).map(
    ({ field, parent }) => ({
      name: nameOfField(field),
      label: translated(field.label, language),
      parent: parent ? translated(parent.label, language) : '',
    }),
  )

/**
 * The fields with a new answer that their table of options does not have. What is stored may stay, as long as
 * neither it nor the answer of its parent changes.
 */
export function newOutsideTables(
  fields: readonly RegistrationField[],
  given: Readonly<Record<string, unknown>>,
  kept: Readonly<Record<string, unknown>>,
): string[] {
  const currentAnswer = (field: RegistrationField) => {
    const name = nameOfField(field)
    return name in given ? given[name] : kept[name]
  }
  const isKept = (field: RegistrationField | undefined) =>
    !field || (currentAnswer(field) ?? null) === (kept[nameOfField(field)] ?? null)
  return outsideTables(fields, currentAnswer).flatMap(({ field, parent }) =>
    isKept(field) && isKept(parent) ? [] : [nameOfField(field)],
  )
}

/** The error beside each of these fields. */
export const notBelow = (names: readonly string[]): Record<string, Message> =>
  Object.fromEntries(names.map((name) => [name, { key: 'registration.notBelow' }]))

/** The options of each field whose options depend on another answer, as far as it is given. */
export const cascadedOptions = (
  fields: readonly RegistrationField[],
  answers: Readonly<Record<string, unknown>>,
): Record<string, Option[]> =>
  Object.fromEntries(
    fields.flatMap(({ cascade, ...field }) => {
      if (!cascade) return []
      const parent = fields.find(({ id }) => id === cascade.parent)
      const own = answers[nameOfField(field)]
      const options = optionsFor(cascade, parent && answers[nameOfField(parent)])
      // an answer that is not in the table stays to be seen
      const all =
        typeof own === 'string' && own !== '' && !options.includes(own)
          ? [own, ...options]
          : options
      return [[nameOfField(field), all.map((value) => ({ value, label: { text: value } }))]]
    }),
  )

/** The fields that a form asks for, in one language. `kept` has the stored answers by name. */
export function buildFields(
  fields: readonly RegistrationField[],
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

/**
 * One field of a form. Deleted and hidden fields are supported, because their answers are still
 * shown.
 */
export function formField(field: RegistrationField, language: Language, kept?: unknown): Field {
  if (isLanguageField(field))
    return { ...patientLanguageField, label: { text: translated(field.label, language) } }
  if (field.baseField && field.column === 'date_of_birth') return birthField(field, language, kept)
  return questionField(toQuestion(field), language, kept)
}

/** Base fields whose texts are numbers or codes. */
const CODES: ReadonlySet<string> = new Set(['phone', 'government_id', 'external_patient_id'])

const tables = new WeakMap<Cascade, FormQuestion['options']>()

/** All options of a table, made once. */
function optionsOfTable(cascade: Cascade): FormQuestion['options'] {
  const known = tables.get(cascade)
  if (known) return known
  const options = optionsFor(cascade, null).map((value) => ({
    value,
    label: { en: value },
    aliases: [],
  }))
  tables.set(cascade, options)
  return options
}

const toQuestion = (field: RegistrationField): FormQuestion => ({
  id: field.id,
  fieldType: field.cascade ? 'select' : field.fieldType,
  label: field.label,
  required: field.required,
  options: field.cascade
    ? optionsOfTable(field.cascade)
    : field.options.map((label) => {
        const value = optionValue(field, label)
        const sex = field.baseField && field.column === 'sex' ? parseSex(value) : null
        return { value, label, aliases: sex ? SEX_WORDS[sex] : [] }
      }),
  max: field.baseField ? 200 : undefined,
  isCode: field.baseField && CODES.has(field.column),
})

/**
 * The stored value of an option: its English text or that of its first language; `sex` is in lower
 * case, as on phones.
 */
function optionValue(field: RegistrationField, option: Translated): string {
  const text = translated(option, 'en')
  return field.baseField && field.column === 'sex' ? text.toLowerCase() : text
}

const birthField = (field: RegistrationField, language: Language, kept: unknown): Field => ({
  kind: 'birthDate',
  label: { text: translated(field.label, language) },
  required: field.required,
  schema: birthSchema(field.required, kept),
})

/**
 * Returns the shortest text that has the same meaning on any day: an age becomes `~1992`. The
 * stored text may stay.
 */
function birthSchema(required: boolean, kept: unknown): z.ZodType<AnswerValue> {
  return z.unknown().transform((raw, { issues }): AnswerValue => {
    const addIssue = (message: string) => {
      issues.push({ code: 'custom', message, input: raw })
      return z.NEVER
    }
    const isNothing =
      raw === null || raw === undefined || (typeof raw === 'string' && raw.trim() === '')
    if (isNothing) return required ? addIssue('validation.required') : null
    const birth = typeof raw === 'string' ? birthFrom(raw, latestDay()) : null
    if (typeof raw === 'string' && isAgeOfZero(raw)) return addIssue('validation.ageOfZero')
    const isUnclear = typeof raw === 'string' && birthChoices(raw) !== null
    if (!birth) return addIssue(isUnclear ? 'validation.whichDay' : 'validation.birth')
    const text = birthText(birth)
    if (text === kept) return text
    if (birth.day < FIRST_BIRTH_DAY) return addIssue('validation.tooEarly')
    return birth.day > latestDay() ? addIssue('validation.inFuture') : text
  })
}

/** The text of a stored date of birth in a form. */
export const birthAnswer = (day: string | null, precision: BirthPrecision): string | null =>
  day && birthText({ day, precision })
