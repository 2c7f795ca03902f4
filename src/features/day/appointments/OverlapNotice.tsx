import { Alert, List, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconCalendarExclamation } from '@tabler/icons-react'
import { use } from 'react'
import { useFormatter } from 'use-intl'
import type { Answer } from '~/client/api'
import { useQuery } from '~/client/query'
import { useSay } from '~/shared/say'
import { FormContext } from '~/ui/FormField'
import { TIME_OF_DAY } from '~/ui/clock'
import { DEFAULT_MINUTES } from './appointment'

type Found = Answer<'appointments.overlaps'>
const nothing: Found = { overlaps: [], elsewhere: 0 }
const SETTLE_MS = 300

type Props = { id: string; timestamp: Date | null }

/** Warns that the provider has another appointment at that time; double bookings are allowed. */
export function OverlapNotice({ id, timestamp }: Props) {
  const say = useSay()
  const format = useFormatter()
  const draft = use(FormContext)?.draft
  const found = useOverlaps(id, draft?.['provider_id'], timestamp?.getTime(), draft?.['duration'])
  if (found.overlaps.length + found.elsewhere === 0) return null
  const time = (at: Date) => format.dateTime(at, TIME_OF_DAY)
  return (
    <Alert
      color="yellow"
      role="presentation"
      aria-live="polite"
      icon={<IconCalendarExclamation size={18} aria-hidden />}
      title={
        <Text inherit c="var(--mantine-color-text)">
          {say('appointments.overlaps')}
        </Text>
      }
    >
      <List size="sm">
        {found.overlaps.map(({ id: other, timestamp: at, duration, patient }) => {
          const to = new Date(at.getTime() + (duration ?? DEFAULT_MINUTES) * 60_000)
          const values = { from: time(at), to: time(to), patient }
          return <List.Item key={other}>{say({ key: 'appointments.overlapOf', values })}</List.Item>
        })}
        {found.elsewhere > 0 && (
          <List.Item>
            {say({ key: 'appointments.overlapsElsewhere', values: { count: found.elsewhere } })}
          </List.Item>
        )}
      </List>
      {say('appointments.mayStillBook')}
    </Alert>
  )
}

/** Asks a moment after the last change; if the request fails, there is no warning. */
function useOverlaps(
  id: string,
  provider: unknown,
  at: number | undefined,
  duration: unknown,
): Found {
  const isAskable =
    typeof provider === 'string' &&
    provider !== '' &&
    at !== undefined &&
    typeof duration === 'number'
  const asked = isAskable ? `${provider} ${at} ${duration}` : ''
  const [settled] = useDebouncedValue(asked, SETTLE_MS)
  const { data } = useQuery(
    'appointments.overlaps',
    isAskable && settled === asked
      ? { id, provider_id: provider, timestamp: new Date(at), duration }
      : null,
  )
  return data ?? nothing
}
