import { newReferralNumber } from '~/features/care/referrals/referral-number'
import { referralRecord } from '~/records/referral'
import { entity } from './entity'

export const referrals = entity({
  record: referralRecord,
  noun: 'referrals',
  list: 'ofPatient',
  tab: 'referrals',
  dialog: 'care/referrals/ReferralDialog',
  table: 'care/referrals/PatientReferrals',
  stored: () => ({
    number: newReferralNumber(),
    to_name: 'City hospital',
    urgency: 'routine',
    reason: 'Second opinion',
  }),
  ofSide: ({ visit }) => ({ visit_id: visit.id }),
  saved: (side) => ({
    visit_id: side?.visit.id ?? null,
    to_name: 'City hospital',
    urgency: 'urgent',
    reason: 'Fever for nine days',
    status: 'sent',
    due_on: '2026-04-01',
    reply: null,
  }),
  shows: 'City hospital',
  edited: {
    from: () => ({
      to_name: 'City hospital',
      reason: 'Fever\nfor nine days',
      due_on: '2026-04-01',
      reply: 'Not malaria',
      replied_at: new Date('2026-03-20T10:00:00Z'),
      status: 'replied',
    }),
    row: 'City',
    values: {
      to_name: 'مستشفى City',
      reason: 'Fever',
      urgency: 'urgent',
      due_on: '2026-05-02',
      status: 'closed',
      reply: 'Typhoid',
    },
    one: 'reason',
  },
})
