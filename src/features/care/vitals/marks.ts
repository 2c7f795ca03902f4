import { type Birth, birthSpan, correctionOn } from '~/fields/birth'
import type { Sex } from '~/fields/sex'
import type { HeightPosition } from '~/forms/weight-for-height'
import type { Message } from '~/shared/errors'
import { dayIn, daysBetween, monthsBetween } from '~/shared/zone'
import { RANGES, type VitalRange } from './ranges'
import { ENTERED, LIMITS, type Measure, VITAL_MEASURES } from './vital'
import { implausibleIn } from './plausible'
import { heavyForAge } from './growth/growth'
import { assessWasting } from './growth/wasting'

/**
 * `impossible`: beyond what a person can have, or beyond the flags of WHO at that age; a phone sent it, a mistake that
 * is shown and never hidden. `age`: the mark depends on an age that is only approximate, or unknown.
 */
export type Mark = {
  level: 'abnormal' | 'critical' | 'impossible'
  reason: Message
  source?: string
  age?: 'approximate' | 'unknown'
  /** Beyond what is plausible as well: the value is to be checked, and taken as it is until then. */
  doubt?: Message
}
type Marks = Partial<Record<Measure, Mark>>

type Age = { days: number; months: number }
type AgeSpan = readonly [youngest: Age, oldest: Age]

/** The age at a moment, by the calendar of the clinic; null when unknown, or before birth. */
export function ageAt(dateOfBirth: string | null, at: Date, timeZone: string): Age | null {
  if (!dateOfBirth) return null
  const day = dayIn(at, timeZone)
  const days = daysBetween(dateOfBirth, day)
  return days < 0 ? null : { days, months: monthsBetween(dateOfBirth, day) }
}

/** The youngest and the oldest possible age at a moment; null when unknown, or before birth. */
export function ageSpanAt(birth: Birth | null, at: Date, timeZone: string): AgeSpan | null {
  if (!birth) return null
  const [earliest, latest] = birthSpan(birth)
  const oldest = ageAt(earliest, at, timeZone)
  return oldest && [ageAt(latest, at, timeZone) ?? { days: 0, months: 0 }, oldest]
}

/**
 * The corrected age of a child born preterm at a moment, as one more possible age for the flags of WHO: what is usual
 * at either is no mistake.
 */
export function correctedAt(
  birth: Birth | null,
  at: Date,
  timeZone: string,
): readonly { days: number }[] {
  const age = birth && ageAt(birth.day, at, timeZone)
  const correction = age ? correctionOn(birth, dayIn(at, timeZone)) : 0
  return age && correction > 0 ? [{ days: age.days - correction }] : []
}

/** `age`: one age, or the youngest and oldest where the birth is approximate; null when unknown. */
type Person = {
  age: Age | AgeSpan | null
  /** `correctedAt` of the moment. */
  corrected?: readonly { days: number }[]
  sex: Sex | null
  /** Pregnant at that moment, or within six weeks after. */
  isPregnant?: boolean
}

/**
 * Whether a value is out of the ordinary for this person, why, and who says so. Where the age is
 * approximate and its limits differ, the most cautious one counts; where it is unknown, what is
 * dangerous at any age, then the adult limits.
 */
export function markValue(
  measure: Measure,
  value: number,
  { age, ...who }: Person,
): Mark | undefined {
  const [min, max] = LIMITS[measure]
  if (value < min || value > max)
    return {
      level: 'impossible',
      reason: { key: 'vitals.reason.impossible', values: { min, max } },
    }
  if (!age) return ofUnknownAge(measure, value, who)
  if (!isSpan(age)) return atAge(measure, value, age, who)
  const marks = agesWithin(age).map((each) => atAge(measure, value, each, who))
  const worst =
    marks.find((mark) => mark?.level === 'critical') ?? marks.find((mark) => mark !== undefined)
  if (!worst) return undefined
  const isSame = marks.every(
    (mark) => mark?.level === worst.level && limitIn(mark) === limitIn(worst),
  )
  return isSame ? worst : { ...worst, age: 'approximate' }
}

const limitIn = ({ reason }: Mark) => reason.values?.['limit']
const isSpan = (age: Age | AgeSpan): age is AgeSpan => Array.isArray(age)

/** An age in every month between two, and the end of the newborn period: wherever the limits may change. */
function agesWithin([youngest, oldest]: AgeSpan): Age[] {
  const ages = [youngest]
  if (youngest.days < NEWBORN_DAYS && oldest.days >= NEWBORN_DAYS)
    ages.push({ days: NEWBORN_DAYS, months: 0 })
  for (let months = youngest.months + 1; months < oldest.months; months++)
    ages.push({ days: Math.min(oldest.days, Math.ceil(months * DAYS_PER_MONTH)), months })
  return [...ages, oldest]
}
const NEWBORN_DAYS = 28
const DAYS_PER_MONTH = 30.4375

