import { useFormatter } from 'use-intl'
import { type Period, readPeriod } from '~/features/reports/cells/period'
import { useSay } from '~/shared/say'

type How = { day?: 'numeric'; month: 'long' | 'short'; year?: 'numeric' }

/** "October 2026", "Week 42, 2026 (12 Oct – 18 Oct)": a period as people say it; its text if it is none. */
export function usePeriodName() {
  const say = useSay()
  const format = useFormatter()
  const day = (text: string, how: How) =>
    format.dateTime(new Date(`${text}T00:00:00Z`), { ...how, timeZone: 'UTC' })
  const nameOf: Record<Period['kind'], (period: Period) => string> = {
    day: ({ first }) => day(first, { day: 'numeric', month: 'long', year: 'numeric' }),
    week: ({ text, first, last }) =>
      say({
        key: 'reports.week',
        values: {
          week: String(Number(text.slice(6))),
          year: text.slice(0, 4),
          from: day(first, { day: 'numeric', month: 'short' }),
          to: day(last, { day: 'numeric', month: 'short' }),
        },
      }),
    month: ({ first }) => day(first, { month: 'long', year: 'numeric' }),
    quarter: ({ text }) =>
      say({ key: 'reports.quarter', values: { quarter: text.slice(6), year: text.slice(0, 4) } }),
    year: ({ text }) => text,
  }
  return (text: string) => {
    // days do not depend on the zone
    const period = readPeriod(text, 'UTC')
    return period ? nameOf[period.kind](period) : text
  }
}
