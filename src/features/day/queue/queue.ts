import * as z from 'zod'
import { UrgencyInput } from '~/features/rules/transitions/urgency'

/** Null: patients who were sent to no department. Absent: patients in any department. */
const department = z.uuid('validation.id').nullable().optional()

export const QueueClinicInput = z.object({ clinicId: z.uuid('validation.id') })
/** Of a link to the waiting-room screen. */
export const BoardTokenInput = z.object({
  token: z.string('validation.wrongType').max(100, 'validation.tooLong'),
})
export const QueueInput = QueueClinicInput.extend({ departmentId: department })

/**
 * A patient's place: the position of the department in the appointment, counted from 1; 0 if it
 * names none.
 */
export const QueueStepInput = z.object({
  appointmentId: z.uuid('validation.id'),
  position: z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'validation.tooSmall')
    .max(1000, 'validation.tooLarge'),
})
export const LeaveQueueInput = z.object({ appointmentId: z.uuid('validation.id') })
export const SendToDepartmentInput = z.object({
  appointmentId: z.uuid('validation.id'),
  departmentId: z.uuid('validation.id'),
})

/** The urgency of an arrival, as a user chooses it: also a lower one. */
export const SetUrgencyInput = z.object({
  appointmentId: z.uuid('validation.id'),
  urgency: UrgencyInput,
})

/**
 * `id`: of the walk-in that this makes if nothing is booked for today. `urgency`: raises that of the arrival; a lower
 * one changes nothing.
 */
export const CheckInInput = QueueClinicInput.extend({
  id: z.uuid('validation.id'),
  patientId: z.uuid('validation.id'),
  departmentId: z.uuid('validation.id').nullish(),
  urgency: UrgencyInput.optional(),
})
