import { useFormatter } from 'use-intl'
import { DAY_FORMAT } from '~/shared/readable-values'

/** The text of a calendar day (`yyyy-MM-dd`), which is the same in every time zone. */
export function useDayText() {
  const format = useFormatter()
  return (day: string) => format.dateTime(new Date(`${day}T00:00:00Z`), DAY_FORMAT)
}

/** A day of the calendar, the month in letters: no two clinics agree on which number is the month. */
export function Day({ value }: { value: string }) {
  const dayText = useDayText()
  return (
    <time dateTime={value} style={{ whiteSpace: 'nowrap' }}>
      {dayText(value)}
    </time>
  )
}
