import { useFormatter } from 'use-intl'
import { TIME_OF_DAY } from '~/ui/clock'

/** A minute of the day in the clock format of the viewer's language. */
export function useClock(): (minute: number) => string {
  const format = useFormatter()
  return (minute) =>
    format.dateTime(new Date(Date.UTC(2000, 0, 1, 0, minute)), { ...TIME_OF_DAY, timeZone: 'UTC' })
}
