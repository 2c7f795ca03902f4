import { Group, Paper, Text } from '@mantine/core'
import { LinkAnchor } from '~/client/links'
import { drugTitle } from '~/features/medicines/drugs/drug'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { doseText } from './writing/dose'
import type { DetailedPrescription } from './listing.server'
import { isActive } from './prescription'
import { StatusText } from './PrescriptionStatus'

/** Current prescribed medicines: open items of prescriptions that were not cancelled. */
export function ActiveMedications({
  prescriptions,
}: {
  prescriptions: readonly DetailedPrescription[]
}) {
  const say = useSay()
  const active = prescriptions
    .filter(isActive)
    .flatMap((prescription) =>
      prescription.items
        .filter(
          ({ item_status }) => item_status === 'active' || item_status === 'partially_dispensed',
        )
        .map((item) => ({ ...item, prescription })),
    )
  if (active.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {say('prescriptions.noneActive')}
      </Text>
    )
  }
  return (
    <Paper withBorder p="sm" component="ul" m={0} style={{ listStyle: 'none' }}>
      {active.map((item) => (
        <Group key={item.id} component="li" gap="xs" py={4}>
          <LinkAnchor
            size="sm"
            fw={500}
            to="/app/prescriptions/edit/{-$prescriptionId}"
            params={{ prescriptionId: item.prescription.id }}
          >
            <bdi>{drugTitle(item, say)}</bdi>
          </LinkAnchor>
          <Text size="sm">
            <bdi>{item.dose ? doseText(item.dose, item, say) : item.dosage_instructions}</bdi>
          </Text>
          <Text size="xs" c="dimmed">
            <Moment at={item.prescription.prescribed_at} dayOnly />
          </Text>
          <StatusText status={item.prescription.status} />
        </Group>
      ))}
    </Paper>
  )
}
