import { date, number, optional, reference, select } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { record } from './record'

/** Why an enrolment ended, as users choose it; a death ends all programs by its date. */
export const END_REASONS = [
  'completed',
  'cured',
  'birth',
  'moved',
  'refused',
  'mistaken',
  'other',
] as const

export const enrollmentRecord = record('program_enrollments', {
  patient_id: {},
  program: {},
  clinic_id: { field: reference('programs.clinic', { hint: 'programs.clinicHint' }) },
  enrolled_on: { field: date('programs.enrolledOn') },
  lmp: { field: optional(date('programs.lmp', { hint: 'programs.lmpHint' })), keptIfAbsent: true },
  review_days: {
    field: optional(
      number('programs.reviewDays', { min: 7, max: 365, hint: 'programs.reviewDaysHint' }),
    ),
    keptIfAbsent: true,
  },
  ended_on: { field: optional(date('programs.endedOn')), keptIfAbsent: true },
  end_reason: {
    field: optional(
      select(
        'programs.endReason',
        [...END_REASONS, 'died'],
        (reason): MessageKey => `programs.end_${reason}`,
      ),
    ),
    keptIfAbsent: true,
  },
})
