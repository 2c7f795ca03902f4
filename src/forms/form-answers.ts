import type { Message } from '~/shared/errors'
import {
  answerKind,
  type FormAnswer,
  type AnswersByField,
  type Json,
  same,
  type StoredFormAnswer,
} from './answers'
import { answerFlaw, FLAW_ERROR } from './answer-flaws'
import { checkAnswer } from './answers-check'
import { storedKinds } from './answers-stored'
import type { EventFormField } from './definition'
import { evaluate, fitsDays, checkAnswerRange, type RuleSubject } from './rules'
import { isNothing } from '~/shared/no-answer'

type Fields = readonly EventFormField[]
const fieldOptions = (field: EventFormField) => ('options' in field ? field.options : [])

function read(field: EventFormField, value: unknown, timeZone: string): FormAnswer {
  const kind = answerKind(field)
  return kind && storedKinds[kind].read(value, { options: fieldOptions(field), timeZone })
}

const isStored = (entry: unknown): entry is StoredFormAnswer =>
  typeof entry === 'object' &&
  entry !== null &&
  typeof (entry as StoredFormAnswer).fieldId === 'string'

/** The entries of the version's fields, by field, and all others. Of two entries for one field the first counts. */
function partition(fields: Fields, stored: unknown) {
  const known = new Map(
    fields.filter((field) => answerKind(field) !== null).map((field) => [field.id, field]),
  )
  const entries = new Map<string, StoredFormAnswer>()
  const others: unknown[] = []
  for (const entry of Array.isArray(stored) ? (stored as unknown[]) : []) {
    if (isStored(entry) && known.has(entry.fieldId) && !entries.has(entry.fieldId))
      entries.set(entry.fieldId, entry)
    else others.push(entry)
  }
  return { known, entries, others }
}

/** The answers in a stored `form_data`, by the fields of its version. `timeZone` is the clinic's. */
export function readFormAnswers(fields: Fields, stored: unknown, timeZone: string): AnswersByField {
  const { known, entries } = partition(fields, stored)
  return Object.fromEntries(
    [...known].flatMap(([id, field]) => {
      const answer = read(field, entries.get(id)?.value, timeZone)
      return answer === null ? [] : [[id, answer]]
    }),
  )
}

/** Answers to questions that this version does not have, of another version or another program. */
export function unknownAnswersIn(
  fields: Fields,
  stored: unknown,
): { fieldId: string; name: string; value: Json }[] {
  return partition(fields, stored)
    .others.filter(isStored)
    .filter(({ value }) => !isNothing(value))
    .map(({ name, fieldId, value }) => ({
      fieldId,
      name: typeof name === 'string' && name ? name : fieldId,
      value: value as Json,
    }))
}

/**
 * The `form_data` of these answers. A stored entry is kept verbatim unless its answer has changed: a
 * phone's format of a date, unknown keys, answers to questions that the version does not have.
 */
export function buildFormData(
  fields: Fields,
  answers: AnswersByField,
  stored: unknown,
  timeZone: string,
): unknown[] {
  const { known, entries } = partition(fields, stored)
  const answerTo = (id: string) => (Object.hasOwn(answers, id) ? (answers[id] ?? null) : null)
  const written = (field: EventFormField, answer: Exclude<FormAnswer, null>) =>
    storedKinds[answerKind(field)!].write(answer, { options: fieldOptions(field), timeZone })
  const before = (Array.isArray(stored) ? (stored as unknown[]) : []).flatMap((entry) => {
    const field =
      isStored(entry) && entries.get(entry.fieldId) === entry ? known.get(entry.fieldId) : undefined
    if (!field || !isStored(entry)) return [entry]
    const answer = answerTo(field.id)
    if (same(read(field, entry.value, timeZone), answer)) return [entry]
    return answer === null ? [] : [{ ...entry, value: written(field, answer) }]
  })
  const added = [...known.values()].flatMap((field) => {
    const answer = answerTo(field.id)
    if (answer === null || entries.has(field.id)) return []
    const { id: fieldId, name, fieldType } = field
    const inputType = 'inputType' in field ? field.inputType : ''
    return [
      {
        fieldId,
        name,
        inputType,
        fieldType,
        value: written(field, answer),
      } satisfies StoredFormAnswer,
    ]
  })
  return [...before, ...added]
}

type Settled = { answers: AnswersByField; problems: Record<string, Message> }

/**
 * Checks the answers and evaluates the form's rules: fills in computed answers and removes hidden
 * ones. `before` are the stored answers: they stay valid, and one that the rules would not have
 * produced is not removed by them (phones know no rules). `problems` are by field id. `keepsFlawed`: another program
 * sent the answers, and a flawed one (`answerFlaw`) is stored and marked, as from a phone.
 */
export function settle(
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
  before: AnswersByField,
  subject: RuleSubject,
  { keepsFlawed = false } = {},
): Settled {
  const found: Record<string, Message> = {}
  const checked: Record<string, FormAnswer> = {}
  for (const field of fields) {
    if (answerKind(field) === null || field.rules?.compute) continue
    const kept = before[field.id] ?? null
    const result = checkAnswer(field, given[field.id], kept)
    const answer = 'answer' in result ? result.answer : null
    const flaw = keepsFlawed ? null : answerFlaw(field, answer)
    const ownProblem = () =>
      flaw ? { key: FLAW_ERROR[flaw] } : outOfBounds(field, answer, subject)
    const problem = 'problem' in result ? result.problem : ownProblem()
    if (problem && !same(answer, kept)) found[field.id] = problem
    if ('problem' in result) found[field.id] = result.problem
    else checked[field.id] = answer
  }
  const now = evaluate(fields, checked, subject)
  const then = evaluate(fields, before, subject)
  const answers: Record<string, FormAnswer> = {}
  const problems: Record<string, Message> = {}
  for (const field of fields) {
    const { id } = field
    if (answerKind(field) === null) continue
    const byRules = Object.hasOwn(now.answers, id) ? (now.answers[id] as FormAnswer) : null
    const isSettled = now.visible.has(id) && (!field.rules?.compute || byRules !== null)
    const wasLeftAlone = !Object.hasOwn(then.answers, id)
    const keptAnswer = wasLeftAlone ? (before[id] ?? null) : null
    const answer = isSettled ? byRules : keptAnswer
    if (answer !== null) answers[id] = answer
    if (!now.visible.has(id)) continue
    if (found[id]) problems[id] = found[id]
    else if (now.refused.has(id) && !(then.refused.has(id) && same(answer, before[id] ?? null)))
      problems[id] = { key: 'answers.doesNotFit' }
    else if (answer === null && now.required.has(id) && !field.rules?.compute)
      problems[id] = { key: 'validation.required' }
  }
  return { answers, problems }
}

function outOfBounds(
  field: EventFormField,
  answer: FormAnswer,
  subject: RuleSubject,
): Message | null {
  if (checkAnswerRange(field, answer) === 'refused') return limitMessage(field, Number(answer))
  if (field.fieldType !== 'date' || typeof answer !== 'string' || fitsDays(field, answer, subject))
    return null
  return { key: field.rules?.days === 'past' ? 'answers.afterVisit' : 'answers.beforeVisit' }
}

function limitMessage(field: EventFormField, answer: number): Message {
  const { min = null, max = null } = field.rules?.limits ?? {}
  return min !== null && answer < min
    ? { key: 'validation.tooSmall', values: { min } }
    : { key: 'validation.tooLarge', values: { max: max ?? 0 } }
}
