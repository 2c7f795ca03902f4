import * as z from 'zod'
import { momentAt, wallTime } from '~/shared/zone'

export const REPEAT_UNITS = ['day', 'week', 'month'] as const
/** A series is booked at once: a year of weeks fits, a typing error does not fill the calendar. */
export const MOST_REPEATS = 60

const whole = (max: number) =>
  z
    .number('validation.number')
    .int('validation.number')
    .min(1, 'validation.tooSmall')
    .max(max, 'validation.tooLarge')

/** Every so many days, weeks or months; so many times in all, or until a day, which is included. */
export const Repeat = z
  .object({
    every: whole(52),
    unit: z.enum(REPEAT_UNITS, 'validation.option'),
    count: whole(MOST_REPEATS).optional(),
    until: z.iso.date('validation.date').optional(),
  })
  .refine(({ count, until }) => (count === undefined) !== (until === undefined), {
    path: ['count'],
    error: 'appointments.repeatEnd',
  })
export type Repeat = z.output<typeof Repeat>

/**
 * The moments of a series, the first included, each at the same time of the clinic's clock: 09:00
 * stays 09:00 when the clocks change. The 31st becomes the last day of a shorter month, and the
 * 31st again after it.
 */
export function occurrences(first: Date, repeat: Repeat, timeZone: string): Date[] {
  const wall = wallTime(first, timeZone)
  const [startDay, time] = [wall.slice(0, 10), wall.slice(10)]
  const found = [first]
  for (let step = 1; step < (repeat.count ?? MOST_REPEATS + 1); step += 1) {
    const day = dayLater(startDay, step * repeat.every, repeat.unit)
    if (repeat.until !== undefined && day > repeat.until) break
    const at = momentAt(day + time, timeZone)
    if (at) found.push(at)
  }
  return found
}

/** A day so much later, `yyyy-MM-dd`; negative for earlier. */
export function dayLater(day: string, count: number, unit: Repeat['unit']): string {
  const date = new Date(`${day}T00:00:00Z`)
  if (unit === 'month') {
    const dayOfMonth = date.getUTCDate()
    date.setUTCDate(1)
    date.setUTCMonth(date.getUTCMonth() + count)
    const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
    date.setUTCDate(Math.min(dayOfMonth, last))
  } else {
    date.setUTCDate(date.getUTCDate() + count * (unit === 'week' ? 7 : 1))
  }
  return date.toISOString().slice(0, 10)
}
