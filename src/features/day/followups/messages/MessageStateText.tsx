import { Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import type { MessageState } from './message'
import type { SendingError } from './sending'

const TONES: Record<MessageState, Tone> = {
  copied: 'plain',
  printed: 'plain',
  queued: 'warning',
  sent: 'good',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'quiet',
}

type Props = {
  message: {
    state: MessageState
    state_at: Date
    error: SendingError | null
    /** In the words of the gateway. */
    reason: string | null
  }
  dayOnly?: boolean
}

/** What became of a message, and since when. */
export function MessageStateText({ message: { state, state_at, error, reason }, dayOnly }: Props) {
  const say = useSay()
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone={TONES[state]} isLong>
        {say(`messages.state_${state}`)}
      </StatusBadge>
      <Text size="xs" c="dimmed">
        <Moment at={state_at} dayOnly={dayOnly} />
      </Text>
      {error && (
        <Text size="xs" c="dimmed">
          {say(`messages.error_${error}`)}
          {reason && (
            <>
              {' · '}
              <bdi dir="ltr">{reason}</bdi>
            </>
          )}
        </Text>
      )}
    </Stack>
  )
}
