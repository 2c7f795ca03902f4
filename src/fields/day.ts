import { dayFrom, latinDigits } from './typed'

/** In English, Spanish and Arabic (both sets of names), by their first letters. */
const months = [
  ['jan', 'ene', 'يناير', 'كانون الثاني'],
  ['feb', 'فبراير', 'شباط'],
  ['mar', 'مارس', 'آذار'],
  ['apr', 'abr', 'أبريل', 'إبريل', 'نيسان'],
  ['may', 'مايو', 'أيار'],
  ['jun', 'يونيو', 'حزيران'],
  ['jul', 'يوليو', 'تموز'],
  ['aug', 'ago', 'أغسطس', 'آب'],
  ['sep', 'set', 'سبتمبر', 'أيلول'],
  ['oct', 'أكتوبر', 'تشرين الأول'],
  ['nov', 'نوفمبر', 'تشرين الثاني'],
  ['dec', 'dic', 'ديسمبر', 'كانون الأول'],
]

/** 1 to 12; null for what is no name of a month. */
export function monthNamed(name: string): number | null {
  // Spanish: 17 de mayo de 1990
  const plain = name.toLowerCase().replace(/^del? /, '')
  const month = months.findIndex((names) => names.some((known) => plain.startsWith(known)))
  return month < 0 ? null : month + 1
}

/** A day (`yyyy-MM-dd`), or the two days that people may mean by 01/02/2027. */
type ReadDay = { day: string } | { either: [dayFirst: string, monthFirst: string] }
/** The day that a month without one means: packages print 12/2027 for the last day on which a medicine may be used. */
export type OfMonth = 'first' | 'last'

const dayMonthYear = /^(\d{1,2})([-/. ])(\d{1,2})\2(\d{4})$/
const eightDigits = /^(\d{2})(\d{2})(\d{4})$/
const dayNameYear = /^(\d{1,2})[-/. ]*(\p{L}[\p{L}. ]*?)[-/., ]*(\d{4})$/u
const nameDayYear = /^(\p{L}[\p{L}. ]*?)[-/. ]*(\d{1,2})[, ]+(\d{4})$/u

/**
 * What people mean who type 2027-12-31, 31/12/2027, 12/31/2027, 31122027, 31 Dec 2027 or, where a
 * month is enough (`month`), 12/27, 12/2027, 2027-12, DEC 27 and 2027-12-00 or 271200, as a GS1
 * code says it. Null when it is no day.
 */
export function readDay(typed: string, month?: OfMonth): ReadDay | null {
  const text = latinDigits(typed).trim()
  if (month) {
    const ofMonth = readMonth(text)
    if (ofMonth) return { day: `${ofMonth}-${month === 'first' ? '01' : lastDayOfMonth(ofMonth)}` }
  }
  const numbers = dayMonthYear.exec(text)
  if (numbers) {
    const [, first, , second, year] = numbers
    return either(dayFrom(`${year}-${second}-${first}`), dayFrom(`${year}-${first}-${second}`))
  }
  const [, day, name, year] = dayNameYear.exec(text) ?? swapped(nameDayYear.exec(text)) ?? []
  const named = name ? monthNamed(name) : null
  if (named) return either(dayFrom(`${year}-${named}-${day}`), null)
  // no year begins before 1900: 31122027 is day, month and year, 20271231 the other way round
  const found = dayFrom(text)
  const isYearFirst = found !== null && found >= '1900'
  if (isYearFirst) return { day: found }
  const [, one, two, ofYear] = eightDigits.exec(text) ?? []
  return ofYear === undefined
    ? either(found, null)
    : either(dayFrom(`${ofYear}-${two}-${one}`), dayFrom(`${ofYear}-${one}-${two}`))
}

/** The day where there is no doubt about it. */
export function certainDay(typed: string, month?: OfMonth): string | null {
  const read = readDay(typed, month)
  return read && 'day' in read ? read.day : null
}

function either(one: string | null, other: string | null): ReadDay | null {
  if (one && other && one !== other) return { either: [one, other] }
  const day = one ?? other
  return day ? { day } : null
}

const swapped = (found: RegExpExecArray | null) => found && [found[0], found[2], found[1], found[3]]

/** `yyyy-MM` of a month; years of two digits are of this century, as on packages. */
export function readMonth(text: string): string | null {
  const [, month, year] =
    /^(\d{1,2})[-/. ](\d{4}|\d{2})$/.exec(text) ??
    reversed(/^(\d{4})[-/. ](\d{1,2})(?:[-/. ]00)?$/.exec(text)) ??
    reversed(/^(\d{2})(\d{2})00$/.exec(text)) ??
    /^(\p{L}[\p{L}. ]*?)[-/., ]*(\d{4}|\d{2})$/u.exec(text) ??
    []
  if (!month || !year) return null
  const number = /^\d+$/.test(month) ? Number(month) : monthNamed(month)
  if (!number || number > 12) return null
  return `${year.length === 2 ? `20${year}` : year}-${String(number).padStart(2, '0')}`
}

const reversed = (found: RegExpExecArray | null) => found && [found[0], found[2], found[1]]

const lastDayOfMonth = (month: string) =>
  String(new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).getUTCDate())
