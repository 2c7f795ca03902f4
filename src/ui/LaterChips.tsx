import { Button, Group } from '@mantine/core'
import { useSay } from '~/shared/say'
import { dayLater } from '~/shared/zone'
import { useToday } from './clock'

const LATER = [
  { count: 1, unit: 'week', label: 'form.laterWeeks' },
  { count: 2, unit: 'week', label: 'form.laterWeeks' },
  { count: 1, unit: 'month', label: 'form.laterMonths' },
  { count: 3, unit: 'month', label: 'form.laterMonths' },
] as const

type Props = {
  /** The day, `yyyy-MM-dd`: what is chosen already is marked. */
  value: string | null
  onChoose: (day: string) => void
  disabled?: boolean
}

/** Beside a box for a day to come: the days so much later than today, one press each. */
export function LaterChips({ value, onChoose, disabled }: Props) {
  const say = useSay()
  const today = useToday()
  return (
    <Group
      gap={6}
      component="fieldset"
      bd={0}
      p={0}
      m={0}
      miw={0}
      aria-label={say('form.laterFromToday')}
    >
      {LATER.map(({ count, unit, label }) => {
        const day = dayLater(today, count, unit)
        return (
          <Button
            key={`${count} ${unit}`}
            size="compact-sm"
            variant={day === value ? 'filled' : 'default'}
            aria-pressed={day === value}
            onClick={() => onChoose(day)}
            disabled={disabled}
          >
            {say({ key: label, values: { count } })}
          </Button>
        )
      })}
    </Group>
  )
}
