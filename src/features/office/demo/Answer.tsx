import { Code, Paper, Text } from '@mantine/core'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'

/** What came out, as a program sees it. */
export function Answer({ label, value }: { label: MessageKey; value: unknown }) {
  const say = useSay()
  return (
    <Paper withBorder p="md" component="section" aria-live="polite">
      <Text size="sm" fw={600} mb="xs">
        {say(label)}
      </Text>
      <Code block dir="ltr" tabIndex={0}>
        {JSON.stringify(value, null, 2)}
      </Code>
    </Paper>
  )
}
