import * as z from 'zod'
import type { MessageKey } from '~/shared/language'
import { isReason } from '~/shared/reason'

/** Why a patient is linked to a clinic, or a clinic opens what others recorded. `other` needs words. */
export const CARE_REASONS = ['here', 'referral', 'emergency', 'other'] as const
export type CareReason = (typeof CARE_REASONS)[number]
/** `before_update`: the clinic read the history before a reason was asked. */
type OpeningReason = CareReason | 'before_update'
export const reasonLabel = (reason: OpeningReason): MessageKey => `sharing.reason_${reason}`

export const careReasonFields = {
  reason: z.enum(CARE_REASONS, 'sharing.reasonNeeded'),
  reason_text: z
    .string('validation.wrongType')
    .trim()
    .max(500, 'validation.tooLong')
    .nullish()
    .transform((words) => words || null),
}

/** The reason `other` says nothing without words. */
export function needWords(
  { reason, reason_text }: { reason?: CareReason; reason_text?: string | null },
  { addIssue }: { addIssue: (issue: { code: 'custom'; path: string[]; message: string }) => void },
) {
  if (reason === 'other' && !isReason(reason_text ?? ''))
    addIssue({ code: 'custom', path: ['reason_text'], message: 'sharing.wordsNeeded' })
}
