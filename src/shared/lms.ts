/** The LMS method: how a measurement of healthy children is spread at one age, or at one height. */
export type Lms = { l: number; m: number; s: number }

/** The measurement at a z-score. */
export const valueAt = ({ l, m, s }: Lms, z: number) =>
  l === 0 ? m * Math.exp(s * z) : m * (1 + l * s * z) ** (1 / l)

/** How many standard deviations a measurement is from the median. */
export const lmsZScore = ({ l, m, s }: Lms, value: number) =>
  l === 0 ? Math.log(value / m) / s : ((value / m) ** l - 1) / (l * s)

/**
 * Of what depends on weight: beyond three standard deviations counted in steps of the distance from the second to the
 * third, as WHO does, because the method itself has no data to rest on there (WHO, Child Growth Standards: Methods and
 * development, 2006, chapter 7).
 */
export function zOfWeight(lms: Lms, value: number): number {
  const z = lmsZScore(lms, value)
  if (Math.abs(z) <= 3) return z
  const side = Math.sign(z)
  const [third, second] = [valueAt(lms, 3 * side), valueAt(lms, 2 * side)]
  return side * (3 + (value - third) / (third - second))
}

/** The value between two entries of a table, `part` of the way. */
export const between = (low: Lms, high: Lms, part: number): Lms => ({
  l: low.l + (high.l - low.l) * part,
  m: low.m + (high.m - low.m) * part,
  s: low.s + (high.s - low.s) * part,
})
