import { describe, expect, test } from 'vitest'
import { parseSex } from '~/fields/sex'
import { ageAt, ageSpanAt, markValue, markVitals } from './marks'
import { VITAL_MEASURES, type Measure } from './vital'

const years = (count: number) => ({
  age: { days: Math.round(count * 365.25), months: Math.floor(count * 12) },
  sex: null,
})
const months = (count: number) => ({
  age: { days: Math.ceil(count * 30.44), months: count },
  sex: null,
})
const newborn = { age: { days: 5, months: 0 }, sex: null }

describe('a value is flagged by the patient’s age', () => {
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
    const mark = markValue(measure, value, person)
    expect(mark?.level).toBe(level)
    expect(mark?.reason.key).toBe(reason && `vitals.reason.${reason}`)
    // who marks says on whose authority
    expect(Boolean(mark?.source)).toBe(level !== undefined)
  })
})

describe('a child is marked by the limits of its age', () => {
  test.for([
    // Bedside PEWS: slow heart and breath
    ['heart_rate', 91, months(1), undefined],
    ['heart_rate', 90, months(1), 'abnormal'],
    ['heart_rate', 80, months(1), 'critical'],
    ['heart_rate', 75, months(8), 'abnormal'],
    ['heart_rate', 65, months(8), 'critical'],
    ['heart_rate', 70, years(2), 'abnormal'],
    ['heart_rate', 60, years(2), 'critical'],
    ['heart_rate', 60, years(6), 'abnormal'],
    ['heart_rate', 45, years(13), 'abnormal'],
    ['heart_rate', 30, years(13), 'critical'],
    ['heart_rate', 50, years(13), undefined],
    ['respiratory_rate', 19, months(8), 'abnormal'],
    ['respiratory_rate', 12, months(8), 'critical'],
    ['respiratory_rate', 8, years(3), 'critical'],
    ['respiratory_rate', 14, years(3), 'abnormal'],
    ['respiratory_rate', 7, years(10), 'critical'],
    ['respiratory_rate', 14, years(10), 'abnormal'],
    ['respiratory_rate', 15, years(10), undefined],
    ['respiratory_rate', 9, years(14), 'critical'],
    // AAP 2017, stage 2, and Bedside PEWS below one year
    ['systolic_bp', 170, years(5), 'critical'],
    ['diastolic_bp', 115, years(5), 'critical'],
    ['systolic_bp', 200, years(12), 'critical'],
    ['systolic_bp', 139, years(12), 'abnormal'],
    ['systolic_bp', 130, months(1), 'critical'],
    ['systolic_bp', 100, months(1), 'abnormal'],
    ['systolic_bp', 150, months(8), 'critical'],
    ['systolic_bp', 120, months(8), 'abnormal'],
    ['systolic_bp', 119, months(8), undefined],
  ] as const)('%s of %f: %s', ([measure, value, person, level]) => {
    expect(markValue(measure, value, person)?.level).toBe(level)
  })
})

test('in pregnancy 140/90 is abnormal and 160/110 critical; 165/105 is critical, where it was abnormal', () => {
  const woman = { ...years(28), sex: 'female' } as const
  const pregnant = { ...woman, isPregnant: true }
  expect(markValue('systolic_bp', 165, woman)?.level).toBe('abnormal')
  expect(markValue('systolic_bp', 165, pregnant)?.level).toBe('critical')
  expect(markValue('diastolic_bp', 110, pregnant)?.reason.key).toBe(
    'vitals.reason.severePregnancyPressure',
  )
  expect(markValue('diastolic_bp', 105, pregnant)?.reason.key).toBe(
    'vitals.reason.pregnancyPressure',
  )
  expect(markValue('systolic_bp', 139, pregnant)).toBeUndefined()
  // a girl of 16: her limits are lower still, and stay
  expect(
    markValue('systolic_bp', 132, { ...years(16), sex: 'female', isPregnant: true })?.level,
  ).toBe('abnormal')
  expect(
    markValue('systolic_bp', 160, { ...years(16), sex: 'female', isPregnant: true })?.level,
  ).toBe('critical')
})

