import { Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { Moment } from '~/ui/Moment'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import type { MessageState } from './message'
import type { MessageSendingError } from './sending'

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
    error: MessageSendingError | null
    /** In the words of the gateway. */
    reason: string | null
    may_have_arrived: boolean
  }
  dayOnly?: boolean
}

/** What became of a message, and since when. */
export function MessageStateText({ message, dayOnly }: Props) {
  const { state, state_at, error, reason, may_have_arrived } = message
  const say = useSay()
  const isUnconfirmed = may_have_arrived && (state === 'failed' || state === 'cancelled')
  return (
    <Stack gap={2} align="flex-start">
      <StatusBadge tone={TONES[state]} isLong>
        {say(
          isUnconfirmed && state === 'failed'
            ? 'messages.state_unconfirmed'
            : `messages.state_${state}`,
        )}
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
      {isUnconfirmed && (
        <Text size="xs" c="dimmed">
          {say('messages.mayHaveArrived')}
        </Text>
      )}
    </Stack>
  )
}
