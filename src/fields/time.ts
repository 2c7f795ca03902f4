import { latinDigits } from './typed'

/** Before noon and after it, in English, Spanish and Arabic. */
const morning = /^(a|am|ص|صباحا)$/
const afternoon = /^(p|pm|م|مساء)$/

const withSeparator = /^(\d{1,2})\s*[:.,h٫]\s*(\d{2})(?::[0-5]\d)?\s*h?\s*(\D*)$/
const digitsOnly = /^(\d{1,2})(\d{2})\s*(\D*)$/
const hourOnly = /^(\d{1,2})\s*(\D+)$/

/**
 * The time (`HH:mm`) of people who type 14:30, 14:30:00, 14.30, 1430, 14h30, 2:30 pm, 2 p. m. or ٢:٣٠ م; null when it
 * is no time. A number alone is none: "2" may be at night or after noon.
 */
export function readTime(typed: string): string | null {
  const text = latinDigits(typed).trim().toLowerCase()
  const [, hours = '', minutes = '', rest = ''] =
    withSeparator.exec(text) ?? digitsOnly.exec(text) ?? wholeHour(hourOnly.exec(text)) ?? []
  const half = rest.replace(/[.\s\u064B-\u0652]/g, '')
  const isMorning = morning.test(half)
  const isAfternoon = afternoon.test(half)
  if (hours === '' || (half !== '' && !isMorning && !isAfternoon)) return null
  const hour = hourOfDay(Number(hours), isMorning, isAfternoon)
  if (hour === null || Number(minutes) > 59) return null
  return `${String(hour).padStart(2, '0')}:${minutes}`
}

/** 0 to 23; null for 25, and for "14 am" or "0 pm". */
function hourOfDay(hour: number, isMorning: boolean, isAfternoon: boolean): number | null {
  if (hour > 23 || (isMorning && hour > 12) || (isAfternoon && hour === 0)) return null
  if (isMorning) return hour % 12
  return isAfternoon && hour < 12 ? hour + 12 : hour
}

/** "2 pm": an hour whose half of the day is said. */
const wholeHour = (found: RegExpExecArray | null) => found && [found[0], found[1], '00', found[2]]
