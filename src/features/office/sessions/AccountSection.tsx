import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { type Sayable, useSay } from '~/shared/say'

type Props = { title: Sayable; lead?: ReactNode; aside?: ReactNode; children: ReactNode }

/** A section of the account page: heading, description and controls. */
export function AccountSection({ title, lead, aside, children }: Props) {
  const say = useSay()
  const id = useId()
  return (
    <Paper
      withBorder
      radius="md"
      p={{ base: 'md', sm: 'lg' }}
      component="section"
      aria-labelledby={id}
    >
      <Stack gap="md">
        <div>
          <Group justify="space-between" gap="xs">
            <Title order={2} size="h3" id={id}>
              {say(title)}
            </Title>
            {aside}
          </Group>
          {lead && (
            <Text size="sm" c="dimmed" mt={4}>
              {lead}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  )
}
