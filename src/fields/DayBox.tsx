import { ActionIcon, Popover, TextInput, type TextInputProps } from '@mantine/core'
import type { DatePickerProps } from '@mantine/dates'
import { IconCalendar } from '@tabler/icons-react'
import { type ComponentType, useState } from 'react'
import type { MessageKey } from '~/shared/language'
import { useSay } from '~/shared/say'
import { type OfMonth, readDay } from './day'
import { selectsWhole } from './selects-whole'
import { useInWords, WhichDay } from './WhichDay'

type Props = Omit<TextInputProps, 'value' | 'onChange' | 'error'> & {
  /** `yyyy-MM-dd`, or the text that is no day. */
  value: string | null | undefined
  /**
   * The day that was typed, the text itself when it is none: nothing that was typed is lost. Null
   * when the box is empty.
   */
  onChange: (value: string | null) => void
  error?: string
  month?: OfMonth
  /** How a day that was read is said below the box; `{day}` in it. */
  readAs?: MessageKey
}

/** A day, typed in any unambiguous form or picked. The text below the input says how it was read. */
export function DayBox({
  value,
  onChange,
  error,
  month,
  readAs,
  onBlur,
  description,
  ...look
}: Props) {
  const say = useSay()
  const inWords = useInWords()
  const [typed, setTyped] = useState<string>()
  const [isLeft, setLeft] = useState(true)
  const [isOpen, setOpen] = useState(false)
  const [Calendar, setCalendar] = useState<ComponentType<DatePickerProps>>()
  const current = value ?? ''
  // a value set from outside replaces what was typed
  const text = typed !== undefined && meaning(typed, month) === (value || null) ? typed : current
  const read = readDay(text, month)
  const day = read && 'day' in read ? read.day : null
  const [isLoading, setLoading] = useState(false)
  // opened once it is there, so that it takes the focus; a second press meanwhile does not close it
  async function toggle() {
    if (Calendar) return setOpen((wasOpen) => !wasOpen)
    if (isLoading) return undefined
    setLoading(true)
    try {
      const loaded = await import('./kinds/Calendar')
      setCalendar(() => loaded.default)
      setOpen(true)
    } finally {
      setLoading(false)
    }
    return undefined
  }
  const choose = (chosen: string | null) => {
    setTyped(undefined)
    setOpen(false)
    onChange(chosen)
  }
  const own = isLeft && text.trim() !== '' && !read ? say('validation.date') : undefined
  const shown = read && 'either' in read ? say('validation.whichDay') : (error ?? own)
  const readText =
    day && (readAs ? say({ key: readAs, values: { day: inWords(day) } }) : inWords(day))
  return (
    <div>
      <TextInput
        {...look}
        description={<span aria-live="polite">{readText ?? description}</span>}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        error={shown}
        aria-invalid={Boolean(shown) || undefined}
        value={text}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setLeft(false)
          onChange(meaning(event.currentTarget.value, month))
        }}
        onBlur={(event) => {
          setLeft(true)
          onBlur?.(event)
        }}
        onMouseDown={selectsWhole}
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
                aria-label={say('form.openCalendar')}
                aria-haspopup="dialog"
                aria-busy={isLoading || undefined}
                disabled={look.disabled}
                onClick={() => void toggle()}
              >
                <IconCalendar size={16} aria-hidden />
              </ActionIcon>
            </Popover.Target>
            <Popover.Dropdown>
              {Calendar && (
                <Calendar
                  value={day}
                  defaultDate={day ?? undefined}
                  onChange={choose}
                  // days of other months are too faint to read
                  hideOutsideDates
                  // the red of weekends is too faint as well
                  weekendDays={[]}
                  // Escape closes the calendar alone, not the dialog around it
                  __stopPropagation
                  ariaLabels={{
                    previousMonth: say('form.previousMonth'),
                    nextMonth: say('form.nextMonth'),
                    previousYear: say('form.previousYear'),
                    nextYear: say('form.nextYear'),
                    previousDecade: say('form.previousYears'),
                    nextDecade: say('form.nextYears'),
                  }}
                />
              )}
            </Popover.Dropdown>
          </Popover>
        }
      />
      {read && 'either' in read && (
        <WhichDay days={read.either} onChoose={choose} disabled={look.disabled} />
      )}
    </div>
  )
}

/** The value for a text: the day; the text itself if it is no day or ambiguous; null if it is empty. */
function meaning(text: string, month: OfMonth | undefined): string | null {
  if (text.trim() === '') return null
  const read = readDay(text, month)
  return read && 'day' in read ? read.day : text
}
