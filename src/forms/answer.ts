import { dayIn } from '~/shared/zone'
import type { Answer, QuestionType } from './question'

/** Where an answer is kept: one of four columns, by the type of its question. */
type AnswerColumns = {
  number_value: number | null
  string_value: string | null
  date_value: Date | null
  boolean_value: boolean | null
}
export type StoredAnswer = AnswerColumns & { metadata: unknown }

/** Between several choices in one text, as phones write it. */
const SEPARATOR = '\u001F'
const nothing: AnswerColumns = {
  number_value: null,
  string_value: null,
  date_value: null,
  boolean_value: null,
}

/**
 * The columns that keep an answer. A day is kept as its noon in UTC, so that phones from UTC-12 to
 * UTC+11 show that day.
 */
export function storedAnswer(
  type: QuestionType,
  answer: Exclude<Answer, null>,
): AnswerColumns & { metadata: object } {
  const day = type === 'date' ? String(answer) : undefined
  return { ...nothing, ...columnOf(type, answer), metadata: day ? { day } : {} }
}

function columnOf(type: QuestionType, answer: Exclude<Answer, null>): Partial<AnswerColumns> {
  if (type === 'number') return { number_value: Number(answer) }
  if (type === 'boolean') return { boolean_value: answer === true }
  if (type === 'date') return { date_value: noonOf(String(answer)) }
  return { string_value: Array.isArray(answer) ? answer.join(SEPARATOR) : String(answer) }
}

const noonOf = (day: string) => new Date(`${day}T12:00:00Z`)

/**
 * What was answered. Where the column of the question's type is empty (the form changed since, or the field is gone),
 * whatever was kept. `timeZone` is the clinic's: phones keep a day as its midnight there.
 */
export function answerOf(
  type: QuestionType | undefined,
  stored: StoredAnswer,
  timeZone: string,
): Answer {
  const { number_value, string_value, date_value, boolean_value } = stored
  if (type === 'checkbox' && string_value !== null)
    return string_value.split(SEPARATOR).filter(Boolean)
  const day = date_value && dayOf(date_value, stored.metadata, timeZone)
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
 * The day that a moment stands for: the one written beside it, as long as it still fits; midnight
 * in UTC; else the clinic's.
 */
export function dayOf(moment: Date, metadata: unknown, timeZone: string): string {
  const written = (metadata as { day?: unknown } | null)?.day
  const inUtc = moment.toISOString()
  if (typeof written === 'string' && noonOf(written).getTime() === moment.getTime()) return written
  if (inUtc.endsWith('T00:00:00.000Z')) return inUtc.slice(0, 10)
  return dayIn(moment, timeZone)
}
