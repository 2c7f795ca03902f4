import type { Sex } from '~/fields/sex'
import {
  type AgeTable,
  ageTable,
  lmsIn,
  type Segment,
  segmentAt,
  TEN_YEARS,
  WEIGHT_FLAGS,
} from '~/forms/weight-for-age'
import { heightForTable, type HeightPosition, LAST_OF_STANDARDS } from '~/forms/weight-for-height'
import { smallest } from '~/shared/any-length'
import { type Lms, lmsZScore, zOfWeight } from '~/shared/lms'
import { type Circumference, CIRCUMFERENCES } from './circumference-standard'
import { type Measurement, GROWTH_TABLES } from './growth-standard'

export type GrowthIndicator = Measurement | Circumference
export const INDICATORS = [
  'weight',
  'height',
  'bmi',
  'head',
  'arm',
] as const satisfies GrowthIndicator[]

/** The lines of a chart: median, and two and three standard deviations to each side, as WHO draws them. */
export const BANDS = [-3, -2, 0, 2, 3] as const
/** Above +1 is overweight from 5 years on: the chart of the body mass index shows it. */
const BMI_BANDS = [-3, -2, 0, 1, 2, 3] as const
export const chartBands = (indicator: GrowthIndicator): readonly number[] =>
  indicator === 'bmi' ? BMI_BANDS : BANDS

/** The last day that has a chart: 19 years. */
export const GROWN_UP = 6939.75

const isCircumference = (indicator: GrowthIndicator): indicator is Circumference =>
  indicator in CIRCUMFERENCES

export function lastChartDay(indicator: GrowthIndicator): number {
  if (isCircumference(indicator)) return LAST_OF_STANDARDS
  return indicator === 'weight' ? TEN_YEARS : GROWN_UP
}
/** WHO measured arms from three months on. */
const firstChartDay = (indicator: GrowthIndicator) => (indicator === 'arm' ? 91 : 0)

const parsed = new Map<string, AgeTable>()
function parseAgeTable(indicator: GrowthIndicator, sex: Sex, segment: Segment) {
  const name = `${indicator} ${sex} ${segment}`
  const text = isCircumference(indicator)
    ? CIRCUMFERENCES[indicator][sex]
    : GROWTH_TABLES[indicator][sex][segment]
  const table = parsed.get(name) ?? ageTable(text)
  parsed.set(name, table)
  return table
}

/** L, M and S for an age in days, between the table's entries on a straight line; undefined where WHO has none. */
export function lmsAt(indicator: GrowthIndicator, sex: Sex, day: number): Lms | undefined {
  if (day < firstChartDay(indicator) || day > lastChartDay(indicator)) return undefined
  return lmsIn(parseAgeTable(indicator, sex, segmentAt(day)), day)
}

/** How many standard deviations a measurement is from the median of the same age and sex. */
export const zScore = (indicator: GrowthIndicator, lms: Lms, value: number) =>
  indicator === 'height' || indicator === 'head' ? lmsZScore(lms, value) : zOfWeight(lms, value)

/**
 * Of 100 healthy children, how many measure less: the normal distribution (Abramowitz and Stegun
 * 26.2.17, error below 1e-7).
 */
export function percentile(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 100 * (z > 0 ? 1 - tail : tail)
}

/** What WHO takes for a mistake of the scale, the tape or the birthday rather than for a child. */
const FLAGS: Record<GrowthIndicator, readonly [number, number]> = {
  weight: WEIGHT_FLAGS,
  height: [-6, 6],
  bmi: [-5, 5],
  head: [-5, 5],
  arm: [-5, 5],
}
export const isImplausible = (indicator: GrowthIndicator, z: number) =>
  z < FLAGS[indicator][0] || z > FLAGS[indicator][1]

/**
 * Whether a height is hardly possible at each of these ages (in days), for either sex where it is unknown: a slipped
 * decimal point, or inches for centimetres.
 */
export function isImplausibleHeight(
  height_cm: number,
  position: HeightPosition | null,
  days: readonly number[],
  sex: Sex | null,
): boolean {
  return isImplausibleAt('height', { height_cm, position }, days, sex)
}

