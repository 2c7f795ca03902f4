import { Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { Nothing } from './columns'
import { Moment } from './Moment'

type Props = {
  name: string | null
  /** Whose phone sent it, if that is another user. */
  sentBy?: string | null
  at?: Date
}

/** Who recorded something, who sent it, and the day. */
export function RecordedBy({ name, sentBy, at }: Props) {
  const say = useSay()
  return (
    <>
      {name ? <bdi>{name}</bdi> : <Nothing />}
      {at && (
        <>
          {' · '}
          <Moment at={at} dayOnly />
        </>
      )}
      {sentBy && (
        <Text size="xs" c="dimmed" component="div">
          {say({ key: 'common.sentBy', values: { name: sentBy } })}
        </Text>
      )}
    </>
  )
}
