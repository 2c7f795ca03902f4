import { describe, expect } from 'vitest'
import { test } from '../../../../../test/harness'
import { heightForTable } from '~/forms/weight-for-height'
import { valueAt } from '~/shared/lms'
import { measureGrowth, isImplausible, lmsAt, percentile, zScore } from './growth'
import { childGrowth } from './growth.server'
import type { Sex } from '~/fields/sex'
import { listVitals } from '../vitals.server'

type Surveyed = [
  day: number,
  sex: Sex,
  kg: number,
  cm: number,
  position: 'lying' | 'standing',
  weight: number,
  height: number,
  bmi: number,
]

/**
 * 60 children of the survey that comes with WHO's igrowup software, with the z-scores that igrowup computes to two
 * decimals (testdata/survey_z_rc.csv of the npm package jsgrowup 0.8.0): some beyond three standard deviations, some in
 * the last month before 61 months, some newborn.
 */
const SURVEY: Surveyed[] = [
  [1852, 'male', 21.3, 118, 'standing', 1.04, 1.62, 0.08],
  [96, 'female', 6.5, 59.3, 'lying', 0.71, -0.42, 1.29],
  [583, 'female', 13.4, 81.6, 'lying', 1.94, -0.09, 2.74],
  [506, 'female', 9.5, 75.9, 'lying', -0.37, -1.19, 0.46],
  [625, 'male', 9.5, 78.9, 'lying', -1.66, -2.04, -0.56],
  [962, 'female', 13.3, 93.6, 'standing', 0.17, 0.47, -0.24],
  [862, 'male', 15.5, 92.4, 'standing', 1.51, 0.53, 1.68],
  [423, 'male', 9.2, 75.4, 'lying', -0.82, -1.03, -0.3],
  [1069, 'male', 17.3, 96.2, 'standing', 1.63, 0.19, 2.2],
  [671, 'male', 11, 81, 'lying', -0.59, -1.73, 0.72],
  [143, 'male', 7.7, 63.5, 'lying', 0.4, -0.87, 1.21],
  [1832, 'female', 19, 109, 'standing', 0.27, -0.11, 0.46],
  [1067, 'male', 17, 93, 'standing', 1.49, -0.67, 2.79],
  [138, 'female', 5.9, 62.3, 'lying', -1.02, -0.39, -1.08],
  [1304, 'female', 11.1, 90.4, 'standing', -2.42, -2.24, -1.39],
  [0, 'female', 4.2, 51.9, 'lying', 1.94, 1.48, 1.68],
  [30, 'female', 4.3, 55.3, 'lying', 0.22, 0.85, -0.35],
  [269, 'male', 6.3, 64.8, 'lying', -3.08, -3.11, -1.71],
  [1716, 'female', 27.5, 110.4, 'lying', 2.85, 0.48, 3.87],
  [497, 'female', 9.9, 75.5, 'lying', 0.02, -1.23, 1.02],
  [1536, 'female', 16.8, 105.3, 'standing', 0.12, 0.26, -0.07],
  [64, 'male', 4.1, 56, 'lying', -2.54, -1.38, -2.59],
  [36, 'female', 4.4, 54.1, 'lying', 0.03, -0.13, 0.12],
  [48, 'female', 4, 52.1, 'lying', -1.31, -1.81, -0.44],
  [859, 'male', 12.9, 89.3, 'standing', -0.05, -0.39, 0.25],
  [1851, 'male', 19.8, 112.8, 'standing', 0.51, 0.51, 0.28],
  [90, 'female', 4.5, 60.4, 'lying', -2.02, 0.34, -3.01],
  [1443, 'male', 19.7, 108.1, 'standing', 1.5, 1.22, 1.13],
  [1209, 'male', 16.3, 99.4, 'standing', 0.69, 0.24, 0.78],
  [121, 'male', 7.3, 60.7, 'lying', 0.39, -1.51, 1.71],
  [140, 'male', 7.9, 64.9, 'lying', 0.69, -0.11, 1],
  [233, 'male', 9.4, 69, 'lying', 0.92, -0.51, 1.6],
  [935, 'female', 17.4, 87.6, 'standing', 2.29, -1.02, 4.22],
  [861, 'female', 15.6, 89.9, 'lying', 1.79, -0.04, 2.56],
  [194, 'male', 11.9, 73.2, 'lying', 3.68, 2.32, 2.93],
  [951, 'male', 14.3, 95.6, 'standing', 0.47, 0.8, -0.09],
  [0, 'male', 5.5, 55.9, 'lying', 3.77, 3.18, 2.73],
  [1329, 'male', 14.4, 97.2, 'standing', -0.66, -0.9, -0.13],
  [45, 'female', 6.2, 59.3, 'lying', 2.16, 1.95, 1.56],
  [266, 'female', 8.9, 68.1, 'lying', 0.71, -0.7, 1.49],
  [371, 'female', 10.6, 77, 'lying', 1.32, 1.07, 1.01],
  [103, 'male', 5.9, 61.1, 'lying', -1.01, -0.65, -0.88],
  [417, 'male', 14.2, 81.3, 'lying', 3.21, 1.46, 3.07],
  [1802, 'male', 28.1, 120.7, 'standing', 3.13, 2.43, 2.54],
  [1061, 'male', 20.2, 97.3, 'standing', 2.92, 0.54, 3.82],
  [712, 'female', 11.1, 84.2, 'lying', -0.18, -0.52, 0.17],
  [58, 'female', 4.6, 54.2, 'lying', -0.71, -1.27, -0.02],
  [1022, 'male', 14.8, 94.6, 'lying', 0.5, -0.16, 0.86],
  [1084, 'male', 14.5, 96.3, 'standing', 0.13, 0.13, 0.02],
  [304, 'female', 10.2, 72.2, 'lying', 1.49, 0.3, 1.8],
  [496, 'female', 11.1, 76.5, 'lying', 0.94, -0.86, 1.97],
  [1216, 'male', 14.7, 94.6, 'standing', -0.17, -1.03, 0.73],
  [129, 'female', 6, 62.5, 'lying', -0.7, -0.04, -0.93],
  [1842, 'male', 17.4, 111.6, 'standing', -0.42, 0.29, -0.99],
  [425, 'male', 9.1, 74.3, 'lying', -0.94, -1.5, -0.06],
  [293, 'female', 10.4, 72.5, 'lying', 1.73, 0.62, 1.89],
  [438, 'female', 12.4, 81.7, 'lying', 2.12, 1.8, 1.61],
  [156, 'female', 6.5, 62.1, 'lying', -0.55, -0.97, 0],
  [287, 'female', 8.1, 68.6, 'lying', -0.24, -0.87, 0.35],
  [446, 'male', 9, 77.2, 'lying', -1.17, -0.62, -1.12],
]

