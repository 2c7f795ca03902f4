import { Button, Group } from '@mantine/core'
import { useFormatter } from 'use-intl'
import { useSay } from '~/shared/say'

type Props = { days: readonly string[]; onChoose: (day: string) => void; disabled?: boolean }

/** Asks which of two days 12/3/1985 means. */
export function WhichDay({ days, onChoose, disabled }: Props) {
  const say = useSay()
  const inWords = useInWords()
  return (
    <Group component="fieldset" gap={6} mt={4} p={0} bd={0} aria-label={say('validation.whichDay')}>
      {days.map((day) => (
        <Button
          key={day}
          size="compact-sm"
          variant="default"
          onClick={() => onChoose(day)}
          disabled={disabled}
        >
          {inWords(day)}
        </Button>
      ))}
    </Group>
  )
}

export function useInWords() {
  const format = useFormatter()
  return (day: string) =>
    format.dateTime(new Date(`${day}T00:00:00Z`), { dateStyle: 'long', timeZone: 'UTC' })
}
