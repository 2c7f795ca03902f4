import * as z from 'zod'
import type { Field, FieldKind, Fields } from '~/fields/field'
import type { Sayable } from '~/shared/say'
import { type AnswerKind, answerKind } from './answers'
import type { EventFormField } from './definition'
import { unitName } from './unit'

type Say = (what: Sayable) => string

const kindOf: Record<AnswerKind, FieldKind> = {
  tick: 'boolean',
  choice: 'choice',
  choices: 'choices',
  text: 'text',
  number: 'number',
  date: 'date',
  // drawn by inputs of their own
  medicines: 'tags',
  diagnoses: 'tags',
  files: 'tags',
}

/**
 * The questions of a localized form as fields of the product. What an answer may be, `settle` says
 * of the form as a whole.
 */
export const fieldsOfForm = (questions: readonly EventFormField[], say: Say): Fields =>
  Object.fromEntries(
    questions.flatMap((question) =>
      answerKind(question) ? [[question.id, eventQuestionField(question, say)]] : [],
    ),
  )

export function eventQuestionField(
  question: EventFormField,
  say: Say,
  required = question.required,
): Field {
  const kind = answerKind(question) ?? 'text'
  const units = (question.fieldType === 'free-text' && question.units) || []
  const inUnits = units.map((unit) => unitName(unit, say)).join(', ')
  return {
    kind: kind === 'text' ? textKind(question) : kindOf[kind],
    label: { text: inUnits ? `${question.name} (${inUnits})` : question.name },
    hint: question.description ? { text: question.description } : undefined,
    options:
      'options' in question
        ? question.options.map(({ value, label }) => ({ value, label: { text: label } }))
        : undefined,
    limits: {
      min: question.rules?.limits?.min ?? undefined,
      max: question.rules?.limits?.max ?? undefined,
    },
    required,
    schema: z.unknown(),
  }
}

function textKind(question: EventFormField): FieldKind {
  if (question.fieldType !== 'free-text') return 'text'
  if (question.length === 'long') return 'longText'
  return question.inputType === 'email' || question.inputType === 'password'
    ? question.inputType
    : 'text'
}