describe('z-scores', () => {
  test('differ from those of WHO’s survey by at most 0.035, and 0.011 on average of the worst tenth', () => {
    const errors = SURVEY.flatMap(([day, sex, weight_kg, height_cm, position, ...expected]) => {
      const found = measureGrowth({ weight_kg, height_cm, position, day }, sex)
      expect(found).toHaveLength(3)
      return found.map(({ z }, index) => Math.abs(z - expected[index]!))
    }).toSorted((a, b) => b - a)
    expect(errors[0]).toBeLessThan(0.035)
    const worst = errors.slice(0, errors.length / 10)
    expect(worst.reduce((sum, error) => sum + error, 0) / worst.length).toBeLessThan(0.025)
    expect(errors[Math.floor(errors.length / 10)]).toBeLessThan(0.011)
  })

  test.for([
    // WHO Reference 2007, wfa, hfa and bfa tables: median and the columns of 2 SD, to their one decimal
    ['height', 'male', 120, 0, 137.8],
    ['height', 'male', 120, -2, 125],
    ['height', 'female', 120, 0, 138.6],
    ['bmi', 'male', 120, 0, 16.4],
    ['bmi', 'male', 120, 2, 21.4],
    ['bmi', 'female', 180, 0, 20.2],
    ['bmi', 'female', 180, 2, 28.2],
    ['weight', 'male', 120, 0, 31.2],
    ['weight', 'female', 96, 0, 25],
    ['weight', 'female', 96, -2, 18.6],
  ] as const)(
    '%s of a %s of %i months at %i SD is %f, as the reference for school children prints it',
    ([indicator, sex, months, z, value]) => {
      const lms = lmsAt(indicator, sex, months * 30.4375)!
      expect(valueAt(lms, z)).toBeCloseTo(value, 1)
      expect(zScore(indicator, lms, valueAt(lms, z))).toBeCloseTo(z, 6)
    },
  )

  test.for([
    // WHO Child Growth Standards, day tables hcfa and acfa: days between two entries of ours
    ['head', 'male', 100, 1, 40.8555, 0.02901],
    ['head', 'female', 1000, 1, 48.2269, 0.02923],
    ['head', 'male', 1, 1, 34.562, 0.03656],
    ['arm', 'male', 100, 0.379, 13.5836, 0.0749],
    ['arm', 'female', 1000, -0.1733, 15.4817, 0.08288],
    ['arm', 'male', 1826, -0.3981, 16.5189, 0.08624],
  ] as const)(
    'the %s of a %s of %i days is that of the day tables of WHO, to a third of a millimetre at 3 SD',
    ([indicator, sex, day, l, m, s]) => {
      const [ours, whos] = [lmsAt(indicator, sex, day)!, { l, m, s }]
      for (const z of [-3, 0, 3])
        expect(Math.abs(valueAt(ours, z) - valueAt(whos, z))).toBeLessThan(0.03)
    },
  )

  test('a head at 12 months is as the printed table says; arms begin at 91 days; both end at 61 months', () => {
    // WHO, head circumference-for-age boys, simplified field table, 12 months
    const boy = lmsAt('head', 'male', 365)!
    for (const [z, cm] of [
      [-3, 42.2],
      [-2, 43.5],
      [0, 46.1],
      [2, 48.6],
      [3, 49.9],
    ] as const)
      expect(valueAt(boy, z)).toBeCloseTo(cm, 1)
    expect(lmsAt('arm', 'female', 90)).toBeUndefined()
    expect(lmsAt('arm', 'female', 91)).toBeDefined()
    expect(lmsAt('head', 'female', 1856)).toBeDefined()
    expect(lmsAt('head', 'female', 1857)).toBeUndefined()
    // a head is normally distributed, so that WHO counts no steps beyond three standard deviations
    expect(zScore('head', boy, valueAt(boy, 4))).toBeCloseTo(4, 6)
    expect(isImplausible('head', 5.1)).toBe(true)
    expect(isImplausible('arm', -4.9)).toBe(false)
  })

  test('beyond three standard deviations of weight count in steps, and reach flags', () => {
    const lms = lmsAt('weight', 'male', 365)!
    const [second, third] = [valueAt(lms, 2), valueAt(lms, 3)]
    expect(zScore('weight', lms, third + (third - second))).toBeCloseTo(4, 6)
    expect(isImplausible('weight', zScore('weight', lms, 60))).toBe(true)
  })

  test('percentiles are those of the normal distribution', () => {
    for (const [z, expected] of [
      [0, 50],
      [-2, 2.275],
      [2, 97.725],
      [1, 84.134],
      [-3, 0.135],
    ] as const) {
      expect(percentile(z)).toBeCloseTo(expected, 2)
    }
  })

  test('below two years a standing child is made 0.7 cm longer, from then on a lying one shorter', () => {
    expect(heightForTable(80, 'standing', 730)).toBeCloseTo(80.7)
    expect(heightForTable(80, 'lying', 730)).toBe(80)
    expect(heightForTable(90, 'lying', 731)).toBeCloseTo(89.3)
    expect(heightForTable(90, 'standing', 731)).toBe(90)
    expect(heightForTable(90, null, 731)).toBe(90)
  })

  test('there is none before birth, of weight after ten years, of anything after nineteen', () => {
    expect(lmsAt('height', 'female', -1)).toBeUndefined()
    expect(lmsAt('weight', 'female', 3653)).toBeUndefined()
    expect(lmsAt('bmi', 'female', 6939)).toBeDefined()
    expect(lmsAt('bmi', 'female', 6941)).toBeUndefined()
  })
})

