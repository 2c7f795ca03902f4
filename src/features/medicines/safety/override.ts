import * as z from 'zod'
import { reasonInWords } from '~/shared/reason'
import { ListInput } from '~/shared/record'

/** `arrived`: a phone or an import brought the medicine, and the warning is unseen and has no reason. */
const STAGES = ['prescribing', 'dispensing', 'recording', 'arrived'] as const
export type Stage = (typeof STAGES)[number]

/** Why a warning is overridden. */
export const REASON_CODES = ['tolerated', 'benefit', 'record_error', 'monitored', 'other'] as const
export type ReasonCode = (typeof REASON_CODES)[number]

const MOST_AT_ONCE = 200

/** The reasons of the user for overriding warnings, by the key of the warning. */
export const Overrides = z
  .array(
    z.object({
      key: z
        .string('validation.wrongType')
        .min(1, 'validation.required')
        .max(500, 'validation.tooLong'),
      /** A program of before sends a text alone, which counts as "other". */
      code: z.enum(REASON_CODES, 'validation.option').optional(),
      reason: reasonInWords({ missing: 'safety.reasonShort', max: 1000 }),
    }),
    'validation.wrongType',
  )
  .max(MOST_AT_ONCE, 'validation.tooMany')
  .default([])
export type Override = z.output<typeof Overrides>[number]

export const ListOverrides = ListInput.omit({ search: true }).extend({
  state: z.enum(['open', 'reviewed', 'all'], 'validation.option').default('open'),
  clinicId: z.uuid('validation.id').optional(),
})
export const ReviewOverride = z.object({
  id: z.uuid('validation.id'),
  note: z
    .string('validation.wrongType')
    .trim()
    .max(1000, 'validation.tooLong')
    .nullish()
    .transform((note) => note || null),
})
