import { Code, ScrollArea } from '@mantine/core'
import { useSay } from '~/shared/say'
import { Nothing } from '~/ui/columns'
import { Moment } from '~/ui/Moment'
import type { PhoneValue as Value } from './device'

export type ValueKind = 'text' | 'number' | 'boolean' | 'moment' | 'json'

/**
 * A phone's value for users: a date and time in words, yes or no, structured values as they are.
 */
export function WireValue({
  value,
  kind,
  names = {},
}: {
  value: Value
  kind: ValueKind
  names?: Record<string, string>
}) {
  const say = useSay()
  if (value === null || value === '') return <Nothing />
  if (kind === 'boolean') return say(value ? 'common.yes' : 'common.no')
  if (kind === 'moment') return <Moment at={new Date(Number(value))} />
  if (kind === 'json') {
    return (
      <ScrollArea.Autosize
        mah="12rem"
        viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': say('devices.structured') }}
      >
        <Code block dir="ltr">
          {indented(String(value))}
        </Code>
      </ScrollArea.Autosize>
    )
  }
  return <bdi>{names[String(value)] ?? String(value)}</bdi>
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
