import * as z from 'zod'
import table from './schedules.json'

const days = (most: number) =>
  z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'followups.daysRange')
    .max(most, 'followups.daysRange')

const ScheduleStep = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/),
  /** From when the days count. */
  after: z.enum(['last_visit', 'lmp', 'start', 'birth']),
  days: days(2000).optional(),
  months: days(240).optional(),
  /** A code of vaccines.json: a valid dose satisfies the step. */
  vaccine: z.string().optional(),
  /** The first age at which the dose is no longer given. */
  before_days: days(2000).optional(),
  before_months: days(240).optional(),
  /** A step that is off until an administrator switches it on. */
  option: z.enum(['boosters', 'hpv']).optional(),
  /** The step, or its age limit, is newer than the schedule before: it counts from the day of switching it on. */
  added: z.enum(['version', 'boosters', 'hpv']).optional(),
  /** The limit of the schedule before. */
  was_before_months: days(240).optional(),
})
export type Step = z.output<typeof ScheduleStep>

/** When patients of a program should come, stored as `follow_up_schedules.body`. */
export const ScheduleBody = z.strictObject({
  /** Of one `after`; ascending, but for doses: these ascend per vaccine. */
  steps: z.array(ScheduleStep).min(1).max(60),
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
  /** Days between two doses of a vaccine: of bodies that were stored before `valid-doses.json` said them. */
  interval: days(365).optional(),
  /** Which of the shipped schedules of children's doses is followed. A stored body without it is of the first one. */
  version: z.enum(['2026-11', 'who-2023']).optional(),
  /** The day on which the version or an option was switched on, in an installation that had patients by then. */
  switched_on: z
    .strictObject({ version: z.iso.date(), boosters: z.iso.date(), hpv: z.iso.date() })
    .partial()
    .optional(),
  /** Doses of HPV vaccine, if it is on. */
  hpv_doses: z.literal([1, 2]).optional(),
})
export type ScheduleBody = z.output<typeof ScheduleBody>
export type Schedule = ScheduleBody & { code: string; program: string }
export type ScheduleVersion = NonNullable<ScheduleBody['version']>
export type ScheduleOption = NonNullable<Step['option']>

/** The schedules of a new installation. */
export const STARTER_SCHEDULES = table.schedules as readonly Schedule[]
/** Shipped before, and followed where an administrator has not chosen the newer one. */
const EARLIER_SCHEDULES = table.earlier as readonly Schedule[]
export const SCHEDULE_VERSIONS = ['who-2023', '2026-11'] as const satisfies ScheduleVersion[]

/** What the migration stores for an installation that had patients: only the version. */
const StoredBody = ScheduleBody.partial()

/**
 * The schedule in force: the shipped one of the stored version, with the days that an administrator changed. A stored
 * body that does not follow the schema is ignored.
 */
export function scheduleInForce(starter: Schedule, stored: unknown): Schedule {
  const { data: body } = StoredBody.safeParse(stored)
  if (!body) return starter
  const version = body.version ?? (starter.version && '2026-11')
  const shipped =
    EARLIER_SCHEDULES.find((one) => one.code === starter.code && one.version === version) ?? starter
  const { steps = [], ...rest } = body
  if (!shipped.version)
    return { ...shipped, ...rest, steps: steps.length > 0 ? steps : shipped.steps }
  const given = new Map(steps.map((step) => [step.code, step]))
  return {
    ...shipped,
    ...rest,
    version: shipped.version,
    steps: shipped.steps.map((step) => {
      const { days: ownDays, months } = given.get(step.code) ?? {}
      if (step.months !== undefined && months !== undefined) return { ...step, months }
      return step.months === undefined && ownDays !== undefined ? { ...step, days: ownDays } : step
    }),
  }
}