test.for([
  [11.4, months(24), 'critical', 'severeMuac', undefined],
  [11.5, months(24), 'abnormal', 'moderateMuac', undefined],
  [12.4, months(59), 'abnormal', 'moderateMuac', undefined],
  [12.5, months(6), undefined, undefined, undefined],
  // below six months and from five years on, the limits say nothing
  [11, months(5), undefined, undefined, undefined],
  [12, months(60), undefined, undefined, undefined],
  // an unknown age lowers no risk
  [11.4, { age: null, sex: null }, 'critical', 'severeMuac', 'unknown'],
] as const)('an arm of %f cm: %o is %s', ([cm, person, level, reason, age]) => {
  const mark = markValue('arm_circumference_cm', cm, person)
  expect([mark?.level, mark?.reason.key, mark?.age]).toEqual([
    level,
    reason && `vitals.reason.${reason}`,
    age,
  ])
})

test('a head or an arm beyond the flags of WHO is marked as a likely mistake; a very thin arm stays a finding', () => {
  const nothing = Object.fromEntries(VITAL_MEASURES.map((measure) => [measure, null])) as Record<
    Measure,
    number | null
  >
  const marked = (head_circumference_cm: number | null, arm_circumference_cm: number | null) =>
    markVitals({ ...nothing, head_circumference_cm, arm_circumference_cm }, months(12))
  const marks = marked(64, 28)
  expect(marks.head_circumference_cm).toMatchObject({
    level: 'impossible',
    reason: { key: 'vitals.reason.implausible' },
  })
  expect(marks.arm_circumference_cm?.level).toBe('impossible')
  expect(marked(46, 14)).toEqual({})
  expect(marked(null, 7).arm_circumference_cm).toMatchObject({
    level: 'critical',
    reason: { key: 'vitals.reason.severeMuac' },
  })
})

test('another sign that nobody has is marked as a likely mistake, and a dangerous one stays dangerous', () => {
  const nothing = Object.fromEntries(VITAL_MEASURES.map((measure) => [measure, null])) as Record<
    Measure,
    number | null
  >
  const doubt = { key: 'vitals.reason.unlikely' }
  const ofAdult = markVitals(
    { ...nothing, pulse_rate: 240, oxygen_saturation: 18, temperature_celsius: 25 },
    years(40),
  )
  expect(ofAdult).toMatchObject({
    pulse_rate: { level: 'critical', reason: { key: 'vitals.reason.fastHeart' }, doubt },
    oxygen_saturation: { level: 'critical', doubt },
    temperature_celsius: { doubt },
  })
  const ofInfant = markVitals({ ...nothing, pulse_rate: 240, respiratory_rate: 98 }, months(3))
  expect(ofInfant.pulse_rate?.doubt).toBeUndefined()
  expect(ofInfant.respiratory_rate?.doubt).toBeUndefined()
  // beyond what a box takes: one sentence says so
  const sent = markVitals({ ...nothing, temperature_celsius: 99 }, years(40)).temperature_celsius
  expect(sent).toMatchObject({ level: 'impossible', reason: { key: 'vitals.reason.impossible' } })
})

test('a waist is judged by sex, and not without one', () => {
  const adult = years(50)
  expect(markValue('waist_circumference_cm', 95, { ...adult, sex: 'female' })?.level).toBe(
    'abnormal',
  )
  expect(markValue('waist_circumference_cm', 95, { ...adult, sex: 'male' })).toBeUndefined()
  expect(markValue('waist_circumference_cm', 95, adult)).toBeUndefined()
})

test.for([
  ['oxygen_saturation', 60, 'critical', 'lowOxygen', undefined],
  ['oxygen_saturation', 89, 'critical', 'lowOxygen', undefined],
  ['oxygen_saturation', 91, 'critical', 'lowOxygen', 'unknown'],
  ['temperature_celsius', 41.5, 'critical', 'heat', undefined],
  ['temperature_celsius', 34.9, 'critical', 'cold', undefined],
  ['temperature_celsius', 38.2, 'abnormal', 'fever', undefined],
  ['systolic_bp', 80, 'critical', 'lowPressure', 'unknown'],
  ['systolic_bp', 190, 'critical', 'highPressure', 'unknown'],
  ['heart_rate', 200, 'critical', 'fastHeart', 'unknown'],
  ['respiratory_rate', 8, 'critical', 'slowBreath', 'unknown'],
  ['heart_rate', 80, undefined, undefined, undefined],
  ['bmi', 15, undefined, undefined, undefined],
] as const)('at an unknown age %s of %d is %s', ([measure, value, level, reason, age]) => {
  const mark = markValue(measure, value, { age: null, sex: null })
  expect([mark?.level, mark?.reason.key, mark?.age]).toEqual([
    level,
    reason && `vitals.reason.${reason}`,
    age,
  ])
  expect(Boolean(mark?.source)).toBe(level !== undefined)
})

