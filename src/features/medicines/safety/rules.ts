import * as z from 'zod'
import { isReasonInWords } from '~/shared/reason'
import { TABLE_NAMES } from './rules/rule'

/** Switches one rule off for this installation, with a reason, or on again. */
export const SwitchRule = z
  .object({
    id: z.uuid('validation.id').optional(),
    table: z.enum(TABLE_NAMES, 'validation.option'),
    rule: z
      .string('validation.wrongType')
      .min(1, 'validation.required')
      .max(200, 'validation.tooLong'),
    isOn: z.boolean('validation.wrongType'),
    reason: z.string('validation.wrongType').trim().max(1000, 'validation.tooLong').default(''),
  })
  .refine(({ isOn, reason }) => isOn || isReasonInWords(reason), {
    path: ['reason'],
    message: 'safety.rules.reasonShort',
  })
