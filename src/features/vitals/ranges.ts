import type { Sex } from '~/fields/sex'
import type { MessageKey } from '~/shared/language'
import type { Measure } from './vital'

type Level = 'abnormal' | 'critical'
type ReasonIn<Key> = Key extends `vitals.reason.${infer Reason}` ? Reason : never
type Reason = ReasonIn<MessageKey>

/** Marks what is below `under`, or at least `from`, for ages from `months[0]` up to but not including `months[1]`. */
export type Range = {
  measures: readonly Measure[]
  level: Level
  reason: Reason
  source: string
  under?: number | ((years: number) => number)
  from?: number
  months?: readonly [from: number, before: number]
  /** As months, for newborns. */
  days?: readonly [from: number, before: number]
  sex?: Sex
}

/**
 * Where each range comes from. They help to notice; they diagnose nothing, and people who are fine are marked sometimes.
 * NICE: National Institute for Health and Care Excellence. Measured at rest, at sea level, not in pregnancy.
 */
const SEPSIS = 'NICE NG51, high and moderate to high risk criteria'
const HYPOXAEMIA = 'WHO, Oxygen therapy for children, 2016'
const FEVER = 'NICE NG143'
const NEWS = 'NEWS2, Royal College of Physicians 2017: a score of 2, or of 3'
const NEWBORN = 'WHO, Thermal protection of the newborn, 1997'
const HEAT = 'Bouchama and Knochel, N Engl J Med 2002'
const LOW_CHILD = 'American Heart Association, Pediatric Advanced Life Support'
const SCREEN = 'American Academy of Pediatrics 2017, simplified table'
const PRESSURE = 'International Society of Hypertension 2020'
const SEVERE_TEEN = 'American Academy of Pediatrics 2017'
const BMI = 'WHO, Technical Report Series 894'
const WAIST = 'WHO, Waist circumference and waist-hip ratio, 2008'
const PAIN = 'Serlin et al., Pain 1995'

const RATE = ['heart_rate', 'pulse_rate'] as const
const BREATHS = ['respiratory_rate'] as const
const YEAR = 12
const ADULT = [16 * YEAR, Infinity] as const

/** Years from and before; heart rate and breaths per minute that are moderate to high risk, and high risk, from there on. */
const CHILDREN: [years: [number, number], rate: [number, number], breaths: [number, number]][] = [
  [
    [0, 1],
    [150, 160],
    [50, 60],
  ],
  [
    [1, 3],
    [140, 150],
    [40, 50],
  ],
  [
    [3, 5],
    [130, 140],
    [35, 40],
  ],
  [
    [5, 6],
    [120, 130],
    [24, 29],
  ],
  [
    [6, 8],
    [110, 120],
    [24, 27],
  ],
  [
    [8, 12],
    [105, 115],
    [22, 25],
  ],
  [
    [12, 16],
    [91, 131],
    [21, 25],
  ],
]

const ofChildren: Range[] = CHILDREN.flatMap(([[from, before], rate, breaths]) => {
  const months = [from * YEAR, before * YEAR] as const
  return [
    { measures: RATE, level: 'critical', reason: 'fastHeart', source: SEPSIS, from: rate[1], months },
    { measures: RATE, level: 'abnormal', reason: 'fastHeart', source: SEPSIS, from: rate[0], months },
    { measures: BREATHS, level: 'critical', reason: 'fastBreath', source: SEPSIS, from: breaths[1], months },
    { measures: BREATHS, level: 'abnormal', reason: 'fastBreath', source: SEPSIS, from: breaths[0], months },
  ] satisfies Range[]
})

/** Year of life -> systolic and diastolic pressure from which a child is to be measured again, the same for boys and girls: the lower of the two. */
const SCREENING: Record<number, [number, number]> = {
  1: [98, 52],
  2: [100, 55],
  3: [101, 58],
  4: [102, 60],
  5: [103, 63],
  6: [105, 66],
  7: [106, 68],
  8: [107, 69],
  9: [107, 70],
  10: [108, 72],
  11: [110, 74],
  12: [113, 75],
}

const pressureOfChildren: Range[] = Object.entries(SCREENING).flatMap(([year, [systolic, diastolic]]) => {
  const months = [Number(year) * YEAR, (Number(year) + 1) * YEAR] as const
  return [
    { measures: ['systolic_bp'], level: 'abnormal', reason: 'highForChild', source: SCREEN, from: systolic, months },
    { measures: ['diastolic_bp'], level: 'abnormal', reason: 'highForChild', source: SCREEN, from: diastolic, months },
  ] satisfies Range[]
})

