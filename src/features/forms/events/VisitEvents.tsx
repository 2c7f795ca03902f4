import { Group, Stack, Text } from '@mantine/core'
import { LinkAnchor } from '~/client/links'
import { useSay } from '~/shared/say'
import { RecordedBy } from '~/ui/RecordedBy'
import { EventAnswers } from './EventAnswers'
import type { ShownEvent } from './events.server'

type Props = { events: readonly ShownEvent[]; heading?: 'h3' | 'h4' }

/** The forms that were filled in during a visit, each with its answers; its name leads to its own page. */
export function VisitEvents({ events, heading = 'h3' }: Props) {
  const say = useSay()
  if (events.length === 0) return null
  return (
    <Stack gap="sm">
      {events.map((event) => (
        <section key={event.id}>
          <Group gap="xs" mb={4}>
            <Text component={heading} size="sm" fw={600}>
              <LinkAnchor inherit to="/app/events/$eventId" params={{ eventId: event.id }}>
                <bdi>{event.title || say('events.one')}</bdi>
              </LinkAnchor>
            </Text>
            {event.recorded_by && (
              <Text size="xs" c="dimmed" component="div">
                <RecordedBy name={event.recorded_by} sentBy={event.sent_by} />
              </Text>
            )}
          </Group>
          <EventAnswers {...event} />
        </section>
      ))}
    </Stack>
  )
}
