import { Box, Group, Text } from '@mantine/core'
import { use, useState } from 'react'
import { useFormatter, useTimeZone } from 'use-intl'
import { certainDay } from '~/fields/day'
import { DayBox } from '~/fields/DayBox'
import { readTime } from '~/fields/time'
import { type Sayable, useSay } from '~/shared/say'
import { wallTime } from '~/shared/zone'
import { FormContext, useOwnField } from './FormField'
import { TimeBox } from './TimeBox'

type BoxesProps = {
  /** Of the box for the day; the other one is "Time". */
  label: Sayable
  /** As the clinic's clock shows it, `2026-03-01T09:30`. */
  value: string
  /** The same; while one of the boxes holds no day or no time, the two texts as typed; "" for two empty boxes. */
  onChange: (wall: string) => void
  error?: string
  /** What to look at again before saving; said below the boxes, and to screen readers. */
  notice?: Sayable | null
  required?: boolean
  disabled?: boolean
}
type Props = Pick<BoxesProps, 'label' | 'value' | 'onChange' | 'notice'> & {
  /** Its path in the errors of the form around it. */
  name: string
}

/** A day and a time on the clinic's clock, of the form around it. */
export function MomentInput({ name, onChange, ...props }: Props) {
  const say = useSay()
  const { error, corrected } = useOwnField(name)
  const isSaving = use(FormContext)?.disabled
  function change(next: string) {
    corrected()
    onChange(next)
  }
  const box = { ...props, onChange: change, error: error && say(error), disabled: isSaving }
  return <MomentBoxes {...box} required />
}

/**
 * A wall time beside the fields of a form, with the notice of its box. Untouched it follows what is stored; typed, it
 * stays, and the notice says what another user has stored meanwhile. The last of the tuple takes what is stored.
 */
export function useStoredMoment(stored: Date | undefined, first: () => string) {
  const timeZone = useTimeZone() ?? 'UTC'
  const format = useFormatter()
  const now = stored && wallTime(stored, timeZone)
  const [{ wall, seen, isContested }, set] = useState(() => ({
    wall: now ?? first(),
    seen: now,
    isContested: false,
  }))
  if (now && now !== seen)
    set({ wall: wall === seen ? now : wall, seen: now, isContested: wall !== seen })
  const change = (next: string) => set((all) => ({ ...all, wall: next }))
  const meanwhile: Sayable | null =
    isContested && stored && wall !== now
      ? {
          key: 'form.storedMeanwhile',
          values: { time: format.dateTime(stored, { dateStyle: 'medium', timeStyle: 'short' }) },
        }
      : null
  const takeStored = () => change(now ?? wall)
  return [wall, change, meanwhile, takeStored] as const
}

type Parts = readonly [day: string, time: string]

/** The product's date box, and beside it a box for the time. */
export function MomentBoxes(props: BoxesProps) {
  const { label, value, onChange, error, notice, required, disabled } = props
  const say = useSay()
  const [typed, setTyped] = useState(() => split(value))
  // a value set from outside replaces what was typed
  const [day, time] = joined(typed) === value ? typed : split(value)
  function change(next: Parts) {
    setTyped(next)
    onChange(joined(next))
  }
  /** A moment that was copied from elsewhere fills both boxes. */
  const changeDay = (next: string) => change(pasted.test(next) ? split(next) : [next, time])
  const isErrorOfTime = certainDay(day) !== null && readTime(time) === null
  return (
    <div>
      <Group gap="sm" align="flex-start">
        <Box flex={1} miw="8.5rem">
          <DayBox
            label={say(label)}
            value={day}
            onChange={(next) => changeDay(next ?? '')}
            error={isErrorOfTime ? undefined : error}
            description={say('form.dateHint')}
            withAsterisk={required}
            aria-required={required}
            disabled={disabled}
          />
        </Box>
        <TimeBox
          value={time}
          onChange={(next) => change([day, next])}
          error={isErrorOfTime ? error : undefined}
          required={required}
          disabled={disabled}
        />
      </Group>
      <Text size="xs" fw={500} aria-live="polite">
        {notice && say(notice)}
      </Text>
    </div>
  )
}

const pasted = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/

function split(wall: string): Parts {
  return pasted.test(wall) ? [wall.slice(0, 10), wall.slice(11, 16)] : [wall, '']
}

function joined([day, time]: Parts): string {
  const [readable, clock] = [certainDay(day), readTime(time)]
  return readable && clock ? `${readable}T${clock}` : `${day} ${time}`.trim()
}