/** The first that fits counts: of one measure and age, what is critical stands before what is abnormal. */
export const RANGES: readonly Range[] = [
  ...ofChildren,
  { measures: RATE, level: 'critical', reason: 'slowHeart', source: SEPSIS, under: 60, months: [0, 12 * YEAR] },
  { measures: RATE, level: 'critical', reason: 'fastHeart', source: NEWS, from: 131, months: ADULT },
  { measures: RATE, level: 'abnormal', reason: 'fastHeart', source: NEWS, from: 111, months: ADULT },
  { measures: RATE, level: 'critical', reason: 'slowHeart', source: NEWS, under: 41, months: ADULT },
  { measures: BREATHS, level: 'critical', reason: 'fastBreath', source: NEWS, from: 25, months: ADULT },
  { measures: BREATHS, level: 'abnormal', reason: 'fastBreath', source: NEWS, from: 21, months: ADULT },
  { measures: BREATHS, level: 'critical', reason: 'slowBreath', source: NEWS, under: 9, months: ADULT },

  {
    measures: ['oxygen_saturation'],
    level: 'critical',
    reason: 'lowOxygen',
    source: SEPSIS,
    under: 90,
    months: [0, 16 * YEAR],
  },
  {
    measures: ['oxygen_saturation'],
    level: 'abnormal',
    reason: 'lowOxygen',
    source: SEPSIS,
    under: 92,
    months: [0, 16 * YEAR],
  },
  { measures: ['oxygen_saturation'], level: 'critical', reason: 'lowOxygen', source: NEWS, under: 92, months: ADULT },
  { measures: ['oxygen_saturation'], level: 'abnormal', reason: 'lowOxygen', source: NEWS, under: 94, months: ADULT },
  { measures: ['oxygen_saturation'], level: 'critical', reason: 'lowOxygen', source: HYPOXAEMIA, under: 90 },

  {
    measures: ['temperature_celsius'],
    level: 'critical',
    reason: 'feverInfant',
    source: FEVER,
    from: 38,
    months: [0, 3],
  },
  { measures: ['temperature_celsius'], level: 'critical', reason: 'cold', source: NEWBORN, under: 36, days: [0, 28] },
  { measures: ['temperature_celsius'], level: 'abnormal', reason: 'cold', source: NEWBORN, under: 36.5, days: [0, 28] },
  { measures: ['temperature_celsius'], level: 'critical', reason: 'heat', source: HEAT, from: 40 },
  { measures: ['temperature_celsius'], level: 'critical', reason: 'cold', source: NEWS, under: 35.1 },
  { measures: ['temperature_celsius'], level: 'abnormal', reason: 'cold', source: SEPSIS, under: 36 },
  { measures: ['temperature_celsius'], level: 'abnormal', reason: 'fever', source: FEVER, from: 38 },

  { measures: ['systolic_bp'], level: 'critical', reason: 'lowPressure', source: LOW_CHILD, under: 60, days: [0, 28] },
  {
    measures: ['systolic_bp'],
    level: 'critical',
    reason: 'lowPressure',
    source: LOW_CHILD,
    under: 70,
    days: [28, Infinity],
    months: [0, YEAR],
  },
  {
    measures: ['systolic_bp'],
    level: 'critical',
    reason: 'lowPressure',
    source: LOW_CHILD,
    under: (years) => 70 + 2 * years,
    months: [YEAR, 10 * YEAR],
  },
  {
    measures: ['systolic_bp'],
    level: 'critical',
    reason: 'lowPressure',
    source: LOW_CHILD,
    under: 90,
    months: [10 * YEAR, 16 * YEAR],
  },
  ...pressureOfChildren,
  {
    measures: ['systolic_bp'],
    level: 'critical',
    reason: 'highPressure',
    source: SEVERE_TEEN,
    from: 180,
    months: [13 * YEAR, 18 * YEAR],
  },
  {
    measures: ['diastolic_bp'],
    level: 'critical',
    reason: 'highPressure',
    source: SEVERE_TEEN,
    from: 120,
    months: [13 * YEAR, 18 * YEAR],
  },
  {
    measures: ['systolic_bp'],
    level: 'abnormal',
    reason: 'highPressure',
    source: SEVERE_TEEN,
    from: 130,
    months: [13 * YEAR, 18 * YEAR],
  },
  {
    measures: ['diastolic_bp'],
    level: 'abnormal',
    reason: 'highPressure',
    source: SEVERE_TEEN,
    from: 80,
    months: [13 * YEAR, 18 * YEAR],
  },
  {
    measures: ['systolic_bp'],
    level: 'critical',
    reason: 'highPressure',
    source: PRESSURE,
    from: 180,
    months: [18 * YEAR, Infinity],
  },
  {
    measures: ['diastolic_bp'],
    level: 'critical',
    reason: 'highPressure',
    source: PRESSURE,
    from: 110,
    months: [18 * YEAR, Infinity],
  },
  {
    measures: ['systolic_bp'],
    level: 'abnormal',
    reason: 'highPressure',
    source: PRESSURE,
    from: 140,
    months: [18 * YEAR, Infinity],
  },
  {
    measures: ['diastolic_bp'],
    level: 'abnormal',
    reason: 'highPressure',
    source: PRESSURE,
    from: 90,
    months: [18 * YEAR, Infinity],
  },
  { measures: ['systolic_bp'], level: 'critical', reason: 'lowPressure', source: NEWS, under: 91, months: ADULT },
  { measures: ['systolic_bp'], level: 'abnormal', reason: 'lowPressure', source: NEWS, under: 101, months: ADULT },

  { measures: ['bmi'], level: 'critical', reason: 'thin', source: BMI, under: 16, months: [19 * YEAR, Infinity] },
  { measures: ['bmi'], level: 'abnormal', reason: 'thin', source: BMI, under: 18.5, months: [19 * YEAR, Infinity] },
  { measures: ['bmi'], level: 'abnormal', reason: 'obese', source: BMI, from: 30, months: [19 * YEAR, Infinity] },
  { measures: ['bmi'], level: 'abnormal', reason: 'overweight', source: BMI, from: 25, months: [19 * YEAR, Infinity] },
  {
    measures: ['waist_circumference_cm'],
    level: 'abnormal',
    reason: 'waist',
    source: WAIST,
    from: 102,
    sex: 'male',
    months: [18 * YEAR, Infinity],
  },
  {
    measures: ['waist_circumference_cm'],
    level: 'abnormal',
    reason: 'waist',
    source: WAIST,
    from: 88,
    sex: 'female',
    months: [18 * YEAR, Infinity],
  },
  { measures: ['pain_level'], level: 'abnormal', reason: 'pain', source: PAIN, from: 7 },
]
