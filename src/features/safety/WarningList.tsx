import { Group, Paper, Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import { isOfRule, type Warning } from './warning'
import { useWarningText } from './WarningText'

const isGrave = (warning: Warning) =>
  isOfRule(warning) ? warning.level === 'must_not' : warning.kind === 'allergy' || warning.kind === 'interaction'

/** Warnings to read, where nobody decides anything and no reason is asked for. */
export function WarningList({ warnings }: { warnings: readonly Warning[] }) {
  const say = useSay()
  const textOf = useWarningText()
  if (warnings.length === 0) return null
  return (
    <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {warnings.map((warning) => (
        <Paper
          key={warning.key}
          component="li"
          withBorder
          p="sm"
          style={{ borderInlineStart: `4px solid var(--mantine-color-${isGrave(warning) ? 'red' : 'yellow'}-7)` }}
        >
          <Group gap="xs" align="flex-start" wrap="nowrap">
            <StatusBadge tone={isGrave(warning) ? 'bad' : 'warning'}>{say(`safety.kind.${warning.kind}`)}</StatusBadge>
            <Text size="sm">
              <bdi>{textOf(warning)}</bdi>
            </Text>
          </Group>
        </Paper>
      ))}
    </Stack>
  )
}
