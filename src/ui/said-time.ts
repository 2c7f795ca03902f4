import { useFormatter } from 'use-intl'
import { standsForDay } from '~/shared/from-document'
import { useDayText } from './Day'

/** A date of another program: a moment or a day in the reader's words, a year or a month as it stands. */
export function useSaidTime() {
  const format = useFormatter()
  const dayText = useDayText()
  return (text: string) => {
    if (Number.isNaN(Date.parse(text))) return text
    if (standsForDay(text)) return dayText(text.slice(0, 10))
    return /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text)
      ? format.dateTime(new Date(text), { dateStyle: 'medium', timeStyle: 'short' })
      : text
  }
}
