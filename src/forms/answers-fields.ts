import * as z from 'zod'
import type { Field, FieldKind, Fields } from '~/fields/field'
import { type AnswerKind, answerKind } from './answers'
import type { FormField } from './definition'

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

/** The questions of a localized form as fields of the product. What an answer may be, `settle` says of the form as a whole. */
export const fieldsOfForm = (questions: readonly FormField[]): Fields =>
  Object.fromEntries(
    questions.flatMap((question) => (answerKind(question) ? [[question.id, fieldOfQuestion(question)]] : [])),
  )

export function fieldOfQuestion(question: FormField, required = question.required): Field {
  const kind = answerKind(question) ?? 'text'
  const units = question.fieldType === 'free-text' ? (question.units ?? []) : []
  return {
    kind: kind === 'text' ? textKind(question) : kindOf[kind],
    label: { text: units.length > 0 ? `${question.name} (${units.join(', ')})` : question.name },
    hint: question.description ? { text: question.description } : undefined,
    options:
      'options' in question
        ? question.options.map(({ value, label }) => ({ value, label: { text: label } }))
        : undefined,
    required,
    schema: z.unknown(),
  }
}

function textKind(question: FormField): FieldKind {
  if (question.fieldType !== 'free-text') return 'text'
  if (question.length === 'long') return 'longText'
  return question.inputType === 'email' || question.inputType === 'password' ? question.inputType : 'text'
}
