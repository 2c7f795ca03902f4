import { Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { daysBetween } from '~/shared/zone'
import { useToday } from '~/ui/clock'
import { StatusBadge } from '~/ui/StatusBadge'
import { EXPIRING_DAYS } from './inventory'

type Props = {
  batch: { expiry_date: string; is_quarantined: boolean; quarantine?: { reason: string } | null }
}

/** Whether a batch may be dispensed, and if not, why. */
export function BatchState({ batch }: Props) {
  const say = useSay()
  const days = daysBetween(useToday(), batch.expiry_date)
  if (batch.is_quarantined) {
    return (
      <Stack gap={2} align="flex-start">
        <StatusBadge tone="bad">{say('batches.quarantined')}</StatusBadge>
        {batch.quarantine && (
          <Text size="xs" c="dimmed" component="bdi">
            {batch.quarantine.reason}
          </Text>
        )}
      </Stack>
    )
  }
  if (days < 0) return <StatusBadge tone="bad">{say('batches.expired')}</StatusBadge>
  if (days < EXPIRING_DAYS) {
    return (
      <StatusBadge tone="warning">
        {say({ key: 'batches.expiresIn', values: { count: days } })}
      </StatusBadge>
    )
  }
  return <StatusBadge tone="good">{say('batches.good')}</StatusBadge>
}