/** Whether a circumference of the head or arm, each below five years, is hardly possible at each of these ages. */
export const isImplausibleCircumference = (
  circumference: Circumference,
  cm: number,
  days: readonly number[],
  sex: Sex | null,
) =>
  isImplausibleAt(
    circumference,
    circumference === 'head' ? { head_circumference_cm: cm } : { arm_circumference_cm: cm },
    days,
    sex,
  )

function isImplausibleAt(
  indicator: GrowthIndicator,
  measured: Partial<Measured>,
  days: readonly number[],
  sex: Sex | null,
): boolean {
  const sexes = sex ? [sex] : (['male', 'female'] as const)
  const nothing = { weight_kg: null, height_cm: null, position: null }
  return days.every((day) =>
    sexes.every((each) =>
      // before the day of term nothing is too small, and what is too large at birth is implausible
      measureGrowth({ ...nothing, ...measured, day: Math.max(0, day) }, each).some(
        (one) => one.indicator === indicator && one.implausible && (day >= 0 || one.z > 0),
      ),
    ),
  )
}

type Measured = {
  weight_kg: number | null
  height_cm: number | null
  head_circumference_cm?: number | null
  arm_circumference_cm?: number | null
  position: HeightPosition | null
  day: number
}

/** Each indicator that the measurements allow: the value as the table means it, its z-score and percentile. */
export function measureGrowth(
  { weight_kg, height_cm, head_circumference_cm, arm_circumference_cm, position, day }: Measured,
  sex: Sex,
) {
  const height = height_cm ? heightForTable(height_cm, position, day) : null
  const values: Record<GrowthIndicator, number | null> = {
    weight: weight_kg,
    height,
    bmi: weight_kg && height ? weight_kg / (height / 100) ** 2 : null,
    head: head_circumference_cm ?? null,
    arm: arm_circumference_cm ?? null,
  }
  return INDICATORS.flatMap((indicator) => {
    const value = values[indicator]
    const lms = lmsAt(indicator, sex, day)
    if (!value || value <= 0 || !lms) return []
    const z = zScore(indicator, lms, value)
    return [
      { indicator, value, z, percentile: percentile(z), implausible: isImplausible(indicator, z) },
    ]
  })
}

/** From 5 years, overweight is above +1 SD of the body mass index for age, and obesity above +2. */
const OVERWEIGHT_FROM_DAYS = 1857
const SOURCE =
  'WHO Reference for 5 to 19 years (2007): de Onis et al., Bull World Health Organ 2007;85:660'

type Heavy = {
  level: 'abnormal'
  reason: { key: 'vitals.reason.overweightForAge' | 'vitals.reason.obeseForAge' }
  source: string
  age?: 'approximate'
}

/** Whether a child of 5 to 19 years weighs much for height and age; of an approximate age the lower mark counts. */
export function heavyForAge(
  measured: Omit<Measured, 'day'>,
  age: { days: number } | readonly { days: number }[] | null,
  sex: Sex | null,
): Heavy | undefined {
  if (!age || !sex) return undefined
  const limits = ('days' in age ? [age] : age).map(({ days }) => {
    if (days < OVERWEIGHT_FROM_DAYS) return 0
    const bmi = measureGrowth({ ...measured, day: days }, sex).find(
      ({ indicator }) => indicator === 'bmi',
    )
    // as WHO's own programs do, z-scores are compared with two decimals
    const z = bmi && !bmi.implausible ? Math.round(bmi.z * 100) / 100 : 0
    if (z > 2) return 2
    if (z > 1) return 1
    return 0
  })
  const limit = smallest(limits)
  if (limit === 0) return undefined
  return {
    level: 'abnormal',
    reason: {
      key: limit === 2 ? 'vitals.reason.obeseForAge' : 'vitals.reason.overweightForAge',
    },
    source: SOURCE,
    ...(new Set(limits).size > 1 && { age: 'approximate' as const }),
  }
}
