import { addDays, momentAt } from '~/shared/zone'

export const PERIOD_KINDS = ['day', 'week', 'month', 'quarter', 'year'] as const
export type PeriodKind = (typeof PERIOD_KINDS)[number]

/** Days are `yyyy-MM-dd` of the clinic's zone; `to` is the instant after the last moment. */
export type Period = {
  kind: PeriodKind
  text: string
  first: string
  last: string
  from: Date
  to: Date
}

const shapes: Record<PeriodKind, RegExp> = {
  day: /^(\d{4})-(\d{2})-(\d{2})$/,
  week: /^(\d{4})-W(\d{2})$/,
  month: /^(\d{4})-(\d{2})$/,
  quarter: /^(\d{4})-Q([1-4])$/,
  year: /^(\d{4})$/,
}

/** 1 Monday to 7 Sunday, as ISO 8601 counts. */
const isoWeekday = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() || 7

/** Monday of the first ISO week of a year: the week of 4 January. */
const firstWeek = (year: number) => {
  const fourth = `${pad(year, 4)}-01-04`
  return addDays(fourth, 1 - isoWeekday(fourth))
}

const pad = (number: number, length = 2) => String(number).padStart(length, '0')

/** The first day of the month so many months later; negative for earlier. */
export function shiftMonthStart(day: string, months: number): string {
  const count = Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1 + months
  return `${pad(Math.floor(count / 12), 4)}-${pad((count % 12) + 1)}-01`
}

/** The last day of the month of a day. */
const endOfMonth = (day: string) => addDays(shiftMonthStart(day, 1), -1)

/** The first and last day; null if the text is no period. */
function parsePeriodDays(text: string): { kind: PeriodKind; first: string; last: string } | null {
  for (const kind of PERIOD_KINDS) {
    const [, year = '', part = ''] = shapes[kind].exec(text) ?? []
    if (!year || Number(year) < 1900 || Number(year) > 2199) continue
    switch (kind) {
      case 'day':
        return isDay(text) ? { kind, first: text, last: text } : null
      case 'week': {
        const first = addDays(firstWeek(Number(year)), (Number(part) - 1) * 7)
        const isOfYear = Number(part) >= 1 && first < firstWeek(Number(year) + 1)
        return isOfYear ? { kind, first, last: addDays(first, 6) } : null
      }
      case 'month':
        return isDay(`${text}-01`)
          ? { kind, first: `${text}-01`, last: endOfMonth(`${text}-01`) }
          : null
      case 'quarter': {
        const first = `${year}-${pad(Number(part) * 3 - 2)}-01`
        return { kind, first, last: endOfMonth(shiftMonthStart(first, 2)) }
      }
      case 'year':
        return { kind, first: `${year}-01-01`, last: `${year}-12-31` }
    }
  }
  return null
}

const isDay = (text: string) => {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text
}

/** The instant at which a day begins in a zone. */
export const startOfDayIn = (day: string, zone: string) => momentAt(`${day}T00:00`, zone)!

/** `2026-10`, `2026-W42`, `2026-Q4`, `2026` or `2026-10-05`; null if it is not a period. */
export function readPeriod(text: string, zone: string): Period | null {
  const days = parsePeriodDays(text)
  return (
    days && {
      ...days,
      text,
      from: startOfDayIn(days.first, zone),
      to: startOfDayIn(addDays(days.last, 1), zone),
    }
  )
}

/** The period of a kind that contains a day. */
export function periodAt(kind: PeriodKind, day: string): string {
  const [year, month] = [day.slice(0, 4), Number(day.slice(5, 7))]
  switch (kind) {
    case 'day':
      return day
    case 'week': {
      // the year of an ISO week is that of its Thursday
      const thursday = addDays(day, 4 - isoWeekday(day))
      const weekYear = Number(thursday.slice(0, 4))
      const first = Date.parse(`${firstWeek(weekYear)}T00:00:00Z`)
      const days = (Date.parse(`${thursday}T00:00:00Z`) - first) / 86_400_000
      return `${pad(weekYear, 4)}-W${pad(Math.floor(days / 7) + 1)}`
    }
    case 'month':
      return day.slice(0, 7)
    case 'quarter':
      return `${year}-Q${Math.ceil(month / 3)}`
    case 'year':
      return year
  }
}

/** The period of the same kind before; null if the text is not a period. */
export function previousPeriod(text: string): string | null {
  const days = parsePeriodDays(text)
  return days && periodAt(days.kind, addDays(days.first, -1))
}

/** So many periods in order of time, of which the last is the named one. */
export function periodsBack(text: string, count: number): string[] {
  const periods: string[] = []
  let each: string | null = text
  while (each && parsePeriodDays(each) && periods.length < count) {
    periods.unshift(each)
    each = previousPeriod(each)
  }
  return periods
}

export const isPeriod = (text: string) => parsePeriodDays(text) !== null
