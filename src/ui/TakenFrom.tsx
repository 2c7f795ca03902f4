import { Text } from '@mantine/core'
import type { FromDocument } from '~/shared/from-document'
import { isolated } from '~/shared/isolated'
import { useSay } from '~/shared/say'
import { useSaidTime } from './said-time'

/** The document of another program that a record was taken from; nothing if it was not. */
export function TakenFrom({ mark }: { mark: FromDocument | null | undefined }) {
  const say = useSay()
  const timeText = useSaidTime()
  if (!mark) return null
  const from = isolated(mark.from ?? mark.file)
  return (
    <Text size="xs" c="dimmed" component="div">
      {say(
        mark.on
          ? {
              key: 'documents.takenFromOn',
              values: { from, day: timeText(mark.on) },
            }
          : { key: 'documents.takenFrom', values: { from } },
      )}
      {mark.when && ` · ${say({ key: 'documents.whenSaid', values: { when: mark.when } })}`}
      {mark.until && ` · ${say({ key: 'documents.untilSaid', values: { until: mark.until } })}`}
    </Text>
  )
}
