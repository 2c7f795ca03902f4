import { useFormatter } from 'use-intl'

type Props = {
  at: Date | string
  /** Where the order of events matters. */
  seconds?: boolean
  dayOnly?: boolean
}

/** A point in time as people of this clinic read it: its time zone, their language. */
export function Moment({ at, seconds, dayOnly }: Props) {
  const format = useFormatter()
  const date = new Date(at)
  const timeStyle = dayOnly ? undefined : seconds ? 'medium' : 'short'
  return (
    <time dateTime={date.toISOString()} style={{ whiteSpace: 'nowrap' }}>
      {format.dateTime(date, { dateStyle: 'medium', timeStyle })}
    </time>
  )
}
