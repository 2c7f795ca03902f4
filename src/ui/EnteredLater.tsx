import { Text } from '@mantine/core'
import { useSay } from '~/shared/say'
import { useDayText } from './Day'

/** Who entered something later than it happened, and on which day; nothing if it was entered in time. */
export function EnteredLater({ on, by }: { on: string | null; by: string | null }) {
  const say = useSay()
  const dayText = useDayText()
  if (!on) return null
  return (
    <Text size="xs" c="dimmed" component="div">
      {say({
        key: by ? 'earlierDay.enteredBy' : 'earlierDay.entered',
        values: { user: by ?? '', day: dayText(on) },
      })}
    </Text>
  )
}
