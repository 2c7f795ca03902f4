import { monthNamed, readDay } from '~/fields/day'
import { dayFrom, latinDigits } from '~/fields/typed'

/**
 * The date formats of files. `excel` is the number of days since the end of 1899, as in
 * spreadsheets.
 */
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

/** A time after the date, which database exports add, is ignored. */
const time =
  /[T ]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AP]M)?( ?(?:Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?$/i

/**
 * The date of a cell as `yyyy-MM-dd`; null if it is no date in that format. The separator may be /,
 * -, . or a space. `thisYear` is the latest year for years of two digits.
 */
export function parseFormattedDay(
  format: DateFormat,
  text: string,
  thisYear: number,
): string | null {
  const clean = latinDigits(text).trim().replace(time, '')
  if (format === 'excel') return dayOfSerial(clean)
  if (format === 'YYYYMMDD') return /^\d{8}$/.test(clean) ? dayFrom(clean) : null
  if (format === 'DD MMM YYYY') return dayWithMonthName(clean)
  const parts = splitDate(clean, format)
  if (parts.length !== 3 || !parts.every((part) => /^\d{1,4}$/.test(part))) return null
  const [year, month, day] = orders[format].map((at) => parts[at]!)
  const whole = fullYear(year!, format, thisYear)
  return whole.length === 4 ? dayFrom(`${whole}-${month}-${day}`) : null
}

/** 03041980 has no separators; what is no day of this time there may begin with the year. */
function splitDate(clean: string, format: DateFormat) {
  const [, first, second, year = ''] = /^(\d{2})(\d{2})(\d{4})$/.exec(clean) ?? []
  return first && second && year >= '1900' && /^..\/..\/YYYY$/.test(format)
    ? [first, second, year]
    : clean.split(/[-/. ]/)
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
  // Excel counts 29 February 1900, which did not exist
  return new Date(Date.UTC(1899, 11, days < 60 ? 31 : 30) + days * 86_400_000)
    .toISOString()
    .slice(0, 10)
}

function dayWithMonthName(text: string) {
  const [, day, name = '', year] = /^(\d{1,2})[-/. ]+(\D+?)[-/. ,]+(\d{4})$/.exec(text) ?? []
  const month = monthNamed(name)
  return month === null ? null : dayFrom(`${year}-${month}-${day}`)
}

/** 03/04/1990 and 03041990 have two readings: the user must choose one for the file. */
export function isAmbiguous(text: string): boolean {
  const clean = latinDigits(text).trim().replace(time, '')
  const read = /^\d{8}$/.test(clean) ? readDay(clean) : null
  return /^\d{1,2}[-/. ]\d{1,2}[-/. ]\d{2,4}$/.test(clean) || (read !== null && 'either' in read)
}

/** The names of the orders of day, month and year in commands. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** The format of an order, with the number of year digits that the cells have. */
export function dateFormatForOrder(order: DateOrder, cells: readonly string[]): DateFormat {
  if (order === 'ymd') return 'YYYY-MM-DD'
  const isShort =
    cells.some((cell) => isAmbiguous(cell)) &&
    cells.every((cell) => !/\d{4}/.test(latinDigits(cell)))
  if (order === 'dmy') return isShort ? 'DD/MM/YY' : 'DD/MM/YYYY'
  return isShort ? 'MM/DD/YY' : 'MM/DD/YYYY'
}

/**
 * The format of a whole column: certain if only one format reads all cells (a first number above 12
 * is a day), ambiguous if two do. Cells that no format reads are ignored, and cells with the year in front where others
 * have it at the end: every reader of a date takes them as they are.
 */
export function detectDateFormat(cells: readonly string[]): {
  format?: DateFormat
  isAmbiguous: boolean
} {
  const filled = cells.filter((cell) => cell.trim())
  if (filled.length > 0 && filled.every((cell) => serial.test(latinDigits(cell).trim())))
    return { format: 'excel', isAmbiguous: false }
  const formats = DATE_FORMATS.filter((format) => format !== 'excel')
  const reads = (format: DateFormat, cell: string) =>
    parseFormattedDay(format, cell, 2100) !== null && hasSameYearDigits(format, cell)
  const dates = filled.filter((cell) => formats.some((format) => reads(format, cell)))
  // a year in front has one meaning, beside whatever order the other cells have
  const others = dates.filter((cell) => !reads('YYYY-MM-DD', cell))
  const decisive = others.length > 0 ? others : dates
  const fitting =
    decisive.length > 0
      ? formats.filter((format) => decisive.every((cell) => reads(format, cell)))
      : []
  return fitting.length === 1
    ? { format: fitting[0], isAmbiguous: false }
    : { isAmbiguous: fitting.length > 1 }
}

/** 1927 to 2173: five digits, where four would be a year. */
const serial = /^[1-9]\d{4}(\.\d+)?$/
const hasSameYearDigits = (format: DateFormat, cell: string) =>
  /YYYY/.test(format) === /\d{4}/.test(latinDigits(cell))

/** A date as `yyyy-MM-dd`, or a date and time in UTC; unchanged if the format does not match. */
export function isoIn(format: DateFormat, text: string, thisYear: number): string {
  const day = parseFormattedDay(format, text, thisYear)
  if (!day) return text
  const [, hours, minutes, seconds = '00', half] =
    /[T ](\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)? ?([AP]M)?/i.exec(text) ?? []
  if (hours === undefined) return day
  const hour = half ? (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0) : Number(hours)
  return `${day}T${String(hour).padStart(2, '0')}:${minutes}:${seconds}Z`
}
