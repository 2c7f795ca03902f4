import type { Message } from './errors'
import { isDay } from './zone'

/** The day of articles without an expiry date (`records/no-expiry.ts`): no message names it as a day. */
export const NO_EXPIRY = '2099-12-31'

/** The month in letters: no two clinics agree on which number is the month. */
export const DAY_FORMAT = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
} as const

/** Messages about an expiry date whose value has another name than `expiry`. */
const OF_EXPIRY: ReadonlySet<string> = new Set(['inventory.story_corrected', 'batches.expiresOn'])

/** A cell of a list or a typed text is quoted as it is; only the value of `errors.changedTo` is a stored one. */
const isQuoted = (key: string, name: string) =>
  name === 'cell' || (name === 'value' && key !== 'errors.changedTo')

/**
 * The values of a message with days as the reader writes them: the server names days as `yyyy-MM-dd`, because it does
 * not know who reads the message. `noExpiry` is "no expiry" in the reader's language.
 */
export const readableValues = (
  { key, values }: Message,
  dayText: (day: string) => string,
  noExpiry: () => string,
): Message['values'] =>
  values &&
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value !== 'string' || !isDay(value) || isQuoted(key, name)) return [name, value]
      const isExpiry = name === 'expiry' || OF_EXPIRY.has(key)
      return [name, isExpiry && value === NO_EXPIRY ? noExpiry() : dayText(value)]
    }),
  )
