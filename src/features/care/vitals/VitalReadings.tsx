import { Box, Group, Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { EnteredLater } from '~/ui/EnteredLater'
import { VITAL_MEASURES } from './vital'
import { UNIT_OF, VitalValue } from './VitalValue'
import type { Vital } from './vitals.server'

/** Everything that one measurement says, in a line that wraps. */
export function VitalReadings({ vital }: { vital: Vital }) {
  const say = useSay()
  const { systolic_bp, diastolic_bp, marks } = vital
  const others = VITAL_MEASURES.filter(
    (measure) => measure !== 'systolic_bp' && measure !== 'diastolic_bp' && vital[measure] !== null,
  )
  return (
    <Stack gap={4}>
      <Group gap="sm">
        {(systolic_bp !== null || diastolic_bp !== null) && (
          <Box>
            <Text span size="xs" c="dimmed">
              {say('vitals.blood_pressure')}{' '}
            </Text>
            <VitalValue
              values={[systolic_bp, diastolic_bp]}
              marks={[marks.systolic_bp, marks.diastolic_bp]}
              unit="vitals.unitMmHg"
            />
          </Box>
        )}
        {others.map((measure) => (
          <Box key={measure}>
            <Text span size="xs" c="dimmed">
              {say(`vitals.${measure}`)}{' '}
            </Text>
            <VitalValue
              values={[vital[measure]]}
              marks={[marks[measure]]}
              unit={UNIT_OF[measure]}
            />
          </Box>
        ))}
      </Group>
      <EnteredLater on={vital.entered_on} by={vital.recorded_by} />
    </Stack>
  )
}
