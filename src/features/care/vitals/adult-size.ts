import { bmiOf } from './vital'
import { GROWN_UP } from './growth/growth'

/**
 * Height (cm), weight (kg) and body mass index of adults beyond which a measurement is taken for a mistake: inches in
 * the box for centimetres, for example.
 */
export const ADULT_LIMITS = {
  source:
    'NCD Risk Factor Collaboration: Rising rural body-mass index is the main driver of the global ' +
    'obesity epidemic in adults, Nature 569 (2019), methods: implausible values ' +
    '(https://doi.org/10.1038/s41586-019-1171-x)',
  height_cm: [100, 250],
  weight_kg: [12, 300],
  bmi: [10, 80],
} as const

type Size = { weight_kg: number | null; height_cm: number | null }

const isOutside = (value: number | null, [min, max]: readonly [number, number]) =>
  value !== null && (value < min || value > max)

/** Which of the two is hardly possible for a person who is grown up at each of these ages (in days). */
export function isImplausibleAdult({ weight_kg, height_cm }: Size, days: readonly number[]) {
  const isAdult = days.length > 0 && days.every((day) => day >= GROWN_UP)
  const alone = {
    weight_kg: isAdult && isOutside(weight_kg, ADULT_LIMITS.weight_kg),
    height_cm: isAdult && isOutside(height_cm, ADULT_LIMITS.height_cm),
  }
  if (!isAdult || alone.weight_kg || alone.height_cm) return alone
  // one of the two is wrong, and nothing says which
  const isOff = isOutside(bmiOf(weight_kg, height_cm), ADULT_LIMITS.bmi)
  return { weight_kg: isOff, height_cm: isOff }
}
