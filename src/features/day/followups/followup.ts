import * as z from 'zod'
import { PROGRAM_CODES } from '~/features/care/programs/program-codes'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { SentMoment } from '~/shared/moment'
import { CALL_RESULTS } from '~/records/call-results'

export const REMOVAL_REASONS = [
  'already_visited',
  'unavailable',
  'wrong_number',
  'changed_facility',
  'moved',
  'refused',
  'other',
  'died',
] as const
export type RemovalReason = (typeof REMOVAL_REASONS)[number]

/** Days from a call to the reminder, unless another day is chosen. */
export const REMIND_AFTER = 7

const Id = z.uuid('validation.id')
const Day = z.iso.date('validation.date')
const program = z.enum(PROGRAM_CODES, 'validation.option')

/** Patients whose date has passed; or whose date is near. */
const LISTS = ['overdue', 'due'] as const

/** The place in a list after which the next page begins. */
const Cursor = z.strictObject({
  risk: z.boolean(),
  agreed: z.boolean(),
  overdueFrom: Day,
  id: Id,
})

export const FollowUpList = z.object({
  list: z.enum(LISTS, 'validation.option').default('overdue'),
  clinicId: Id.optional(),
  program: program.optional(),
  /** The result of the last call; `none`: not called. */
  result: z.enum([...CALL_RESULTS, 'none'], 'validation.option').optional(),
  /** With a phone of at least eight digits, or without. */
  phone: z.enum(['yes', 'no'], 'validation.option').optional(),
  highRisk: z.boolean('validation.wrongType').optional(),
  after: Cursor.nullish(),
})
export type FollowUpList = z.output<typeof FollowUpList>

export const CalledList = z.object({
  /** `yyyy-MM`; this month when absent. */
  month: z
    .string('validation.wrongType')
    .regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'validation.date')
    .optional(),
  clinicId: Id.optional(),
  program: program.optional(),
  page: z.number().int().min(1).max(100_000).default(1),
})

/** `HH:mm` */
export const BookingTime = z
  .string('validation.wrongType')
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'followups.time')

export const RecordCall = z
  .object({
    id: Id,
    patient_id: Id,
    program,
    /** Other programs that the call was about: each gets a call of its own, with the same result. */
    also: z
      .array(z.object({ id: Id, program }))
      .max(PROGRAM_CODES.length, 'validation.tooLong')
      .optional(),
    result: z.enum(CALL_RESULTS, 'validation.option'),
    /** Now, unless the call was earlier. */
    called_at: SentMoment.nullish(),
    agreed_on: Day.nullish(),
    remind_on: Day.nullish(),
    no_answer: z.boolean('validation.wrongType').default(false),
    reason: z.enum(REMOVAL_REASONS, 'validation.option').nullish(),
    died_on: Day.nullish(),
    cancel_appointments: z.boolean('validation.wrongType').default(false),
    /** What the user answered about a death that the record contradicts, or a taken time; a program is not asked. */
    confirmed: ConfirmedIfAsked,
    notes: z.string('validation.wrongType').trim().max(1000, 'validation.tooLong').nullish(),
    /** Books the agreed day in the clinic that is responsible. */
    appointment: z
      .object({
        id: Id,
        time: BookingTime,
        duration: z.number('validation.wrongType').min(5).max(1440).default(30),
      })
      .nullish(),
  })
  .superRefine((call, ctx) => {
    const missing = (path: string) =>
      ctx.addIssue({ code: 'custom', message: 'validation.required', path: [path] })
    const programs = [call, ...(call.also ?? [])].map(({ program: programCode }) => programCode)
    if (new Set(programs).size < programs.length)
      ctx.addIssue({ code: 'custom', message: 'validation.option', path: ['also'] })
    if (call.result === 'agreed_to_visit' && !call.agreed_on) missing('agreed_on')
    if (call.result === 'removed_from_overdue_list' && !call.reason) missing('reason')
    if (call.reason === 'died' && !call.died_on) missing('died_on')
  })

export const CounterCall = z.object({
  id: Id,
  call_id: Id,
})
