import { useFormatter } from 'use-intl'

type Props = { at: Date | string; seconds?: boolean }

/** A point in time as people of this clinic read it: its time zone, their language. */
export function Moment({ at, seconds }: Props) {
  const format = useFormatter()
  const date = new Date(at)
  const timeStyle = dayOnly ? undefined : seconds ? 'medium' : 'short'
  return (
    <time dateTime={date.toISOString()} style={{ whiteSpace: 'nowrap' }}>
      {format.dateTime(date, { dateStyle: 'medium', timeStyle: seconds ? 'medium' : 'short' })}
    </time>
  )
}
