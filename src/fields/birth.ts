import { dayFrom, latinDigits } from './typed'

/** How exactly a birth is known: to the day, to the year that was named, or only through the age that was told. */
export type BirthPrecision = 'day' | 'year' | 'age'
/** `day` is `yyyy-MM-dd`: 1 January where the year was named, 1 July where only an age was told. */
export type Birth = { day: string; precision: BirthPrecision }

export const FIRST_DAY = '1900-01-01'
const OLDEST = 130

/** An age, with or without its unit in one of the three languages: 34, 34y, 34 años, ٣٤ سنة. */
const ageShape = /^(\d{1,3})\s*(y|yr|yrs|years?|years? old|a|años?|سنة|سنوات|عام|عاما|عامًا)?$/iu
const yearShape = /^(\d{4})$/
const aboutShape = /^[~≈]\s*(\d{4})$/
const dayFirstDigits = /^(\d{2})(\d{2})(\d{4})$/

/**
 * What somebody means who types 1990-05-17, 17/5/1990, 17051990, 1990 (a year), ~1990 (about that year) or 34 (an age).
 * Null when it is none of these. `today` is `yyyy-MM-dd` where the person sits: an age is counted back from it.
 */
export function birthFrom(typed: string, today: string): Birth | null {
  const text = latinDigits(typed).trim()
  const about = aboutShape.exec(text)
  if (about) return { day: `${about[1]}-07-01`, precision: 'age' }
  const year = yearShape.exec(text)
  if (year) return { day: `${year[1]}-01-01`, precision: 'year' }
  const age = ageShape.exec(text)
  if (age) return Number(age[1]) <= OLDEST ? ofAge(Number(age[1]), today) : null
  const day = dayFrom(text) ?? dayFrom(text.replace(dayFirstDigits, '$1/$2/$3'))
  return day ? { day, precision: 'day' } : null
}

/** The 1 July at which the person has that age today: nobody is further than half a year from it. */
function ofAge(age: number, today: string): Birth {
  const yearsBack = today.slice(5) < '07-01' ? age + 1 : age
  return { day: `${String(Number(today.slice(0, 4)) - yearsBack).padStart(4, '0')}-07-01`, precision: 'age' }
}

/** The shortest text that means this birth: it reads back equal on any day, as an age would not. */
export function birthText({ day, precision }: Birth): string {
  if (precision === 'day') return day
  return precision === 'year' ? day.slice(0, 4) : `~${day.slice(0, 4)}`
}

/** Full years on that day; negative before birth. */
export function ageOn(day: string, today: string): number {
  const years = Number(today.slice(0, 4)) - Number(day.slice(0, 4))
  return today.slice(5) < day.slice(5) ? years - 1 : years
}

/** The calendar day of a clock, in the zone that the clock runs in. */
export const dayOfClock = (now = new Date()) =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0')).join('-')

/** The latest day that it is anywhere on Earth (UTC+14): a server must not refuse a newborn's birth further east. */
export const latestDay = (now = new Date()) => new Date(now.getTime() + 14 * 3_600_000).toISOString().slice(0, 10)
