import { certainDay } from '~/fields/day'
import { dayFrom, latinDigits } from '~/fields/typed'
import type { Message } from '~/shared/errors'
import { clinicTimeZone, dayIn as dayInZone, momentAt } from '~/shared/zone'
import { parseFormattedDay, isAmbiguous } from '../patients-file/date-format'
import { type ColumnFormats, dateFormatIn } from '../reader/formats'

/** When it happened. Without a time in the file it is the middle of the day, or now where that has not come. */
export type When = { day: string; at: Date; hasTime: boolean }

type Columns = { headings: Readonly<Record<string, string>>; formats: ColumnFormats }

const CLOCK =
  /(?:^|[T ]+)(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?: ?([ap])\.? ?m\.?)?(?: ?(Z|UTC|[+-]\d{2}(?::?\d{2})?))?$/i
/** A day of a spreadsheet as its number, with the time as a part of the day. */
const SERIAL = /^(\d{5})\.(\d+)$/

/** The day and the time of a row, in the zone of the clinic: in one column, or the time in `time`. */
export function whenIn(
  cells: Readonly<Record<string, string>>,
  target: string,
  { headings, formats }: Columns,
): When | { refused: Message } {
  const cell = cells[target] ?? ''
  const column = headings[target] ?? target
  const refuse = (key: Message['key'], value = cell, of = column) => ({
    refused: { key, values: { value: value.slice(0, 60), column: of } },
  })
  if (!cell) return { refused: { key: 'imports.reasons.missing', values: { column } } }
  const format = dateFormatIn(formats, headings[target])
  const year = new Date().getUTCFullYear() + 5
  const typed = latinDigits(cell).trim()
  const text = format === 'excel' ? withTime(typed) : typed
  const dayText = text.replace(CLOCK, '').trim()
  // a rest that is no time of day must not be taken for a day without a time
  if (dayText.includes(':')) return refuse('imports.reasons.time')
  const certain = format ? null : certainDay(dayText)
  if (!format && !certain && isAmbiguous(dayText)) return refuse('imports.reasons.dateFormat')
  // a cell in another order than the chosen one may be another day
  const day =
    (format && parseFormattedDay(format, dayText, year)) ??
    parseFormattedDay('YYYY-MM-DD', dayText, year) ??
    (format ? null : (certain ?? dayFrom(dayText)))
  if (!day) return refuse('imports.reasons.date')
  const clock = CLOCK.exec(cells['time'] ? latinDigits(cells['time']).trim() : text)
  const timeColumn = cells['time'] ? (headings['time'] ?? column) : column
  if (cells['time'] && !clock) return refuse('imports.reasons.time', cells['time'], timeColumn)
  if (!clock) {
    const noon = momentAt(`${day}T12:00`, clinicTimeZone())!
    const isToday = day === dayInZone(new Date(), clinicTimeZone())
    return { day, at: isToday && noon.getTime() > Date.now() ? new Date() : noon, hasTime: false }
  }
  const [, hours = '', minutes, half, offset] = clock
  const hour = half ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hours)
  const wall = `${day}T${String(hour).padStart(2, '0')}:${minutes}`
  const at = offset ? new Date(`${wall}:00${isoOffset(offset)}`) : momentAt(wall, clinicTimeZone())
  if (!at || Number.isNaN(at.getTime()) || hour > 23)
    return refuse('imports.reasons.time', clock[0].trim(), timeColumn)
  return { day: offset ? dayInZone(at, clinicTimeZone()) : day, at, hasTime: true }
}

/** +03 and +0300 as `Date` reads them. */
const isoOffset = (offset: string) =>
  /^[zu]/i.test(offset) ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(3).replace(':', '') || '00'}`

/** "46082.39583" as "46082 09:30". */
function withTime(text: string): string {
  const [, days, part] = SERIAL.exec(text) ?? []
  if (part === undefined || Number(part) === 0) return text
  const minutes = Math.min(Math.round(Number(`0.${part}`) * 24 * 60), 24 * 60 - 1)
  return `${days} ${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}
