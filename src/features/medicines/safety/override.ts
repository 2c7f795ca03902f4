import * as z from 'zod'
import { isReasonInWords, reasonText } from '~/shared/reason'
import { ListInput, orNull } from '~/shared/record'

/** `arrived`: a phone or an import brought the medicine, and the warning is unseen and has no reason. */
const STAGES = ['prescribing', 'dispensing', 'recording', 'arrived'] as const
export type Stage = (typeof STAGES)[number]

/** Why a warning is overridden. */
export const REASON_CODES = ['tolerated', 'benefit', 'record_error', 'monitored', 'other'] as const
/** Overridden in an emergency: the reason is asked for later. Of the gravest warnings and unasked allergies alone. */
export const EMERGENCY = 'emergency'
export type ReasonCode = (typeof REASON_CODES)[number] | typeof EMERGENCY

/** The reason for a medicine without recorded allergies; `EMERGENCY`: the allergies are asked about later. */
export const AllergiesReason = orNull(reasonText({ missing: 'allergies.reasonRequired' }))

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
      code: z.enum([...REASON_CODES, EMERGENCY], 'validation.option').optional(),
      /** Absent in an emergency. */
      reason: orNull(z.string('safety.reasonShort').trim().max(1000, 'validation.tooLong')),
      /** Of a grave warning: the name of the medicine, as the user typed it. */
      medicine: orNull(z.string('validation.wrongType').trim().max(500, 'validation.tooLong')),
      /** Of a grave warning: the confirmation of a second person, where the installation asks for it. */
      second: orNull(z.uuid('validation.id')),
    }),
    'validation.wrongType',
  )
  .superRefine((given, ctx) => {
    for (const [at, { code, reason }] of given.entries())
      if (code !== EMERGENCY && !isReasonInWords(reason ?? ''))
        ctx.addIssue({ code: 'custom', message: 'safety.reasonShort', path: [at, 'reason'] })
  })
  .max(MOST_AT_ONCE, 'validation.tooMany')
  .default([])
export type Override = z.output<typeof Overrides>[number]

export const ListOverrides = ListInput.omit({ search: true }).extend({
  /** `emergency`: overridden in an emergency, and still without a reason. */
  state: z.enum(['open', 'emergency', 'reviewed', 'all'], 'validation.option').default('open'),
  clinicId: z.uuid('validation.id').optional(),
  /** Of that day at the clinics. */
  day: z.iso.date('validation.date').optional(),
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
