import { useFormatter } from 'use-intl'
import { TIME_OF_DAY } from './clock'

type Props = {
  at: Date | string
  /** Where the order of events matters. */
  seconds?: boolean
  dayOnly?: boolean
}

/** The month in letters: no two clinics agree on which number is the month. */
const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const

/** Arabic has a plain space there: the one letter would begin a line of its own. */
const BEFORE_HALF_OF_DAY = / (?=[صم]$)/

/** A point in time as people of this clinic read it: its time zone, their language. */
export function Moment({ at, seconds, dayOnly }: Props) {
  const format = useFormatter()
  const date = new Date(at)
  return (
    <time dateTime={date.toISOString()}>
      {format
        .dateTime(date, {
          ...DAY,
          ...(!dayOnly && TIME_OF_DAY),
          ...(seconds && { second: '2-digit' }),
        })
        .replace(BEFORE_HALF_OF_DAY, '\u00A0')}
    </time>
  )
}
