import { dayFrom, latinDigits } from '~/fields/typed'
import type { Message } from '~/shared/errors'
import { clinicTimeZone, dayIn as dayInZone, momentAt } from '~/shared/zone'
import { dayIn, isAmbiguous } from '../patients-file/date-format'
import { type ColumnFormats, dateFormatIn } from '../reader/formats'

/** When it happened. Without a time in the file it is the middle of the day, or now where that has not come. */
export type When = { day: string; at: Date; hasTime: boolean }

type Columns = { headings: Readonly<Record<string, string>>; formats: ColumnFormats }

const CLOCK = /(?:^|[T ])(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?: ?([ap])\.? ?m\.?)?(Z)?$/i

/** The day and the time of a row, in the zone of the clinic: in one column, or the time in `time`. */
export function whenIn(
  cells: Readonly<Record<string, string>>,
  target: string,
  { headings, formats }: Columns,
): When | { refused: Message } {
  const cell = cells[target] ?? ''
  const column = headings[target] ?? target
  const refuse = (key: Message['key'], value = cell) => ({
    refused: { key, values: { value: value.slice(0, 60), column } },
  })
  if (!cell) return { refused: { key: 'imports.reasons.missing', values: { column } } }
  const format = dateFormatIn(formats, headings[target])
  if (!format && isAmbiguous(cell)) return refuse('imports.reasons.dateFormat')
  const year = new Date().getUTCFullYear() + 5
  const text = latinDigits(cell).trim()
  const dayText = text.replace(CLOCK, '').trim()
  const day =
    (format && dayIn(format, dayText, year)) ??
    dayIn('YYYY-MM-DD', dayText, year) ??
    dayFrom(dayText)
  if (!day) return refuse('imports.reasons.date')
  const clock = CLOCK.exec(cells['time'] ? latinDigits(cells['time']).trim() : text)
  if (cells['time'] && !clock) return refuse('imports.reasons.time', cells['time'])
  if (!clock) {
    const noon = momentAt(`${day}T12:00`, clinicTimeZone())!
    const isToday = day === dayInZone(new Date(), clinicTimeZone())
    return { day, at: isToday && noon.getTime() > Date.now() ? new Date() : noon, hasTime: false }
  }
  const [, hours = '', minutes, half, isUtc] = clock
  const hour = half ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hours)
  const wall = `${day}T${String(hour).padStart(2, '0')}:${minutes}`
  const at = isUtc ? new Date(`${wall}:00Z`) : momentAt(wall, clinicTimeZone())
  if (!at || Number.isNaN(at.getTime()) || hour > 23)
    return refuse('imports.reasons.time', clock[0].trim())
  return { day: isUtc ? dayInZone(at, clinicTimeZone()) : day, at, hasTime: true }
}
