import { addDays, monthsBetween } from '~/shared/zone'
import { certainDay, readDay, readMonth } from './day'
import { dayFrom, latinDigits } from './typed'

/** How exactly a birth is known: to the day, from an age in weeks or months, to the year, or from an age in years. */
export type BirthPrecision = 'day' | 'week' | 'month' | 'year' | 'age'
/**
 * `day` is `yyyy-MM-dd`: the middle of the possible days for an age in weeks or months, 1 January
 * for a year, 1 July for an age in years.
 */
export type Birth = {
  day: string
  precision: BirthPrecision
  /** Completed weeks of pregnancy at the birth, if they are recorded. */
  weeksAtBirth?: number | null
}

/**
 * Corrected age: the age less the weeks before 40 at which the child was born (American Academy of Pediatrics, Age
 * terminology during the perinatal period, Pediatrics 2004;114:1362-1364).
 */
const TERM_WEEKS = 40
const PRETERM_BEFORE = 37
/** Growth of most preterm children is plotted by corrected age until two years (MCHB and CDC growth chart training). */
const CORRECTED_MONTHS = 24

/** By how many days the corrected age is below the age on that day; 0 where there is none to correct. */
export function correctionOn({ day, weeksAtBirth }: Birth, on: string): number {
  if (!weeksAtBirth || weeksAtBirth >= PRETERM_BEFORE) return 0
  return monthsBetween(day, on) < CORRECTED_MONTHS ? (TERM_WEEKS - weeksAtBirth) * 7 : 0
}

export const FIRST_BIRTH_DAY = '1900-01-01'
const OLDEST = 130

/** An age, with or without its unit in one of the three languages: 34, 34y, 34 años, ٣٤ سنة. */
const ageShape = /^(\d{1,3})\s*(y|yr|yrs|years?|years? old|a|años?|سنة|سنوات|عام|عاما|عامًا)?$/iu
/** An age of a small child, the unit spelled out or as its first letter: 8 months, 3 semanas, ١٠ أيام. */
const YOUNG_UNITS = {
  month: /^(m|mo|mos|mth|mths|months?|mes|meses|شهر|شهرا|شهرًا|أشهر|اشهر|شهور)$/iu,
  week: /^(w|wk|wks|weeks?|sem|semanas?|أسبوع|اسبوع|أسبوعا|أسبوعًا|أسابيع|اسابيع)$/iu,
  day: /^(d|days?|días?|dias?|يوم|يوما|يومًا|أيام|ايام)$/iu,
} as const
const youngShape = /^(\d{1,3})\s*(\p{L}[\p{L}\p{M}]*)\.?(?:\s+old)?$/iu
/** Arabic writes one and two as words. */
const ARABIC_FEW: Record<string, string> = {
  شهر: '1 m',
  شهران: '2 m',
  شهرين: '2 m',
  أسبوع: '1 w',
  أسبوعان: '2 w',
  أسبوعين: '2 w',
  يوم: '1 d',
  يومان: '2 d',
  يومين: '2 d',
}
/** Half of the days that an age in weeks or months leaves open; it stands in the text of such a birth. */
const SPREAD = { week: 4, month: 16 } as const
const spreadShape = /^[~≈]\s*(\d{4}-\d{2}-\d{2})\s*±\s*(\d{1,2})$/
/** Years and months, as vaccination cards say: 1 year 6 months, 1 año y 6 meses, سنة و٦ أشهر. */
const yearsMonthsShape =
  /^(.+?)[,،\s]*(?:\s(?:and|y|و)\s*|و\s*|\s+)(\d{1,2}\s*\p{L}[\p{L}\p{M}]*\.?)(?: old)?$/iu
/** Years and a half: 2 1/2, 2½, 2.5 years, 2 años y medio, سنتان ونصف. */
const halfShape =
  /^(\d{1,3})\s*(?:[.,]5|½|\s1\/2)\s*(\p{L}.*)?$|^(.+?)\s+(?:y medio|y media|and a half|و\s?نصف)$/iu
