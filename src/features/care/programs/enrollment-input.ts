import * as z from 'zod'
import { END_REASONS, enrollmentRecord } from '~/records/enrollment'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { PROGRAM_CODES } from './program-codes'

const Id = z.uuid('validation.id')
const program = z.enum(PROGRAM_CODES, 'validation.option')
const { clinic_id, enrolled_on, lmp, review_days } = enrollmentRecord.save.shape

export const EnrollPatient = z.object({
  id: Id,
  patient_id: Id,
  program,
  clinic_id,
  enrolled_on,
  lmp,
  review_days,
  /** What the user answered about a program that is for others; a program is not asked. */
  confirmed: ConfirmedIfAsked,
})

export const SaveEnrollment = enrollmentRecord.save
  .extend({ patient_id: Id, last_modified: enrollmentRecord.save.shape.last_modified })
  .superRefine(({ enrolled_on: from, ended_on, end_reason }, ctx) => {
    const issue = (path: string, message: string) =>
      ctx.addIssue({ code: 'custom', message, path: [path] })
    if (ended_on && ended_on < from) issue('ended_on', 'programs.endBeforeStart')
    if (ended_on && !end_reason) issue('end_reason', 'validation.required')
    if (end_reason && ended_on === null) issue('ended_on', 'validation.required')
  })

export const EndEnrollment = z.object({
  id: Id,
  ended_on: z.iso.date('validation.date'),
  end_reason: z.enum(END_REASONS, 'validation.option'),
})

export const SetDeath = z.object({
  id: Id,
  /** `yyyy-MM-dd`; null takes the death back. */
  died_on: z.iso.date('validation.date').nullable(),
  /** Cancels the appointments to come in the clinics of the user. */
  cancel_appointments: z.boolean('validation.wrongType').default(false),
  /** What the user answered about a day that the record contradicts; a program is not asked. */
  confirmed: ConfirmedIfAsked,
})
