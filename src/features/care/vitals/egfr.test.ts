import { expect, test } from 'vitest'
import { UMOL_PER_MG_DL } from '~/shared/creatinine'
import { computeEgfr } from './egfr'

/**
 * Published examples of the equation of 2021: R package tabletools (calculate_egfr) and an open
 * calculator's own test.
 */
test.each([
  [0.8, 70, 'male', 95],
  [1.0, 50, 'female', 69],
  [1.1, 50, 'male', 82],
] as const)('creatinine %d mg/dL at %d years, %s: %d mL/min/1.73 m²', (mgDl, years, sex, egfr) => {
  expect(computeEgfr(mgDl * UMOL_PER_MG_DL, years, sex)).toBe(egfr)
})

test('it is not computed for children, and falls with creatinine and age', () => {
  expect(computeEgfr(60, 17, 'female')).toBeNull()
  expect(computeEgfr(60, 18, 'female')).not.toBeNull()
  for (const sex of ['female', 'male'] as const) {
    const byCreatinine = [30, 60, 90, 150, 300, 900].map((umol) => computeEgfr(umol, 60, sex)!)
    expect(byCreatinine).toEqual(byCreatinine.toSorted((a, b) => b - a))
    expect(new Set(byCreatinine).size).toBe(byCreatinine.length)
    expect(computeEgfr(100, 80, sex)!).toBeLessThan(computeEgfr(100, 30, sex)!)
  }
})
