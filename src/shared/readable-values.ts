import type { Message } from './errors'

type Values = Message['values']

/** The day of articles without an expiry date (`records/no-expiry.ts`): no message names it as a day. */
export const NO_EXPIRY = '2099-12-31'

/** The month in letters: no two clinics agree on which number is the month. */
export const DAY_FORMAT = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
} as const

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && Date.parse(value) > -1e15

/**
 * The values of a message with days as the reader writes them: the server names days as `yyyy-MM-dd`, because it does
 * not know who reads the message. `noExpiry` is "no expiry" in the reader's language.
 */
export const readableValues = (
  values: Values,
  dayText: (day: string) => string,
  noExpiry: () => string,
): Values =>
  values &&
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      isDay(value) ? (value === NO_EXPIRY ? noExpiry() : dayText(value)) : value,
    ]),
  )
