import * as z from 'zod'
import { orNull } from './record'
import { AppError, invalid, type Message } from './errors'
import { addDays, clinicTimeZone, clinicToday, dayIn, momentAt } from './zone'

/** A day that is further back is asked about: most are slips of the calendar. */
const OLD_AFTER_DAYS = 90

/** What a save asks once: the user answers, and the save is repeated with the answer. */
const QUESTIONS = [
  'old_day',
  'barred_batch',
  'unlikely_date',
  'unlikely_amount',
  'against_record',
  'expired_stock',
  'beyond_stock',
  'still_expected',
] as const
export type EarlierDayQuestion = (typeof QUESTIONS)[number]

const Answers = z
  .array(z.enum(QUESTIONS, 'validation.option'), 'validation.wrongType')
  .max(QUESTIONS.length, 'validation.tooMany')
export const Confirmed = Answers.default([])
/** Of an operation that programs call without a user to ask. */
export const ConfirmedIfAsked = Answers.optional()

/** The input of an operation that can be entered for an earlier day. Without a day: now. */
export const OnEarlierDay = z.object({
  day: orNull(z.iso.date('validation.date')),
  confirmed: Confirmed,
})

/** When something happened; `enteredOn` is the day of typing if that is a later one. */
export type Happened = { day: string; at: Date; enteredOn: string | null }

/** Asks: refuses with the question's text as a whole, and what it is about beside each field. */
export const askAbout = (question: EarlierDayQuestion, fields: Readonly<Record<string, Message>>) =>
  new AppError('invalid', { key: `asked.${question}` }, fields)
export const ask = (question: EarlierDayQuestion, field: string, message: Message) =>
  askAbout(question, { [field]: message })

/** Asks about an entry that is in its list already. */
export const askIfTwice = (field: string, name: string) =>
  ask('against_record', field, { key: 'form.inListAlready', values: { name } })

/** The question of a refused save; null for other errors. */
export const askedQuestion = (error: unknown): EarlierDayQuestion | null =>
  error instanceof AppError
    ? (QUESTIONS.find((question) => error.text.key === `asked.${question}`) ?? null)
    : null

/**
 * When it happened, by the day of the input: the middle of an earlier day, or now. Throws `invalid` for a day that has
 * not come, and asks about one that is long ago.
 */
export function happened(
  { day, confirmed }: { day?: string | null; confirmed: readonly EarlierDayQuestion[] },
  field = 'day',
): Happened {
  const now = new Date()
  const today = dayIn(now, clinicTimeZone())
  if (!day || day === today) return { day: today, at: now, enteredOn: null }
  if (day > today) throw invalid({ [field]: { key: 'validation.inFuture' } })
  if (day < '1900-01-01') throw invalid({ [field]: { key: 'validation.tooEarly' } })
  if (isLongAgo(day, today) && !confirmed.includes('old_day'))
    throw ask('old_day', field, { key: 'earlierDay.longAgo', values: { day } })
  return { day, at: momentAt(`${day}T12:00`, clinicTimeZone())!, enteredOn: today }
}

/**
 * Who enters an event of an earlier day now; nothing for one of today. `confirmed` is what the user answered; without
 * it a program saves, which is not asked.
 */
export function enteredLater(
  at: Date,
  userId: string,
  field: string,
  confirmed: readonly EarlierDayQuestion[] | undefined,
): { entered_on: string | null; entered_by_user_id: string | null } {
  const [day, today] = [dayIn(at, clinicTimeZone()), clinicToday()]
  if (confirmed && isLongAgo(day, today) && !confirmed.includes('old_day'))
    throw ask('old_day', field, { key: 'earlierDay.longAgo', values: { day } })
  return day < today
    ? { entered_on: today, entered_by_user_id: userId }
    : { entered_on: null, entered_by_user_id: null }
}

/** Whether it is new or moves to another day; a corrected hour leaves who entered it and when. */
export const isOnAnotherDay = (before: Date | undefined, at: Date) =>
  before === undefined || dayIn(before, clinicTimeZone()) !== dayIn(at, clinicTimeZone())

const isLongAgo = (day: string, today: string) => day < addDays(today, -OLD_AFTER_DAYS)
