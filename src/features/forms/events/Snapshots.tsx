import { Group, Paper, Stack, Text } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { EventAnswers } from './EventAnswers'
import type { ShownEvent } from './events.server'

/** How the patient is, by the newest answers to each form that describes it, with the day that they are of. */
export function Snapshots({ events }: { events: readonly ShownEvent[] }) {
  const say = useSay()
  const format = useFormatter()
  return (
    <Stack gap="sm">
      {events.map((event) => (
        <Paper key={event.id} withBorder p="md" component="article">
          <Group justify="space-between" mb="xs" gap="xs">
            <Text component="h3" size="sm" fw={600}>
              <LinkAnchor inherit to="/app/events/$eventId" params={{ eventId: event.id }}>
                <bdi>{event.title}</bdi>
              </LinkAnchor>
            </Text>
            <Text size="xs" c="dimmed">
              {say({
                key: 'events.asOf',
                values: { when: format.dateTime(event.happened_at, { dateStyle: 'medium' }) },
              })}
            </Text>
          </Group>
          <EventAnswers {...event} />
        </Paper>
      ))}
    </Stack>
  )
}
