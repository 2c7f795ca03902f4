import { describe, expect, test } from 'vitest'
import { computeNews2 } from './early-warning'

const well = {
  respiratory_rate: 16,
  oxygen_saturation: 97,
  systolic_bp: 120,
  pulse_rate: 70,
  heart_rate: null,
  temperature_celsius: 37,
}
const adult = { youngestMonths: 40 * 12, isPregnant: false }
const total = (more: object) => computeNews2({ ...well, ...more }, adult)?.total

describe('NEWS2, Royal College of Physicians 2017', () => {
  // each sign: the values at which the points change, and the points
  test.each([
    ['respiratory_rate', [8, 3], [9, 1], [11, 1], [12, 0], [20, 0], [21, 2], [24, 2], [25, 3]],
    ['oxygen_saturation', [91, 3], [92, 2], [93, 2], [94, 1], [95, 1], [96, 0]],
    ['systolic_bp', [90, 3], [91, 2], [100, 2], [101, 1], [110, 1], [111, 0], [219, 0], [220, 3]],
    [
      'pulse_rate',
      [40, 3],
      [41, 1],
      [50, 1],
      [51, 0],
      [90, 0],
      [91, 1],
      [110, 1],
      [111, 2],
      [131, 3],
    ],
    [
      'temperature_celsius',
      [35, 3],
      [35.1, 1],
      [36, 1],
      [36.1, 0],
      [38, 0],
      [38.1, 1],
      [39, 1],
      [39.1, 2],
    ],
  ] as [string, ...[number, number][]][])('%s', (sign, ...limits) => {
    expect(limits.map(([value]) => [value, total({ [sign]: value })])).toEqual(limits)
  })

  test('adds up, and says which parts are missing', () => {
    const ill = { respiratory_rate: 26, oxygen_saturation: 93, systolic_bp: 95, pulse_rate: 120 }
    expect(computeNews2({ ...well, ...ill, temperature_celsius: null }, adult)).toEqual({
      total: 9,
      red: true,
      missing: ['oxygen_given', 'consciousness', 'temperature_celsius'],
    })
  })

  test('is for adults who are not pregnant, with at least three signs', () => {
    expect(computeNews2(well, { youngestMonths: 191, isPregnant: false })).toBeNull()
    expect(computeNews2(well, { youngestMonths: 192, isPregnant: false })).not.toBeNull()
    expect(computeNews2(well, { youngestMonths: null, isPregnant: false })).toBeNull()
    expect(computeNews2(well, { ...adult, isPregnant: true })).toBeNull()
    const few = { respiratory_rate: null, oxygen_saturation: null, temperature_celsius: null }
    expect(computeNews2({ ...well, ...few }, adult)).toBeNull()
    expect(computeNews2({ ...well, pulse_rate: null, heart_rate: 131 }, adult)?.total).toBe(3)
  })
})
