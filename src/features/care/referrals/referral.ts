import * as z from 'zod'
import { referralRecord } from '~/records/referral'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { ListInput, orNull } from '~/shared/record'
import { REFERRAL_STATES } from './referral-search'

export const SaveReferral = referralRecord.save
  .extend({
    patient_id: z.uuid('validation.id'),
    visit_id: orNull(z.uuid('validation.id')),
    /** What the user answered about the day of the reply; a program is not asked. */
    confirmed: ConfirmedIfAsked,
  })
  .superRefine(({ status, reply }, ctx) => {
    if (status === 'replied' && !reply)
      ctx.addIssue({ code: 'custom', message: 'referrals.replyRequired', path: ['reply'] })
  })

export const ListReferrals = z.object({
  state: z.enum(REFERRAL_STATES, 'validation.option').default('open'),
  /** The number of a referral: then the other filters do not count. */
  number: z.string('validation.wrongType').trim().max(40, 'validation.tooLong').optional(),
  clinicId: z.uuid('validation.id').optional(),
  page: ListInput.shape.page,
})