describe('growth charts', () => {
  test('count the age in days of the clinic, and answer with lines, points, z-scores and percentiles', async ({
    as,
    make,
  }) => {
    const child = await make.patient({ sex: 'male', date_of_birth: '2024-02-29' })
    await make.vital({
      patient_id: child.id,
      timestamp: new Date('2025-02-28T23:30:00Z'),
      weight_kg: 9.6,
      height_cm: 75.7,
      temperature_celsius: null,
    })
    const { reason, charts } = await childGrowth(as('admin'), { patientId: child.id })
    expect(reason).toBeNull()
    expect(charts.map(({ indicator }) => indicator)).toEqual([
      'weight',
      'height',
      'bmi',
      'head',
      'arm',
    ])
    // 365 days: the median of a boy of one year is 9.6 kg and 75.7 cm
    expect(charts[0]?.points).toMatchObject([
      { days: 365, value: 9.6, implausible: false, day: '2025-02-28' },
    ])
    for (const { points } of charts.slice(0, 2)) expect(Math.abs(points[0]!.z)).toBeLessThan(0.1)
    expect(charts[0]!.lines[0]).toEqual({ days: 0, values: [2.08, 2.46, 3.35, 4.42, 5.03] })
    expect(charts[0]!.lines.at(-1)!.days).toBe(730)
  })

  test('draw a head and an arm of a child without weight and height', async ({ as, make }) => {
    const child = await make.patient({ sex: 'male', date_of_birth: '2024-02-29' })
    await make.vital({
      patient_id: child.id,
      timestamp: new Date('2025-02-28T12:00:00Z'),
      temperature_celsius: null,
      head_circumference_cm: 46.1,
      arm_circumference_cm: 11.4,
    })
    const { reason, charts } = await childGrowth(as('admin'), { patientId: child.id })
    expect(reason).toBeNull()
    const [weight, , , head, arm] = charts
    expect(weight!.points).toEqual([])
    expect(head!.points).toMatchObject([{ days: 365, value: 46.1, implausible: false }])
    expect(Math.abs(head!.points[0]!.z)).toBeLessThan(0.05)
    expect(arm!.points[0]!.z).toBeLessThan(-2)
    // no line before WHO measured arms
    expect(arm!.lines[0]!.days).toBe(91)
    expect(head!.lines[0]).toEqual({ days: 0, values: [30.65, 31.92, 34.46, 37, 38.27] })
  })

  test('draw weight by length and by height below five years, and mark a wasted child', async ({
    as,
    make,
  }) => {
    const child = await make.patient({ sex: 'female', date_of_birth: '2024-01-01' })
    const measured = (day: string, weight_kg: number, height_cm: number) =>
      make.vital({
        patient_id: child.id,
        timestamp: new Date(`${day}T12:00:00Z`),
        weight_kg,
        height_cm,
        temperature_celsius: null,
      })
    // lying, -3 SD of 60 cm is 4.5 kg; standing, -2 SD of 90 cm is 10.6 kg (WHO)
    await measured('2024-04-01', 4.4, 60)
    await measured('2026-02-01', 10.5, 90)
    const { byHeight } = await childGrowth(as('admin'), { patientId: child.id })
    expect(byHeight).toMatchObject([
      { position: 'lying', points: [{ cm: 60, value: 4.4 }] },
      { position: 'standing', points: [{ cm: 90, value: 10.5 }] },
    ])
    expect(byHeight[0]!.points[0]!.z).toBeLessThan(-3)
    expect(byHeight[0]!.lines).toHaveLength(131)
    const { rows } = await listVitals(as('admin'), { patientId: child.id })
    expect(rows.map(({ marks }) => [marks.weight_kg?.level, marks.weight_kg?.reason.key])).toEqual([
      ['abnormal', 'vitals.reason.wasting'],
      ['critical', 'vitals.reason.severeWasting'],
    ])
  })

  test('are missing with a reason: no birth, no sex, nothing measured', async ({ as, make }) => {
    const reasonOf = async (values: object) => {
      const { id } = await make.patient(values)
      return (await childGrowth(as('admin'), { patientId: id })).reason
    }
    expect(await reasonOf({ date_of_birth: null })).toBe('noBirth')
    expect(await reasonOf({ sex: 'unknown', date_of_birth: '2024-01-01' })).toBe('noSex')
    expect(await reasonOf({ sex: 'أنثى', date_of_birth: '2024-01-01' })).toBe('noMeasurement')
  })

  test('take neither what was measured before birth nor what was measured of the adult', async ({
    as,
    make,
  }) => {
    const { id } = await make.patient({ sex: 'female', date_of_birth: '2000-01-01' })
    await make.vital({ patient_id: id, timestamp: new Date('1999-12-30T10:00:00Z'), weight_kg: 3 })
    await make.vital({
      patient_id: id,
      timestamp: new Date('2024-01-01T10:00:00Z'),
      weight_kg: 60,
      height_cm: 165,
    })
    expect((await childGrowth(as('admin'), { patientId: id })).reason).toBe('noMeasurement')
  })
})
