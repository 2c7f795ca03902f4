import type { Message } from '~/shared/errors'
import { dayIn, daysBetween, monthsBetween } from '~/shared/zone'
import type { Sex } from './growth-standard'
import { RANGES, type Range } from './ranges'
import { LIMITS, type Measure, MEASURES } from './vital'

/** `impossible`: beyond what a person can have; a phone sent it, a mistake that is shown and never hidden. */
export type Mark = { level: 'abnormal' | 'critical' | 'impossible'; reason: Message; source?: string }
export type Marks = Partial<Record<Measure, Mark>>

export type Age = { days: number; months: number }

/** How old somebody was at a moment, by the calendar of the clinic; null when nobody knows, or before birth. */
export function ageAt(dateOfBirth: string | null, at: Date, timeZone: string): Age | null {
  if (!dateOfBirth) return null
  const day = dayIn(at, timeZone)
  const days = daysBetween(dateOfBirth, day)
  return days < 0 ? null : { days, months: monthsBetween(dateOfBirth, day) }
}

/** What people write for a sex, in the languages of the registration form; null for anything else. */
export function sexOf(text: string | null): Sex | null {
  const word = text?.trim().toLowerCase() ?? ''
  if (['male', 'm', 'ذكر', 'hombre', 'masculino', 'varón', 'varon'].includes(word)) return 'male'
  if (['female', 'f', 'أنثى', 'انثى', 'mujer', 'femenino'].includes(word)) return 'female'
  return null
}

type Person = { age: Age | null; sex: Sex | null }

/** Whether a value is out of the ordinary for this person, why, and who says so. Without an age only the impossible is marked. */
export function markOf(measure: Measure, value: number, { age, sex }: Person): Mark | undefined {
  const [min, max] = LIMITS[measure]
  if (value < min || value > max)
    return { level: 'impossible', reason: { key: 'vitals.reason.impossible', values: { min, max } } }
  if (!age) return undefined
  const range = RANGES.find(
    (each) => each.measures.includes(measure) && fits(each, age, sex) && limitOf(each, age, value) !== undefined,
  )
  if (!range) return undefined
  return {
    level: range.level,
    reason: { key: `vitals.reason.${range.reason}`, values: { limit: limitOf(range, age, value)! } },
    source: range.source,
  }
}

function fits({ months, days, sex }: Range, age: Age, whose: Sex | null) {
  if (sex && sex !== whose) return false
  if (days && (age.days < days[0] || age.days >= days[1])) return false
  return !months || (age.months >= months[0] && age.months < months[1])
}

/** The limit that the value passed; undefined when it did not. */
function limitOf({ under, from }: Range, age: Age, value: number): number | undefined {
  const below = typeof under === 'function' ? under(Math.floor(age.months / 12)) : under
  if (below !== undefined && value < below) return below
  return from !== undefined && value >= from ? from : undefined
}

/** The marks of all values of one measurement. */
export function marksOf(vital: Record<Measure, number | null>, person: Person): Marks {
  const marks: Marks = {}
  for (const measure of MEASURES) {
    const value = vital[measure]
    const mark = value === null ? undefined : markOf(measure, value, person)
    if (mark) marks[measure] = mark
  }
  const { systolic_bp, diastolic_bp } = vital
  if (systolic_bp !== null && diastolic_bp !== null && diastolic_bp >= systolic_bp) {
    marks.diastolic_bp = { level: 'impossible', reason: { key: 'vitals.diastolicBelow' } }
  }
  return marks
}
