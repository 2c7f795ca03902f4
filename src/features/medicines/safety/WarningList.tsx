import { Group, Paper, Stack } from '@mantine/core'
import { useSay } from '~/shared/say'
import { StatusBadge } from '~/ui/StatusBadge'
import { warningEdgeStyle, warningGravity, LevelBadge } from './LevelBadge'
import type { Warning } from './rules/warning'
import { WarningText } from './WarningText'

/** Read-only warnings, without a request for reasons. */
export function WarningList({ warnings }: { warnings: readonly Warning[] }) {
  const say = useSay()
  if (warnings.length === 0) return null
  return (
    <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {warnings.map((warning) => {
        const gravity = warningGravity(warning)
        return (
          <Paper
            key={warning.key}
            component="li"
            withBorder
            p="sm"
            style={warningEdgeStyle(gravity)}
          >
            <Stack gap={4}>
              <Group gap="xs">
                <LevelBadge gravity={gravity} />
                {gravity !== 'unchecked' && (
                  <StatusBadge tone="quiet">{say(`safety.kind.${warning.kind}`)}</StatusBadge>
                )}
              </Group>
              <WarningText warning={warning} />
            </Stack>
          </Paper>
        )
      })}
    </Stack>
  )
}
