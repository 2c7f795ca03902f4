import type { Message } from './errors'

type Values = Message['values']

/** The day of articles without an expiry date (`records/no-expiry.ts`): no message names it as a day. */
export const NO_EXPIRY = '2099-12-31'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const formats: Record<string, Intl.DateTimeFormat> = {}
const formatFor = (locale: string) =>
  (formats[locale] ??= new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }))

/**
 * The values of a message with days as the reader writes them: the server names days as `yyyy-MM-dd`, because it does
 * not know who reads the message. `noExpiry` is "no expiry" in the reader's language.
 */
export function readableValues(values: Values, locale: string, noExpiry: () => string): Values {
  if (!values) return values
  const readable = Object.entries(values).map(([name, value]) => {
    const at = typeof value === 'string' && DAY.test(value) ? Date.parse(value) : Number.NaN
    if (Number.isNaN(at)) return [name, value]
    return [name, value === NO_EXPIRY ? noExpiry() : formatFor(locale).format(at)]
  })
  return Object.fromEntries(readable) as Values
}
