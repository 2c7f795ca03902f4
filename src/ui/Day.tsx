import { useFormatter } from 'use-intl'

const DAY = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const

/** A day of the calendar, the month in letters: no two clinics agree on which number is the month. */
export function Day({ value }: { value: string }) {
  const format = useFormatter()
  return (
    <time dateTime={value} style={{ whiteSpace: 'nowrap' }}>
      {format.dateTime(new Date(`${value}T00:00:00Z`), DAY)}
    </time>
  )
}
