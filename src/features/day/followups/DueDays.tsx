import { Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { daysBetween } from '~/shared/zone'
import { Day } from '~/ui/Day'

type Props = { dueOn: string; overdueFrom: string; today: string }

/** The date, and how far it is: in red once it is overdue. */
export function DueDays({ dueOn, overdueFrom, today }: Props) {
  const say = useSay()
  const since = daysBetween(dueOn, today)
  const text =
    overdueFrom <= today
      ? say({ key: 'followups.daysOverdue', values: { count: since } })
      : since === 0
        ? say('followups.dueToday')
        : since > 0
          ? say({ key: 'followups.dueSince', values: { count: since } })
          : say({ key: 'followups.dueIn', values: { count: -since } })
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
        {text}
      </Text>
    </Stack>
  )
}