/** Arabic writes one and two years as words. */
const ARABIC_YEARS: Record<string, string> = {
  سنة: '1',
  عام: '1',
  سنتان: '2',
  سنتين: '2',
  عامان: '2',
  عامين: '2',
}
const yearShape = /^(\d{4})$/
const aboutShape = /^[~≈]\s*(\d{4})$/

/**
 * The birth that is meant by 1990-05-17, 17/5/1990, 17051990, 1990 (a year), ~1990 (about that
 * year), 5/2024 or May 2024 (a month) or 34 (an age). 12/3/1985 is two days (`birthChoices`), and
 * none here. For small children an age in months, weeks or days (8 months, 3 semanas, 10 d), or in
 * years and months (1 year 6 months, 2 1/2). Null when it is none of these, and for an age of 0
 * years: it would make a newborn eight months old. `today` is `yyyy-MM-dd` where the person sits: an
 * age is counted back from it.
 */
export function birthFrom(typed: string, today: string): Birth | null {
  const text = latinDigits(typed).trim()
  const spread = spreadShape.exec(text)
  if (spread) {
    const day = dayFrom(spread[1]!)
    return day ? { day, precision: Number(spread[2]) <= SPREAD.week ? 'week' : 'month' } : null
  }
  const young = youngShape.exec(ARABIC_FEW[text] ?? text)
  const unit =
    young && (['month', 'week', 'day'] as const).find((each) => YOUNG_UNITS[each].test(young[2]!))
  if (unit) return today ? ofYoungAge(Number(young[1]), unit, today) : null
  const months = monthsOfAge(text)
  if (months !== null) return today ? ofAgeInMonths(months, today) : null
  if (isAgeOfZero(text)) return null
  const ofMonth = /\d{4}/.test(text) && !/^\d{8}$/.test(text) ? readMonth(text) : null
  // the middle of the month: its span holds every day of it
  if (ofMonth) return { day: `${ofMonth}-15`, precision: 'month' }
  const about = aboutShape.exec(text)
  if (about) return { day: `${about[1]}-07-01`, precision: 'age' }
  const year = yearShape.exec(text)
  if (year) return { day: `${year[1]}-01-01`, precision: 'year' }
  const age = ageShape.exec(text)
  if (age) return Number(age[1]) <= OLDEST ? ofAge(Number(age[1]), today) : null
  const day = certainDay(text)
  return day ? { day, precision: 'day' } : null
}

/** Whether the text counts back from a day: "34", "2 years", "10 d". A year, a month and a day do not. */
export function isAge(typed: string): boolean {
  const [one, other] = [birthFrom(typed, '2020-06-15'), birthFrom(typed, '2010-06-15')]
  return one !== null && one.day !== other?.day
}

/** The two days that 12/3/1985 may mean: the user chooses, as in every box for a day. Null where there is no doubt. */
export function birthChoices(typed: string): [dayFirst: string, monthFirst: string] | null {
  const read = readDay(typed)
  return read && 'either' in read ? read.either : null
}

/** The years of an age, with or without their unit; null for another text. */
function parseAgeYears(text: string): number | null {
  const words = ARABIC_YEARS[text.trim()] ?? text.trim()
  const age = ageShape.exec(words)
  return age && Number(age[1]) <= OLDEST ? Number(age[1]) : null
}

/** The months of an age in years and months, or in years and a half. */
function monthsOfAge(text: string): number | null {
  const half = halfShape.exec(text)
  if (half) {
    const years = parseAgeYears(half[3] ?? `${half[1]} ${half[2] ?? ''}`)
    return years === null ? null : 12 * years + 6
  }
  const both = yearsMonthsShape.exec(text)
  const months = both && youngShape.exec(both[2]!)
  if (!months || !YOUNG_UNITS.month.test(months[2]!) || Number(months[1]) > 11) return null
  const years = parseAgeYears(both[1]!)
  return years === null ? null : 12 * years + Number(months[1])
}

