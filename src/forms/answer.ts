import { dayIn } from '~/shared/zone'
import type { AnswerValue, QuestionType } from './question'

/** An answer is in one of four columns, by the type of its question. */
type AnswerColumns = {
  number_value: number | null
  string_value: string | null
  date_value: Date | null
  boolean_value: boolean | null
}
export type StoredAnswerColumns = AnswerColumns & { metadata: unknown }

/** Separates several choices in one text, as phones write them. */
const SEPARATOR = '\u001F'
const nothing: AnswerColumns = {
  number_value: null,
  string_value: null,
  date_value: null,
  boolean_value: null,
}

/**
 * The columns of an answer. A day is stored as its noon in UTC, so that phones from UTC-12 to UTC+11
 * show that day.
 */
export function storedAnswer(
  type: QuestionType,
  answer: Exclude<AnswerValue, null>,
): AnswerColumns & { metadata: object } {
  const day = type === 'date' ? String(answer) : undefined
  return { ...nothing, ...answerColumn(type, answer), metadata: day ? { day } : {} }
}

function answerColumn(
  type: QuestionType,
  answer: Exclude<AnswerValue, null>,
): Partial<AnswerColumns> {
  if (type === 'number') return { number_value: Number(answer) }
  if (type === 'boolean') return { boolean_value: answer === true }
  if (type === 'date') return { date_value: noonUtc(String(answer)) }
  return { string_value: Array.isArray(answer) ? answer.join(SEPARATOR) : String(answer) }
}

const noonUtc = (day: string) => new Date(`${day}T12:00:00Z`)

/**
 * The stored answer; from another column if the one of the question's type is empty, because the form has changed or no
 * longer has the field. `timeZone` is the clinic's: phones store a day as its midnight there.
 */
export function readStoredAnswer(
  type: QuestionType | undefined,
  stored: StoredAnswerColumns,
  timeZone: string,
): AnswerValue {
  const { number_value, string_value, date_value, boolean_value } = stored
  if (type === 'checkbox' && string_value !== null)
    return string_value.split(SEPARATOR).filter(Boolean)
  const day = date_value && storedMomentDay(date_value, stored.metadata, timeZone)
  const byType = {
    number: number_value,
    boolean: boolean_value,
    date: day,
    text: null,
    select: null,
    checkbox: null,
  }
  const kept = (type && byType[type]) ?? string_value ?? number_value ?? boolean_value ?? day
  return typeof kept === 'string' ? kept.replaceAll(SEPARATOR, '; ') || null : kept
}

/**
 * The calendar day of a stored moment: the day in `metadata` if the moment is still its noon; the UTC
 * day if the moment is midnight in UTC; otherwise the clinic's day.
 */
export function storedMomentDay(moment: Date, metadata: unknown, timeZone: string): string {
  const recorded = (metadata as { day?: unknown } | null)?.day
  const inUtc = moment.toISOString()
  if (typeof recorded === 'string' && noonUtc(recorded).getTime() === moment.getTime())
    return recorded
  if (inUtc.endsWith('T00:00:00.000Z')) return inUtc.slice(0, 10)
  return dayIn(moment, timeZone)
}
