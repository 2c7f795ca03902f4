import { date, longText, optional, select, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { record } from './record'

const URGENCIES = ['routine', 'urgent', 'emergency'] as const
const REFERRAL_STATUSES = ['sent', 'seen', 'replied', 'closed'] as const

const named = (value: (typeof URGENCIES | typeof REFERRAL_STATUSES)[number]): MessageKey =>
  `referrals.${value}`

export const referralRecord = record('referrals', {
  patient_id: {},
  visit_id: {},
  // on the letter and its slip; the server makes it
  number: {},
  to_name: { field: text('referrals.to_name', { max: 200, hint: 'referrals.toHint' }) },
  urgency: { field: select('referrals.urgency', URGENCIES, named) },
  reason: {
    field: longText('referrals.reason', { max: 2000, requiredMessage: 'referrals.reasonRequired' }),
  },
  status: { field: select('referrals.status', REFERRAL_STATUSES, named) },
  sent_at: {},
  due_on: { field: optional(date('referrals.due_on', { hint: 'referrals.dueHint' })) },
  replied_at: {},
  reply: {
    field: optional(longText('referrals.reply', { max: 4000, hint: 'referrals.replyHint' })),
  },
})
