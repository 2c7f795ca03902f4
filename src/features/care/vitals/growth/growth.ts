import type { Sex } from '~/fields/sex'
import {
  heightForTable,
  type HeightPosition,
  LAST_OF_STANDARDS,
  TWO_YEARS,
} from '~/forms/weight-for-height'
import { between, type Lms, zOf, zOfWeight } from '~/shared/lms'
import { type Indicator, type Segment, TABLES } from './growth-standard'

export const INDICATORS = ['weight', 'height', 'bmi'] as const satisfies Indicator[]

/** The lines of a chart: median, and two and three standard deviations to each side, as WHO draws them. */
export const BANDS = [-3, -2, 0, 2, 3] as const

/** The last day with a weight for age: 10 years. */
const TEN_YEARS = 3652.5
/** The last day that has a chart: 19 years. */
export const GROWN_UP = 6939.75

export const lastDayOf = (indicator: Indicator) => (indicator === 'weight' ? TEN_YEARS : GROWN_UP)

const parsed = new Map<string, [day: number, lms: Lms][]>()
function tableOf(indicator: Indicator, sex: Sex, segment: Segment) {
  const name = `${indicator} ${sex} ${segment}`
  let table = parsed.get(name)
  if (!table) {
    table = TABLES[indicator][sex][segment].split(';').map((entry) => {
      const [day = 0, l = 0, m = 0, s = 0] = entry.trim().split(' ').map(Number)
      return [day, { l, m, s }]
    })
    parsed.set(name, table)
  }
  return table
}

const segmentAt = (day: number): Segment =>
  day < TWO_YEARS ? 'lying' : day <= LAST_OF_STANDARDS ? 'standing' : 'school'

/** L, M and S for an age in days, between the table's entries on a straight line; undefined where WHO has none. */
export function lmsAt(indicator: Indicator, sex: Sex, day: number): Lms | undefined {
  if (day < 0 || day > lastDayOf(indicator)) return undefined
  const table = tableOf(indicator, sex, segmentAt(day))
  const next = table.findIndex(([at]) => at > day)
  // the month from the last entry to the last day goes on as the one before it
  const above = Math.max(next === -1 ? table.length - 1 : next, 1)
  const [[from, low], [to, high]] = [table[above - 1]!, table[above]!]
  const part = (day - from) / (to - from)
  return between(low, high, part)
}

/** How many standard deviations a measurement is from the median of the same age and sex. */
export const zScore = (indicator: Indicator, lms: Lms, value: number) =>
  indicator === 'height' ? zOf(lms, value) : zOfWeight(lms, value)

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
const FLAGS: Record<Indicator, [number, number]> = {
  weight: [-6, 5],
  height: [-6, 6],
  bmi: [-5, 5],
}
export const isImplausible = (indicator: Indicator, z: number) =>
  z < FLAGS[indicator][0] || z > FLAGS[indicator][1]

/**
 * The weight and height that are hardly possible at any of these ages, for either sex where it is unknown: a slipped
 * decimal point, or pounds for kilograms.
 */
export function implausibleOf(
  measured: Omit<Measured, 'day'>,
  days: readonly number[],
  sex: Sex | null,
) {
  const cases = days.flatMap((day) =>
    (sex ? [sex] : (['male', 'female'] as const)).map((each) => ({ day, each })),
  )
  const isOff = (indicator: Indicator) =>
    cases.every(({ day, each }) =>
      growthOf({ ...measured, day }, each).some(
        (one) => one.indicator === indicator && one.implausible,
      ),
    )
  return { weight_kg: isOff('weight'), height_cm: isOff('height') }
}

type Measured = {
  weight_kg: number | null
  height_cm: number | null
  position: HeightPosition | null
  day: number
}

/** Each indicator that the measurements allow: the value as the table means it, its z-score and percentile. */
export function growthOf({ weight_kg, height_cm, position, day }: Measured, sex: Sex) {
  const height = height_cm ? heightForTable(height_cm, position, day) : null
  const values: Record<Indicator, number | null> = {
    weight: weight_kg,
    height,
    bmi: weight_kg && height ? weight_kg / (height / 100) ** 2 : null,
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