/** Measures by which an unknown child would be called a thin or small adult: nothing is urgent about them. */
const NEED_AN_AGE = new Set<Measure>(['bmi', 'waist_circumference_cm'])
const ADULT_AGE: Age = { days: 10_958, months: 360 }
/** Arms are measured to find wasted children: an unknown age counts as one of theirs. */
const CHILD_AGE: Age = { days: 731, months: 24 }

function ofUnknownAge(measure: Measure, value: number, who: Who): Mark | undefined {
  const anyAge = firstFittingMark(ANY_AGE, measure, value, ADULT_AGE, who)
  const usual = measure === 'arm_circumference_cm' ? CHILD_AGE : ADULT_AGE
  const adult = NEED_AN_AGE.has(measure) ? undefined : atAge(measure, value, usual, who)
  if (anyAge?.level === 'critical' || !adult) return anyAge
  return anyAge && adult.level !== 'critical' ? anyAge : { ...adult, age: 'unknown' }
}

const ANY_AGE = RANGES.filter(({ months, days }) => !months && !days)
type Who = Omit<Person, 'age'>
const atAge = (measure: Measure, value: number, age: Age, who: Who) =>
  firstFittingMark(RANGES, measure, value, age, who)

function firstFittingMark(
  ranges: readonly VitalRange[],
  measure: Measure,
  value: number,
  age: Age,
  who: Who,
) {
  const range = ranges.find(
    (each) =>
      each.measures.includes(measure) &&
      fits(each, age, who) &&
      passedLimit(each, age, value) !== undefined,
  )
  if (!range) return undefined
  return {
    level: range.level,
    reason: {
      key: `vitals.reason.${range.reason}`,
      values: { limit: passedLimit(range, age, value)! },
    },
    source: range.source,
  } satisfies Mark
}

function fits({ months, days, sex, inPregnancy }: VitalRange, age: Age, who: Who) {
  if (sex && sex !== who.sex) return false
  if (inPregnancy && !who.isPregnant) return false
  if (days && (age.days < days[0] || age.days >= days[1])) return false
  return !months || (age.months >= months[0] && age.months < months[1])
}

/** The limit that the value passed; undefined when it did not. */
function passedLimit({ under, from }: VitalRange, age: Age, value: number): number | undefined {
  const below = typeof under === 'function' ? under(Math.floor(age.months / 12)) : under
  if (below !== undefined && value < below) return below
  return from !== undefined && value >= from ? from : undefined
}

const possibleAgeDays = ({ age, corrected = [] }: Person) =>
  age ? [...(isSpan(age) ? age : [age]), ...corrected].map((each) => each.days) : []

/** What came by a door that could not ask; a dangerous value stays one, as that it may be a slip lowers no risk. */
const marked = (
  mark: Mark | undefined,
  { source, isOfAge }: { source: string; isOfAge: boolean },
): Mark => {
  const reason = { key: isOfAge ? 'vitals.reason.implausible' : 'vitals.reason.unlikely' } as const
  return mark ? { ...mark, doubt: reason } : { level: 'impossible', reason, source }
}

/** The marks of all values of one measurement. */
export function markVitals(
  vital: Record<Measure, number | null>,
  person: Person,
  position: HeightPosition | null = null,
): Marks {
  const marks: Marks = {}
  for (const measure of VITAL_MEASURES) {
    const value = vital[measure]
    const mark = value === null ? undefined : markValue(measure, value, person)
    if (mark) marks[measure] = mark
  }
  const hardly = implausibleIn(vital, { days: possibleAgeDays(person), sex: person.sex, position })
  for (const measure of ENTERED) {
    const why = hardly[measure]
    if (why && marks[measure]?.level !== 'impossible') marks[measure] = marked(marks[measure], why)
  }
  // what is computed of a mistake is one
  const mistake = hardly.weight_kg ?? hardly.height_cm
  if (mistake) {
    if (vital.bmi !== null) marks.bmi = marked(undefined, mistake)
  } else {
    const wasting = assessWasting({ ...vital, position }, person.age, person.sex)
    if (wasting) marks.weight_kg ??= wasting
    const heavy = heavyForAge({ ...vital, position }, person.age, person.sex)
    // what is gained in pregnancy is no overweight
    if (heavy && vital.bmi !== null && !person.isPregnant) marks.bmi ??= heavy
  }
  const { systolic_bp, diastolic_bp } = vital
  if (systolic_bp !== null && diastolic_bp !== null && diastolic_bp >= systolic_bp) {
    marks.diastolic_bp = { level: 'impossible', reason: { key: 'vitals.diastolicBelow' } }
  }
  return marks
}
