import { Alert, Stack, Text } from '@mantine/core'
import { use } from 'react'
import { useFormatter } from 'use-intl'
import { useQuery } from '~/client/query'
import { DayBox } from '~/fields/DayBox'
import { readDay } from '~/fields/day'
import { useSay } from '~/shared/say'
import { addDays } from '~/shared/zone'
import { useToday } from '~/ui/clock'
import { useDayText } from '~/ui/Day'
import { FormContext } from '~/ui/FormField'

type Props = {
  value: string | null
  onChange: (day: string | null) => void
  clinicId: string
  error?: string
  disabled?: boolean
}

/** The day on which it happened, if that is not today, and what entering it now means for closed reports. */
export function EarlierDay({ value, onChange, clinicId, error, disabled }: Props) {
  const say = useSay()
  return (
    <Stack gap="xs" maw="24rem">
      <DayBox
        label={say('earlierDay.day')}
        description={say('earlierDay.hint')}
        value={value}
        onChange={onChange}
        error={error}
        disabled={disabled}
      />
      <ClosedReports clinicId={clinicId} day={value} />
    </Stack>
  )
}

/** The same for a dialog whose form has the day as a field. */
export function ClosedReportsOfForm({ clinicId, name }: { clinicId: string; name: string }) {
  const form = use(FormContext)
  const day = form?.draft[name]
  return <ClosedReports clinicId={clinicId} day={typeof day === 'string' ? day : null} />
}

/** Says which reports of an earlier day are closed: their numbers stay. */
export function ClosedReports({ clinicId, day: typed }: { clinicId: string; day: string | null }) {
  const say = useSay()
  const today = useToday()
  const periodName = usePeriod()
  const read = readDay(typed ?? '')
  const day = read && 'day' in read ? read.day : null
  const { data } = useQuery('reports.closedOn', day && day < today ? { clinicId, day } : null)
  if (!data || data.length === 0) return null
  return (
    <Alert color="yellow" variant="light">
      {data.map(({ name, first, last }) => (
        <Text size="sm" key={`${name} ${first} ${last}`}>
          {say({
            key: 'earlierDay.closed',
            values: { period: periodName(first, last), report: name },
          })}
        </Text>
      ))}
    </Alert>
  )
}

/** "October 2026" for a whole month, else the first and the last day. */
function usePeriod() {
  const format = useFormatter()
  const dayText = useDayText()
  return (first: string, last: string) => {
    if (first.endsWith('-01') && addDays(last, 1) === monthAfter(first))
      return format.dateTime(new Date(`${first}T00:00:00Z`), {
        month: 'long',
        year: 'numeric',
        timeZone: 'UTC',
      })
    if (first === last) return dayText(first)
    return `${dayText(first)} – ${dayText(last)}`
  }
}

const monthAfter = (first: string) => `${addDays(first, 31).slice(0, 7)}-01`