/** From 5 years on the months of an age are kept as its years: nobody counts them to the month. */
const ofAgeInMonths = (months: number, today: string): Birth =>
  months < SMALL_CHILD ? ofYoungAge(months, 'month', today) : ofAge(Math.floor(months / 12), today)

/** The 1 July at which the person has that age today: the real birthday is less than a year from it. */
function ofAge(age: number, today: string): Birth {
  const yearsBack = today.slice(5) < '07-01' ? age + 1 : age
  return {
    day: `${String(Number(today.slice(0, 4)) - yearsBack).padStart(4, '0')}-07-01`,
    precision: 'age',
  }
}

/** True for "0" and "0 years": the age is to be told in months, weeks or days. */
export function isAgeOfZero(typed: string): boolean {
  const age = ageShape.exec(latinDigits(typed).trim())
  return age !== null && Number(age[1]) === 0
}

/** The middle of the days on which a child of that age today was born. */
function ofYoungAge(count: number, unit: 'month' | 'week' | 'day', today: string): Birth {
  if (unit === 'day') return { day: addDays(today, -count), precision: 'day' }
  if (unit === 'week') return { day: addDays(today, -7 * count - 3), precision: 'week' }
  return { day: addDays(monthsBefore(today, count), -15), precision: 'month' }
}

function monthsBefore(day: string, months: number): string {
  const [year = 0, month = 1, ofMonth = 1] = day.split('-').map(Number)
  const last = new Date(Date.UTC(year, month - months, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1 - months, Math.min(ofMonth, last)))
    .toISOString()
    .slice(0, 10)
}

/** The earliest and the latest day on which a person with this birth can have been born. */
export function birthSpan({ day, precision }: Birth): readonly [earliest: string, latest: string] {
  if (precision === 'day') return [day, day]
  if (precision === 'week' || precision === 'month')
    return [addDays(day, -SPREAD[precision]), addDays(day, SPREAD[precision])]
  if (precision === 'year') return [`${day.slice(0, 4)}-01-01`, `${day.slice(0, 4)}-12-31`]
  // the 1 July is less than a year from the birth, whenever in a year the age was told
  return [monthsBefore(day, 12), monthsBefore(day, -12)]
}

/** The shortest text that means this birth: it reads back equal on any day, as an age would not. */
export function birthText({ day, precision }: Birth): string {
  if (precision === 'day') return day
  if (precision === 'week' || precision === 'month') return `~${day} ±${SPREAD[precision]}`
  return precision === 'year' ? day.slice(0, 4) : `~${day.slice(0, 4)}`
}

/** Full years on that day; negative before birth. */
export function ageOn(day: string, today: string): number {
  const years = Number(today.slice(0, 4)) - Number(day.slice(0, 4))
  return today.slice(5) < day.slice(5) ? years - 1 : years
}

/** The calendar day of a clock, in the zone that the clock runs in. */
export const dayOfClock = (now = new Date()) =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')

/** The latest day that it is anywhere on Earth (UTC+14): a server must not refuse a newborn's birth further east. */
export const latestDay = (now = new Date()) =>
  new Date(now.getTime() + 14 * 3_600_000).toISOString().slice(0, 10)

/** Completed months of the youngest and the oldest that a person with this birth can be; negative before birth. */
export function ageRangeInMonths(
  birth: Birth,
  today: string,
): readonly [youngest: number, oldest: number] {
  const [earliest, latest] = birthSpan(birth)
  return [monthsBetween(latest, today), monthsBetween(earliest, today)]
}

/** Months of age from which limits and doses no longer change from month to month. */
const SMALL_CHILD = 60

/** True for a child who may be under 5 years if only a year or an age in years is known. */
export const isVague = (birth: Birth, today: string) =>
  (birth.precision === 'year' || birth.precision === 'age') &&
  ageRangeInMonths(birth, today)[0] < SMALL_CHILD
