import type { Sex } from '~/fields/sex'
import { isImplausibleWeight } from '~/forms/weight-for-age'
import type { HeightPosition } from '~/forms/weight-for-height'
import { computeBmi, type Entered } from './vital'
import { GROWN_UP, isImplausibleCircumference, isImplausibleHeight } from './growth/growth'

/**
 * Height (cm), weight (kg) and body mass index of adults beyond which a measurement is taken for a mistake: inches in
 * the box for centimetres, for example.
 */
const ADULT_LIMITS = {
  source:
    'NCD Risk Factor Collaboration: Rising rural body-mass index is the main driver of the global ' +
    'obesity epidemic in adults, Nature 569 (2019), methods: implausible values ' +
    '(https://doi.org/10.1038/s41586-019-1171-x)',
  height_cm: [100, 250],
  weight_kg: [12, 300],
  bmi: [10, 80],
} as const

const WHO_FLAGS =
  'WHO Child Growth Standards (2006) and WHO Reference (2007), flags for implausible values'
const ICU_FORMAT =
  'Common Longitudinal ICU data Format, ranges beyond which values are removed ' +
  '(Rojas et al., Intensive Care Med 2025;51:556-569; https://clif-icu.com)'
const ICU_BENCHMARK =
  'variable ranges of the MIMIC-III benchmarks, valid low ' +
  '(Harutyunyan et al., Scientific Data 2019;6:96)'
const ICU_CONCEPTS =
  'ranges of ICU concepts, adults and children (Bennett et al., GigaScience 2023;12:giad041)'

type Limit = {
  measures: readonly Entered[]
  under?: number
  above?: number
  /** Of adults alone: infants breathe, and their hearts beat, as fast. */
  isOfAdults?: true
  source: string
}
/**
 * The other signs, beyond which a value is taken for one of another box, another unit or another person. Below them no
 * source names a pulse that nobody has, nor above `LIMITS` a creatinine: 20 mg/dL, the highest of some, is met where
 * kidneys have failed. What is dangerous is marked by `ranges.json`.
 */
const SIGN_LIMITS: readonly Limit[] = [
  // newborns and adults in severe hypothermia have less than 32 °C, the lowest of the other ranges
  { measures: ['temperature_celsius'], under: 26, source: ICU_BENCHMARK },
  { measures: ['temperature_celsius'], above: 44, source: ICU_FORMAT },
  { measures: ['oxygen_saturation'], under: 50, source: `${ICU_FORMAT}; ${ICU_CONCEPTS}` },
  { measures: ['respiratory_rate'], above: 60, isOfAdults: true, source: ICU_FORMAT },
  { measures: ['respiratory_rate'], above: 120, source: ICU_CONCEPTS },
  {
    measures: ['heart_rate', 'pulse_rate'],
    above: 230,
    isOfAdults: true,
    source: 'CIEL interface terminology, concept 5087, pulse: highest absolute value',
  },
  {
    measures: ['heart_rate', 'pulse_rate'],
    above: 300,
    source: `${ICU_FORMAT}; ${ICU_CONCEPTS}`,
  },
]

export type VitalValues = Readonly<Record<Entered, number | null>>
type Size = Pick<VitalValues, 'weight_kg' | 'height_cm'>
/** The source that says so, of each value that is hardly possible. */
type Implausible = Partial<Record<Entered, { source: string; isOfAge: boolean }>>

const isOutside = (value: number | null, [min, max]: readonly [number, number]) =>
  value !== null && (value < min || value > max)
const isGrownUp = (days: readonly number[]) =>
  days.length > 0 && days.every((day) => day >= GROWN_UP)

/** Which of the two is hardly possible for a person who is grown up at each of these ages (in days). */
function isImplausibleAdult({ weight_kg, height_cm }: Size, days: readonly number[]) {
  const isAdult = isGrownUp(days)
  const alone = {
    weight_kg: isAdult && isOutside(weight_kg, ADULT_LIMITS.weight_kg),
    height_cm: isAdult && isOutside(height_cm, ADULT_LIMITS.height_cm),
  }
  if (!isAdult || alone.weight_kg || alone.height_cm) return alone
  // one of the two is wrong, and nothing says which
  const isOff = isOutside(computeBmi(weight_kg, height_cm), ADULT_LIMITS.bmi)
  return { weight_kg: isOff, height_cm: isOff }
}

/**
 * Which values are hardly possible for a person at each of these ages (in days; none where it is unknown). Every door
 * asks the user by it, and marks by it what came by one that cannot ask.
 */
export function implausibleIn(
  values: VitalValues,
  {
    days,
    sex,
    position,
  }: { days: readonly number[]; sex: Sex | null; position: HeightPosition | null },
): Implausible {
  const found: Implausible = {}
  const { weight_kg, height_cm } = values
  const ofAdult = isImplausibleAdult(values, days)
  const isOff = {
    weight_kg: weight_kg !== null && isImplausibleWeight(weight_kg, days, sex),
    height_cm:
      height_cm !== null && days.length > 0 && isImplausibleHeight(height_cm, position, days, sex),
  }
  for (const measure of ['weight_kg', 'height_cm'] as const) {
    // no dose is computed of a weight beyond these flags, and its mark says so
    if (isOff[measure]) found[measure] = { source: WHO_FLAGS, isOfAge: true }
    else if (ofAdult[measure]) found[measure] = { source: ADULT_LIMITS.source, isOfAge: false }
  }
  for (const part of ['head', 'arm'] as const) {
    const column = `${part}_circumference_cm` as const
    const cm = values[column]
    if (cm !== null && days.length > 0 && isImplausibleCircumference(part, cm, days, sex))
      found[column] = { source: WHO_FLAGS, isOfAge: true }
  }
  for (const { measures, under, above, isOfAdults, source } of SIGN_LIMITS)
    for (const measure of measures) {
      const value = values[measure]
      const isBeyond =
        isOutside(value, [under ?? -Infinity, above ?? Infinity]) &&
        (!isOfAdults || isGrownUp(days))
      if (isBeyond) found[measure] ??= { source, isOfAge: false }
    }
  return found
}
