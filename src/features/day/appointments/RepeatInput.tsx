import { Group, Stack, Switch, Text } from '@mantine/core'
import { useFormatter, useTimeZone } from 'use-intl'
import { DayBox } from '~/fields/DayBox'
import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import { dayIn } from '~/shared/zone'
import { useOwnField } from '~/ui/FormField'
import { NumberBox } from '~/ui/NumberBox'
import { dayLater, MOST_REPEATS, occurrences, Repeat, REPEAT_UNITS } from './recurrence'

type Props = {
  first: Date | null
  repeat: Repeat | null
  onChange: (repeat: Repeat | null) => void
}

const labels = {
  day: 'appointments.unitDay',
  week: 'appointments.unitWeek',
  month: 'appointments.unitMonth',
} as const

/** Books a series at once, and shows how many appointments it makes. */
export function RepeatInput({ first, repeat, onChange: onChanged }: Props) {
  const say = useSay()
  const timeZone = useTimeZone() ?? 'UTC'
  const { error, corrected } = useOwnField('repeat')
  function onChange(next: Repeat | null) {
    corrected()
    onChanged(next)
  }
  const change = (values: Partial<Repeat>) => repeat && onChange({ ...repeat, ...values })
  const number = (name: 'every' | 'count', max: number) => (
    <NumberBox
      label={say(`appointments.${name}`)}
      value={repeat?.[name]}
      onChange={(value) => change({ [name]: value === '' ? undefined : value })}
      min={1}
      max={max}
      isWhole
      w="7rem"
    />
  )
  return (
    <Stack gap="xs">
      <Switch
        label={say('appointments.repeat')}
        checked={repeat !== null}
        onChange={(event) =>
          onChange(event.currentTarget.checked ? { every: 1, unit: 'week', count: 4 } : null)
        }
      />
      {repeat && (
        <Group align="flex-end" gap="sm">
          {number('every', 52)}
          <PickList
            label={say('appointments.unit')}
            value={repeat.unit}
            onChange={(unit) => unit && change({ unit: unit as Repeat['unit'] })}
            data={REPEAT_UNITS.map((value) => ({ value, label: say(labels[value]) }))}
            allowDeselect={false}
            w="8rem"
          />
          <PickList
            label={say('appointments.ends')}
            value={repeat.until === undefined ? 'count' : 'until'}
            onChange={(ends) =>
              change(
                ends === 'until'
                  ? {
                      count: undefined,
                      until: dayLater(dayIn(first ?? new Date(), timeZone), 1, 'month'),
                    }
                  : { count: 4, until: undefined },
              )
            }
            data={[
              { value: 'count', label: say('appointments.endsCount') },
              { value: 'until', label: say('appointments.endsUntil') },
            ]}
            allowDeselect={false}
            w="14rem"
          />
          {repeat.until === undefined ? (
            number('count', MOST_REPEATS)
          ) : (
            <DayBox
              label={say('appointments.until')}
              value={repeat.until}
              // an invalid day is refused beside the repetition on save
              onChange={(until) => change({ until: until ?? '' })}
              w="12rem"
            />
          )}
        </Group>
      )}
      {repeat && first && <Preview first={first} repeat={repeat} />}
      {error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {say(error)}
        </Text>
      )}
    </Stack>
  )
}

function Preview({ first, repeat }: { first: Date; repeat: Repeat }) {
  const say = useSay()
  const format = useFormatter()
  const timeZone = useTimeZone() ?? 'UTC'
  if (!Repeat.safeParse(repeat).success) return null
  const times = occurrences(first, repeat, timeZone)
  const day = format.dateTime(times.at(-1)!, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })
  return (
    <Text size="sm" c="dimmed" aria-live="polite">
      {say({ key: 'appointments.repeatSays', values: { count: times.length, day } })}
    </Text>
  )
}
