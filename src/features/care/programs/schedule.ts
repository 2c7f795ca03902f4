import * as z from 'zod'
import table from './schedules.json'

const days = (most: number) =>
  z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'followups.daysRange')
    .max(most, 'followups.daysRange')

const Step = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** From when the days count. */
  after: z.enum(['last_visit', 'lmp', 'start', 'birth']),
  days: days(2000).optional(),
  months: days(72).optional(),
  /** A code of vaccines.json: a valid dose satisfies the step. */
  vaccine: z.string().optional(),
  /** The first age at which the dose is no longer given. */
  before_days: days(2000).optional(),
  before_months: days(72).optional(),
})
export type Step = z.output<typeof Step>

/** When patients of a program should come, stored as `follow_up_schedules.body`. */
export const ScheduleBody = z.strictObject({
  /** Of one `after`; ascending, but for doses: these ascend per vaccine. */
  steps: z.array(Step).min(1).max(60),
  /** A step is due this many days before its date. */
  due_before: days(60),
  /** It is overdue from the day after its date and these days. */
  grace: days(60),
  /** Months without a visit after which the patient is lost. */
  lost: z
    .strictObject({
      months: z.number().int().min(1, 'followups.monthsRange').max(60, 'followups.monthsRange'),
    })
    .optional(),
  /** Days from the base after which nothing is due any more. */
  ends: z.strictObject({ days: days(2000) }).optional(),
  /** Days between two doses of a vaccine. */
  interval: days(365).optional(),
})
export type ScheduleBody = z.output<typeof ScheduleBody>
export type Schedule = ScheduleBody & { code: string; program: string }

/** The schedules of a new installation. */
export const STARTER_SCHEDULES = table.schedules as readonly Schedule[]
