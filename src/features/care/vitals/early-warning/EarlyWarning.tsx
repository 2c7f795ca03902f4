import { Text } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'
import type { News2 } from './early-warning'

/** The points of one measurement: a total only of all parts, otherwise "at least", with what is missing. */
export function EarlyWarning({ news2 }: { news2: News2 }) {
  const say = useSay()
  const format = useFormatter()
  const { total, red, missing } = news2
  const isUrgent = total >= 5 || red
  return (
    <>
      <Text span fw={600} c={isUrgent ? 'red.9' : undefined}>
        {missing.length > 0
          ? say({ key: 'vitals.news2AtLeast', values: { total } })
          : format.number(total)}
      </Text>
      {missing.length > 0 && (
        <Text size="xs" c="dimmed">
          {say({
            key: 'vitals.news2Missing',
            values: {
              parts: missing
                .map((part) => say(`vitals.news2_${part}`))
                .join(say('immunizations.listSeparator')),
            },
          })}
        </Text>
      )}
    </>
  )
}
