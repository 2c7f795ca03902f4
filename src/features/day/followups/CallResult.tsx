import { Stack, Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { Day } from '~/ui/Day'
import { Moment } from '~/ui/Moment'
import type { CallResultCode as Result } from '~/records/call-results'
import type { RemovalReason } from './followup'

type Props = {
  call: {
    result: Result
    reason: RemovalReason | null
    no_answer: boolean | null
    agreed_on: string | null
    remind_on?: string | null
    notes: string | null
    called_at: Date
    caller: string | null
  }
  /** Where no other column says when the call was, and who called. */
  withCaller?: boolean
}

/** What a call came to: its result, the day that was agreed, and the notes. */
export function CallResult({ call, withCaller }: Props) {
  const { result, reason, no_answer, agreed_on, remind_on, notes, called_at, caller } = call
  const say = useSay()
  const day = agreed_on ?? remind_on
  return (
    <Stack gap={0}>
      <Text size="sm">
        {say(`followups.result_${result}`)}
        {reason && ` · ${say(`followups.why_${reason}`)}`}
        {no_answer && ` · ${say('followups.noAnswer')}`}
      </Text>
      {day && (
        <Text size="sm">
          {say(agreed_on ? 'followups.agreedOn' : 'followups.remindOn')}: <Day value={day} />
        </Text>
      )}
      {withCaller && (
        <Text size="xs" c="dimmed">
          <Moment at={called_at} dayOnly />
          {caller && (
            <>
              {' · '}
              <bdi>{caller}</bdi>
            </>
          )}
        </Text>
      )}
      {notes && (
        <Text size="xs" c="dimmed" dir="auto">
          {notes}
        </Text>
      )}
    </Stack>
  )
}
