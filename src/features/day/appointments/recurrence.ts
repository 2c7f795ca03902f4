import * as z from 'zod'
import { dayLater, momentAt, wallTime } from '~/shared/zone'

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
