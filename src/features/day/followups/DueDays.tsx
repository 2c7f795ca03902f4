import { Stack, Text } from '@mantine/core'
import { type Sayable, useSay } from '~/shared/say'
import { daysBetween } from '~/shared/zone'
import { Day } from '~/ui/Day'

type Props = { dueOn: string; overdueFrom: string; today: string }

function howFar(since: number, isOverdue: boolean): Sayable {
  if (isOverdue) return { key: 'followups.daysOverdue', values: { count: since } }
  if (since === 0) return 'followups.dueToday'
  if (since > 0) return { key: 'followups.dueSince', values: { count: since } }
  return { key: 'followups.dueIn', values: { count: -since } }
}

/** The date, and how far it is: in red once it is overdue. */
export function DueDays({ dueOn, overdueFrom, today }: Props) {
  const say = useSay()
  const since = daysBetween(dueOn, today)
  return (
    <Stack gap={0}>
      <Text size="sm">
        <Day value={dueOn} />
      </Text>
      <Text
        size="sm"
        fw={overdueFrom <= today ? 600 : undefined}
        c={overdueFrom <= today ? 'var(--mantine-color-error)' : 'dimmed'}
      >
        {say(howFar(since, overdueFrom <= today))}
      </Text>
    </Stack>
  )
}
