import { Text } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import { Moment } from '~/ui/Moment'

type Props = { happened_at: Date; created_at: Date }

/** When an event happened; below it the day on which it was typed, if that is another. */
export function EventMoment({ happened_at, created_at }: Props) {
  const say = useSay()
  const format = useFormatter()
  const [happened, typed] = [happened_at, created_at].map((at) => dayIn(at, clinicTimeZone()))
  if (happened === typed) return <Moment at={created_at} />
  return (
    <>
      <Moment at={happened_at} dayOnly />{' '}
      <Text size="xs" c="dimmed" component="span">
        {say({
          key: 'events.recordedLater',
          values: { when: format.dateTime(created_at, { dateStyle: 'medium' }) },
        })}
      </Text>
    </>
  )
}
