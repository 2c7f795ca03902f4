import { date, number, optional, reference, select } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { record } from './record'

/** Why an enrolment of any program ended, as users choose it; a death ends all programs by its date. */
export const GENERAL_REASONS = [
  'completed',
  'cured',
  'birth',
  'moved',
  'refused',
  'mistaken',
  'other',
] as const
/** The outcomes that only some programs have (`programs.json`). */
const OUTCOMES = [
  'failed',
  'lost',
  'not_evaluated',
  'transferred',
  'stopped',
  'recovered',
  'defaulted',
  'not_recovered',
] as const
export const END_REASONS = [...GENERAL_REASONS, ...OUTCOMES] as const
export type EndReason = (typeof END_REASONS)[number]
/** Also the end that only a date of death gives. */
const ALL_END_REASONS = [...END_REASONS, 'died'] as const
export const isEndReason = (reason: string | null): reason is (typeof ALL_END_REASONS)[number] =>
  ALL_END_REASONS.some((known) => known === reason)

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
        ALL_END_REASONS,
        (reason): MessageKey => `programs.end_${reason}`,
      ),
    ),
    keptIfAbsent: true,
  },
})
