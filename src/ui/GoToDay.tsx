import { type ComponentProps, useState } from 'react'
import { certainDay } from '~/fields/day'
import { DayBox } from '~/fields/DayBox'

type Props = Omit<ComponentProps<typeof DayBox>, 'value' | 'onChange' | 'error'> & {
  day: string
  onGo: (day: string) => void
}

/** Jumps to a day. Text that is no day yet stays in the box. */
export function GoToDay({ day, onGo, ...look }: Props) {
  const [text, setText] = useState<string | null>(null)
  return (
    <DayBox
      {...look}
      value={text ?? day}
      onChange={(next) => {
        const isDay = next !== null && certainDay(next) === next
        setText(isDay ? null : (next ?? ''))
        if (isDay) onGo(next)
      }}
    />
  )
}
