import { Group, Paper, Text } from '@mantine/core'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { useDayText } from '~/ui/Day'
import type { CurrentMedicineList } from './current.server'
import { emptyWords, medicineWords } from './medicine-words'

/** What the patient takes now, from here and from elsewhere. */
export function CurrentMedicinesList({ medicines }: { medicines: CurrentMedicineList }) {
  const say = useSay()
  const dayText = useDayText()
  if (medicines.rows.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {say(emptyWords(medicines))}
      </Text>
    )
  }
  return (
    <Paper withBorder px="sm" py={6} component="ul" m={0} style={{ listStyle: 'none' }}>
      {medicines.rows.map((medicine) => {
        const { title, dose, notes } = medicineWords(medicine, say, dayText)
        return (
          <Group key={medicine.id} component="li" gap="0 var(--mantine-spacing-xs)" py={4}>
            {medicine.prescriptionId ? (
              <LinkAnchor
                size="sm"
                fw={500}
                to="/app/prescriptions/edit/{-$prescriptionId}"
                params={{ prescriptionId: medicine.prescriptionId }}
              >
                <bdi>{title}</bdi>
              </LinkAnchor>
            ) : (
              <Text size="sm" fw={500} component="bdi">
                {title}
              </Text>
            )}
            {dose && (
              <Text size="sm">
                <bdi>{dose}</bdi>
              </Text>
            )}
            <Text size="xs" c="dimmed">
              {notes.join(' · ')}
            </Text>
          </Group>
        )
      })}
    </Paper>
  )
}
