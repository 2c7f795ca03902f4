import { describe, expect, test } from 'vitest'
import { ageAt, markOf, marksOf, sexOf } from './marks'
import { MEASURES, type Measure } from './vital'

const years = (count: number) => ({
  age: { days: Math.round(count * 365.25), months: Math.floor(count * 12) },
  sex: null,
})
const newborn = { age: { days: 5, months: 0 }, sex: null }

describe('a value is marked by the age of whoever has it', () => {
  test.for([
    ['heart_rate', 145, years(0.5), undefined, undefined],
    ['heart_rate', 145, years(2), 'abnormal', 'fastHeart'],
    ['heart_rate', 145, years(40), 'critical', 'fastHeart'],
    ['heart_rate', 55, years(40), undefined, undefined],
    ['heart_rate', 55, years(6), 'critical', 'slowHeart'],
    ['pulse_rate', 40, years(40), 'critical', 'slowHeart'],
    ['respiratory_rate', 45, years(0.5), undefined, undefined],
    ['respiratory_rate', 50, years(0.5), 'abnormal', 'fastBreath'],
    ['respiratory_rate', 45, years(2), 'abnormal', 'fastBreath'],
    ['respiratory_rate', 22, years(30), 'abnormal', 'fastBreath'],
    ['respiratory_rate', 8, years(30), 'critical', 'slowBreath'],
    ['oxygen_saturation', 91, years(30), 'critical', 'lowOxygen'],
    ['oxygen_saturation', 91, years(3), 'abnormal', 'lowOxygen'],
    ['oxygen_saturation', 94, years(30), undefined, undefined],
    ['temperature_celsius', 38, years(30), 'abnormal', 'fever'],
    ['temperature_celsius', 38, years(0.2), 'critical', 'feverInfant'],
    ['temperature_celsius', 40.1, years(30), 'critical', 'heat'],
    ['temperature_celsius', 36.2, newborn, 'abnormal', 'cold'],
    ['temperature_celsius', 36.2, years(30), undefined, undefined],
    ['temperature_celsius', 35, years(30), 'critical', 'cold'],
    ['systolic_bp', 65, newborn, undefined, undefined],
    ['systolic_bp', 65, years(0.5), 'critical', 'lowPressure'],
    ['systolic_bp', 75, years(3), 'critical', 'lowPressure'],
    ['systolic_bp', 104, years(5), 'abnormal', 'highForChild'],
    ['systolic_bp', 139, years(50), undefined, undefined],
    ['systolic_bp', 140, years(50), 'abnormal', 'highPressure'],
    ['systolic_bp', 180, years(50), 'critical', 'highPressure'],
    ['diastolic_bp', 110, years(50), 'critical', 'highPressure'],
    ['systolic_bp', 95, years(50), 'abnormal', 'lowPressure'],
    ['bmi', 31, years(50), 'abnormal', 'obese'],
    ['bmi', 31, years(5), undefined, undefined],
    ['pain_level', 7, years(50), 'abnormal', 'pain'],
  ] as const)('%s of %f', ([measure, value, person, level, reason]) => {
    const mark = markOf(measure, value, person)
    expect(mark?.level).toBe(level)
    expect(mark?.reason.key).toBe(reason && `vitals.reason.${reason}`)
    // who marks says on whose authority
    expect(Boolean(mark?.source)).toBe(level !== undefined)
  })
})

test('a waist is judged by sex, and not without one', () => {
  const adult = years(50)
  expect(markOf('waist_circumference_cm', 95, { ...adult, sex: 'female' })?.level).toBe('abnormal')
  expect(markOf('waist_circumference_cm', 95, { ...adult, sex: 'male' })).toBeUndefined()
  expect(markOf('waist_circumference_cm', 95, adult)).toBeUndefined()
})

test('of somebody whose age nobody knows only the impossible is marked', () => {
  const unknown = { age: null, sex: null }
  expect(markOf('heart_rate', 200, unknown)).toBeUndefined()
  expect(markOf('temperature_celsius', 98.6, unknown)).toEqual({
    level: 'impossible',
    reason: { key: 'vitals.reason.impossible', values: { min: 20, max: 45 } },
  })
})

test('a diastolic pressure above the systolic one is marked as a mistake', () => {
  const nothing = Object.fromEntries(MEASURES.map((measure) => [measure, null])) as Record<Measure, number | null>
  expect(marksOf({ ...nothing, systolic_bp: 80, diastolic_bp: 120 }, years(30)).diastolic_bp).toEqual({
    level: 'impossible',
    reason: { key: 'vitals.diastolicBelow' },
  })
})

test('an age is counted on the calendar of the clinic, leap days included', () => {
  const at = new Date('2025-02-28T22:00:00Z')
  expect(ageAt('2024-02-29', at, 'UTC')).toEqual({ days: 365, months: 11 })
  expect(ageAt('2024-02-29', at, 'Asia/Amman')).toEqual({ days: 366, months: 12 })
  expect(ageAt('2024-02-29', at, 'America/Lima')).toEqual({ days: 365, months: 11 })
  expect(ageAt('1900-01-01', new Date('2000-01-01T00:00:00Z'), 'UTC')).toEqual({ days: 36524, months: 1200 })
  expect(ageAt(null, at, 'UTC')).toBeNull()
  expect(ageAt('2026-01-01', at, 'UTC')).toBeNull()
})

test('a sex is understood in the three languages', () => {
  expect([' Male ', 'f', 'أنثى', 'ذكر', 'Mujer', 'unknown', '', null].map(sexOf)).toEqual([
    'male',
    'female',
    'female',
    'male',
    'female',
    null,
    null,
    null,
  ])
})
