import * as z from 'zod'
import { findOption } from '~/fields/choice'
import type { Field, FieldKind, Option } from '~/fields/field'
import { readDay } from '~/fields/day'
import { isAmbiguousNumber } from '~/fields/typed'
import type { MessageKey } from '~/shared/language'
import { cleanLine, latinDigitsOnly } from '~/shared/typed-text'
import { type Language, type Translated, translated } from '~/shared/language'
import { isNothing } from '~/shared/no-answer'

export const QUESTION_TYPES = ['text', 'number', 'date', 'select', 'checkbox', 'boolean'] as const
export type QuestionType = (typeof QUESTION_TYPES)[number]

/** One thing that a stored form asks. `value` of an option is what is kept, whatever the language it was chosen in. */
export type FormQuestion = {
  id: string
  fieldType: QuestionType
  label: Translated
  options: readonly { value: string; label: Translated; aliases?: readonly string[] }[]
  required: boolean
  /** Of a text, in characters. */
  max?: number
  /** Of a text: a phone number or an identifier, in which digits of every script are read as 0-9. */
  isCode?: boolean
}

/** An answer as forms hand it over: null for none, a day as `yyyy-MM-dd`, several choices as a list. */
export type AnswerValue = string | number | boolean | string[] | null

const kindOf: Record<QuestionType, FieldKind> = {
  text: 'text',
  number: 'number',
  date: 'date',
  select: 'choice',
  checkbox: 'choices',
  boolean: 'yesNo',
}

/**
 * The question as a field of the product: drawn, checked, shown and exported like any other. `kept`
 * is the answer so far: given through an older form or by a phone, it stays acceptable although
 * it could not be given now.
 */
export function questionField(question: FormQuestion, language: Language, kept?: unknown): Field {
  const options = question.options.map(({ value, label, aliases = [] }) => ({
    value,
    label: { text: translated(label, language) || value },
    aliases: [...Object.values(label).filter((text) => text !== undefined), ...aliases],
  }))
  return {
    kind: kindOf[question.fieldType],
    label: { text: translated(question.label, language) },
    ...(offersOptions(question) && { options }),
    required: question.required,
    schema: schemaOfAnswer(question, options, kept),
  }
}

const offersOptions = ({ fieldType }: FormQuestion) =>
  fieldType === 'select' || fieldType === 'checkbox'

type Checked = { answer: AnswerValue } | { problem: MessageKey; max?: number }

function schemaOfAnswer(
  question: FormQuestion,
  options: readonly Option[],
  kept: unknown,
): z.ZodType<AnswerValue> {
  return z.unknown().transform((raw, { issues }): AnswerValue => {
    const checked = isNothing(raw)
      ? { answer: null }
      : check(question, raw, [...options, ...asOptions(kept)])
    const addIssue = (message: MessageKey) => issues.push({ code: 'custom', message, input: raw })
    if ('problem' in checked) {
      if (raw === kept) return raw as AnswerValue
      if (checked.max === undefined) addIssue(checked.problem)
      else
        issues.push({
          code: 'too_big',
          origin: 'string',
          maximum: checked.max,
          message: checked.problem,
          input: raw,
        })
      return z.NEVER
    }
    if (checked.answer === null && question.required) addIssue('validation.required')
    return checked.answer
  })
}

const asOptions = (kept: unknown): Option[] =>
  (Array.isArray(kept) ? kept : [kept])
    .filter((answer) => typeof answer === 'string')
    .map((value) => ({ value, label: { text: value } }))

const LONGEST = 2000
const MOST_CHOICES = 500
const LARGEST = 1e15

function check(question: FormQuestion, raw: unknown, options: readonly Option[]): Checked {
  const wrong = { problem: 'validation.wrongType' } as const
  switch (question.fieldType) {
    case 'text': {
      const max = question.max ?? LONGEST
      if (typeof raw !== 'string') return wrong
      const line = cleanLine(raw)
      return line.length > max
        ? { problem: 'validation.tooLong', max }
        : { answer: question.isCode ? latinDigitsOnly(line) : line }
    }
    case 'number':
      if (typeof raw === 'number' && Math.abs(raw) <= LARGEST) return { answer: raw }
      return {
        problem: isAmbiguousNumber(raw) ? 'validation.ambiguousNumber' : 'validation.number',
      }
    case 'boolean':
      return typeof raw === 'boolean' ? { answer: raw } : wrong
    case 'date':
      return typeof raw === 'string' ? checkDay(raw) : wrong
    case 'select': {
      const found = findOption(options, raw)
      return found ? { answer: found.value } : { problem: 'validation.option' }
    }
    case 'checkbox': {
      if (!Array.isArray(raw) || raw.length > MOST_CHOICES) return wrong
      const found = raw.map((choice) => findOption(options, choice)?.value)
      return found.every((value) => value !== undefined)
        ? { answer: [...new Set(found)] }
        : { problem: 'validation.option' }
    }
  }
}

export const FIRST_DAY = '1900-01-01'
export const LAST_DAY = '2100-12-31'

function checkDay(raw: string): Checked {
  const read = readDay(raw)
  if (!read) return { problem: 'validation.date' }
  if ('either' in read) return { problem: 'validation.whichDay' }
  const { day } = read
  if (day < FIRST_DAY) return { problem: 'validation.tooEarly' }
  return day > LAST_DAY ? { problem: 'validation.tooLate' } : { answer: day }
}