describe('where the age is approximate the most cautious limit counts, and the mark says so', () => {
  const at = new Date('2026-11-22T10:00:00Z')
  const person = (day: string, precision: 'month' | 'week' | 'year' | 'age' | 'day') => ({
    age: ageSpanAt({ day, precision }, at, 'UTC'),
    sex: null,
  })
  test.for([
    [
      'a baby of the year 2026 may be under 3 months',
      '2026-01-01',
      'year',
      'temperature_celsius',
      38.2,
      'critical',
      'approximate',
    ],
    [
      'the same date, when exact, is 10 months',
      '2026-01-01',
      'day',
      'temperature_celsius',
      38.2,
      'abnormal',
      undefined,
    ],
    [
      '"about a year" may be an infant of 11 months',
      '2025-07-01',
      'age',
      'respiratory_rate',
      40,
      'abnormal',
      'approximate',
    ],
    [
      '"8 months" stays in one band',
      '2026-03-07',
      'month',
      'respiratory_rate',
      55,
      'abnormal',
      undefined,
    ],
    [
      '"3 months" may be 2 months and 29 days',
      '2026-08-14',
      'month',
      'temperature_celsius',
      38.2,
      'critical',
      'approximate',
    ],
    [
      '"4 weeks" may still be a newborn',
      '2026-10-23',
      'week',
      'temperature_celsius',
      36.2,
      'abnormal',
      'approximate',
    ],
    ['an adult stays in one band', '1990-01-01', 'year', 'heart_rate', 140, 'critical', undefined],
    [
      'nothing is marked that no possible age has',
      '2026-01-01',
      'year',
      'temperature_celsius',
      37,
      undefined,
      undefined,
    ],
  ] as const)('%s', ([, day, precision, measure, value, level, age]) => {
    const mark = markValue(measure, value, person(day, precision))
    expect([mark?.level, mark?.age]).toEqual([level, age])
  })
})

test('without a known age, impossible values are flagged', () => {
  const unknown = { age: null, sex: null }
  expect(markValue('temperature_celsius', 98.6, unknown)).toEqual({
    level: 'impossible',
    reason: { key: 'vitals.reason.impossible', values: { min: 20, max: 45 } },
  })
})

test('a diastolic pressure above the systolic one is marked as a mistake', () => {
  const nothing = Object.fromEntries(VITAL_MEASURES.map((measure) => [measure, null])) as Record<
    Measure,
    number | null
  >
  expect(
    markVitals({ ...nothing, systolic_bp: 80, diastolic_bp: 120 }, years(30)).diastolic_bp,
  ).toEqual({
    level: 'impossible',
    reason: { key: 'vitals.diastolicBelow' },
  })
})

test('an age is counted on the calendar of the clinic, leap days included', () => {
  const at = new Date('2025-02-28T22:00:00Z')
  expect(ageAt('2024-02-29', at, 'UTC')).toEqual({ days: 365, months: 11 })
  expect(ageAt('2024-02-29', at, 'Asia/Amman')).toEqual({ days: 366, months: 12 })
  expect(ageAt('2024-02-29', at, 'America/Lima')).toEqual({ days: 365, months: 11 })
  expect(ageAt('1900-01-01', new Date('2000-01-01T00:00:00Z'), 'UTC')).toEqual({
    days: 36524,
    months: 1200,
  })
  expect(ageAt(null, at, 'UTC')).toBeNull()
  expect(ageAt('2026-01-01', at, 'UTC')).toBeNull()
})

test('a sex is understood in the three languages', () => {
  const female = ['f', 'Fem.', 'أنثى', 'بنت', 'Mujer', 'niña', 'NIÑA', 'hembra', 'girl', 'woman']
  const male = [' Male ', 'masc', 'ذكر', 'ولد', 'Hombre', 'niño', 'varón', 'boy']
  expect(female.map(parseSex)).toEqual(female.map(() => 'female'))
  expect(male.map(parseSex)).toEqual(male.map(() => 'male'))
  expect(['unknown', '', null].map(parseSex)).toEqual([null, null, null])
})

test('a bare M or H is not guessed: M is male in English and mujer in Spanish', () => {
  expect(['M', 'm', 'H', 'h', ' m. '].map(parseSex)).toEqual([null, null, null, null, null])
})
