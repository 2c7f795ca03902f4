import { ActionIcon, Button, Popover, SimpleGrid, Text, TextInput } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { useState } from 'react'
import { useFormatter } from 'use-intl'
import { selectsWhole } from '~/fields/selects-whole'
import { readTime } from '~/fields/time'
import { useSay } from '~/shared/say'
import { TIME_OF_DAY } from './clock'

type Props = {
  /** As typed. */
  value: string
  onChange: (text: string) => void
  error?: string
  required?: boolean
  disabled?: boolean
}

/** A time, typed in any unambiguous form or picked. The text below the box says how it was read. */
export function TimeBox({ value, onChange, error, required, disabled }: Props) {
  const say = useSay()
  const inWords = useTimeInWords()
  const [isLeft, setLeft] = useState(true)
  const [isOpen, setOpen] = useState(false)
  const time = readTime(value)
  const isUnreadable = isLeft && value.trim() !== '' && time === null
  // the hint itself turns red: another text would move what is below, and a click that leaves the box would miss it
  const hint = time ? inWords(time) : say('form.time.hint')
  const shown = error ?? (isUnreadable ? hint : undefined)
  return (
    <TextInput
      w="8rem"
      label={say('form.time.label')}
      description={shown !== hint && <span aria-live="polite">{hint}</span>}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      error={shown}
      aria-invalid={Boolean(shown) || undefined}
      value={value}
      onChange={(event) => {
        setLeft(false)
        onChange(event.currentTarget.value)
      }}
      onBlur={() => setLeft(true)}
      onMouseDown={selectsWhole}
      withAsterisk={required}
      aria-required={required}
      disabled={disabled}
      dir="ltr"
      autoComplete="off"
      rightSection={
        <Popover
          opened={isOpen}
          onChange={setOpen}
          position="bottom-end"
          trapFocus
          returnFocus
          shadow="md"
        >
          <Popover.Target>
            <ActionIcon
              variant="subtle"
              color="gray"
              c="var(--mantine-color-dimmed)"
              aria-label={say('form.time.open')}
              aria-haspopup="dialog"
              disabled={disabled}
              onClick={() => setOpen((wasOpen) => !wasOpen)}
            >
              <IconClock size={16} aria-hidden />
            </ActionIcon>
          </Popover.Target>
          <Popover.Dropdown>
            <Clock
              time={time}
              onPick={(picked, isDone) => {
                onChange(picked)
                if (isDone) setOpen(false)
              }}
            />
          </Popover.Dropdown>
        </Popover>
      }
    />
  )
}

const two = (number: number) => String(number).padStart(2, '0')
const HOURS = Array.from({ length: 24 }, (_, hour) => two(hour))
const MINUTES = Array.from({ length: 12 }, (_, at) => two(at * 5))

type ClockProps = {
  time: string | null
  /** `isDone` once the minutes are picked. */
  onPick: (time: string, isDone: boolean) => void
}

/** The hours of a day, then the minutes in steps of five. */
function Clock({ time, onPick }: ClockProps) {
  const say = useSay()
  const [hour = '', minute = ''] = time?.split(':') ?? []
  return (
    <div dir="ltr">
      <Choices
        label={say('form.time.hour')}
        numbers={HOURS}
        chosen={hour}
        onPick={(picked) => onPick(`${picked}:${minute || '00'}`, false)}
      />
      <Choices
        label={say('form.time.minutes')}
        numbers={MINUTES}
        chosen={minute}
        // without an hour there is no time yet
        isOff={hour === ''}
        onPick={(picked) => onPick(`${hour}:${picked}`, true)}
      />
    </div>
  )
}

type ChoicesProps = {
  label: string
  numbers: readonly string[]
  chosen: string
  isOff?: boolean
  onPick: (number: string) => void
}

function Choices({ label, numbers, chosen, isOff, onPick }: ChoicesProps) {
  return (
    <fieldset aria-label={label} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
      <Text size="xs" c="dimmed" mt={4} dir="auto" aria-hidden>
        {label}
      </Text>
      <SimpleGrid cols={6} spacing={4} verticalSpacing={4}>
        {numbers.map((number) => (
          <Button
            key={number}
            size="compact-sm"
            variant={number === chosen ? 'filled' : 'default'}
            aria-pressed={number === chosen}
            // Escape closes the clock alone, not the dialog around it
            data-mantine-stop-propagation
            disabled={isOff}
            onClick={() => onPick(number)}
          >
            {number}
          </Button>
        ))}
      </SimpleGrid>
    </fieldset>
  )
}

function useTimeInWords() {
  const format = useFormatter()
  return (time: string) =>
    format.dateTime(new Date(`2000-01-01T${time}:00Z`), { ...TIME_OF_DAY, timeZone: 'UTC' })
}
