import { Group } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useSay } from '~/shared/say'
import { type Column, fieldColumns, Nothing } from '~/ui/columns'
import { Day } from '~/ui/Day'
import { Moment } from '~/ui/Moment'
import type { RowAction } from '~/ui/rowMenu'
import { StatusBadge } from '~/ui/StatusBadge'
import { referralRecord } from '~/records/referral'
import { spacedNumber } from './referral-number'
import type { Referral } from './referrals.server'

type Status = Pick<Referral, 'status' | 'urgency' | 'isOpen' | 'isOverdue'>

/** The status and the urgency in one column: the texts of the other columns need the width. */
function ReferralStatus({ status, urgency, isOpen, isOverdue }: Status) {
  const say = useSay()
  const toneInTime = isOpen ? 'warning' : 'good'
  const tone = isOverdue ? 'bad' : toneInTime
  return (
    <Group gap={4}>
      <StatusBadge tone={status === 'closed' ? 'quiet' : tone}>
        {say(isOverdue ? 'referrals.overdueBadge' : `referrals.${status}`)}
      </StatusBadge>
      <StatusBadge tone={urgency === 'routine' ? 'quiet' : 'bad'}>
        {say(`referrals.${urgency}`)}
      </StatusBadge>
    </Group>
  )
}

type Row = Omit<Referral, 'recorded_by'>
const { fields } = referralRecord

/** What both lists of referrals show. */
export const referralColumns: Column<Row>[] = [
  ...fieldColumns(fields, ['to_name']),
  {
    key: 'status',
    card: 'badge',
    label: 'referrals.status',
    cell: (row) => <ReferralStatus {...row} />,
  },
  {
    key: 'sent_at',
    label: 'referrals.sentOn',
    cell: ({ sent_at }) => <Moment at={sent_at} dayOnly />,
  },
  {
    key: 'due_on',
    label: fields.due_on.label,
    cell: ({ due_on }) => (due_on ? <Day value={due_on} /> : <Nothing />),
  },
  ...fieldColumns(fields, ['reason', 'reply']),
  {
    key: 'number',
    label: 'referrals.number',
    cell: ({ number }) => <bdi dir="ltr">{spacedNumber(number)}</bdi>,
  },
]

export const printLetter: RowAction<{ id: string }> = {
  label: 'referrals.printLetter',
  icon: IconPrinter,
  link: ({ id }) => `/app/referrals/print/${id}`,
}
