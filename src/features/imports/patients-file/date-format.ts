import { monthNamed } from '~/fields/day'
import { dayFrom, latinDigits } from '~/fields/typed'

/** How a file writes its days. `excel`: the number of days since the end of 1899, as a spreadsheet keeps them. */
export const DATE_FORMATS = [
  'YYYY-MM-DD',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD/MM/YY',
  'MM/DD/YY',
  'YYYYMMDD',
  'DD MMM YYYY',
  'excel',
] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

const orders: Record<
  Exclude<DateFormat, 'YYYYMMDD' | 'DD MMM YYYY' | 'excel'>,
  readonly [number, number, number]
> = {
  'YYYY-MM-DD': [0, 1, 2],
  'DD/MM/YYYY': [2, 1, 0],
  'MM/DD/YYYY': [2, 0, 1],
  'DD/MM/YY': [2, 1, 0],
  'MM/DD/YY': [2, 0, 1],
}

/** A time after the day, as exports of databases write it, means nothing for a birth. */
const time = /[T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AP]M)?(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * `yyyy-MM-dd` of what a cell says in that format; null when it is no day. Whatever the sign between the numbers, / or
 * - or . or a space. `thisYear` settles years of two digits: nobody is born later.
 */
export function dayIn(format: DateFormat, text: string, thisYear: number): string | null {
  const clean = latinDigits(text).trim().replace(time, '')
  if (format === 'excel') return dayOfSerial(clean)
  if (format === 'YYYYMMDD') return /^\d{8}$/.test(clean) ? dayFrom(clean) : null
  if (format === 'DD MMM YYYY') return dayWithMonthName(clean)
  const parts = clean.split(/[-/. ]/)
  if (parts.length !== 3 || !parts.every((part) => /^\d{1,4}$/.test(part))) return null
  const [year, month, day] = orders[format].map((at) => parts[at]!)
  const whole = fullYear(year!, format, thisYear)
  return whole.length === 4 ? dayFrom(`${whole}-${month}-${day}`) : null
}

function fullYear(year: string, format: DateFormat, thisYear: number) {
  if (!/\bYY$/.test(format) || year.length !== 2) return year
  const century = Math.floor(thisYear / 100) * 100
  return String(
    century + Number(year) > thisYear ? century - 100 + Number(year) : century + Number(year),
  )
}

function dayOfSerial(text: string) {
  if (!/^\d{1,6}(\.\d+)?$/.test(text)) return null
  const days = Math.floor(Number(text))
  // Excel counts a 29 February 1900 that never was
  return new Date(Date.UTC(1899, 11, days < 60 ? 31 : 30) + days * 86_400_000)
    .toISOString()
    .slice(0, 10)
}

function dayWithMonthName(text: string) {
  const [, day, name = '', year] = /^(\d{1,2})[-/. ]+(\D+?)[-/. ,]+(\d{4})$/.exec(text) ?? []
  const month = monthNamed(name)
  return month === null ? null : dayFrom(`${year}-${month}-${day}`)
}

/** Two people read 03/04/1990 as two days: such a file must say which. */
export const isAmbiguous = (text: string) =>
  /^\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}$/.test(latinDigits(text).trim().replace(time, ''))

/** How a command names the order of a date's parts. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** The format of that order, with as many digits of the year as the cells have. */
export function formatOf(order: DateOrder, cells: readonly string[]): DateFormat {
  if (order === 'ymd') return 'YYYY-MM-DD'
  const isShort =
    cells.some((cell) => isAmbiguous(cell)) &&
    cells.every((cell) => !/\d{4}/.test(latinDigits(cell)))
  if (order === 'dmy') return isShort ? 'DD/MM/YY' : 'DD/MM/YYYY'
  return isShort ? 'MM/DD/YY' : 'MM/DD/YYYY'
}

/**
 * What the cells of a whole column can be: one format if only one reads them all (a first number above 12 is a day),
 * ambiguous if two do. A cell that no format reads says nothing.
 */
export function datesOf(cells: readonly string[]): { format?: DateFormat; isAmbiguous: boolean } {
  const filled = cells.filter((cell) => cell.trim())
  if (filled.length > 0 && filled.every((cell) => serial.test(latinDigits(cell).trim())))
    return { format: 'excel', isAmbiguous: false }
  const formats = DATE_FORMATS.filter((format) => format !== 'excel')
  const reads = (format: DateFormat, cell: string) =>
    dayIn(format, cell, 2100) !== null && hasYearOf(format, cell)
  const dates = filled.filter((cell) => formats.some((format) => reads(format, cell)))
  const fitting =
    dates.length > 0 ? formats.filter((format) => dates.every((cell) => reads(format, cell))) : []
  return fitting.length === 1
    ? { format: fitting[0], isAmbiguous: false }
    : { isAmbiguous: fitting.length > 1 }
}

/** 1927 to 2173: five digits, where four would be a year. */
const serial = /^[1-9]\d{4}(\.\d+)?$/
const hasYearOf = (format: DateFormat, cell: string) =>
  /YYYY/.test(format) === /\d{4}/.test(latinDigits(cell))

/** A day, or a day with its time, as `yyyy-MM-dd` or a moment in UTC; unchanged if the format does not read it. */
export function isoIn(format: DateFormat, text: string, thisYear: number): string {
  const day = dayIn(format, text, thisYear)
  if (!day) return text
  const [, hours, minutes, seconds = '00', half] =
    /[T ](\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)? ?([AP]M)?/i.exec(text) ?? []
  if (hours === undefined) return day
  const hour = half ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hours)
  return `${day}T${String(hour).padStart(2, '0')}:${minutes}:${seconds}Z`
}
