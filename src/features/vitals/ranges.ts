/** Reference ranges by age and sex: one row for each, so the file is long; its code is short. */
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
  /** Only in pregnancy and until six weeks after it. */
  inPregnancy?: boolean
  /** As months, for newborns. */
  days?: readonly [from: number, before: number]
  sex?: Sex
}

/**
 * Where each range comes from. They help to notice; they diagnose nothing, and people who are fine are marked sometimes.
 * NICE: National Institute for Health and Care Excellence. Measured at rest, at sea level, and not in pregnancy unless the
 * range says so. NG254 (https://www.nice.org.uk/guidance/NG254, 19 November 2025) replaced NG51 for those under 16; its
 * tables 1 to 3 keep the criteria of 2016, which are for a suspected infection.
 */
const SEPSIS = 'NICE NG254, in suspected infection: high and moderate to high risk criteria'
/** Table 1, a sub-score of 2 or 4: https://ccforum.biomedcentral.com/articles/10.1186/cc7998/tables/1 */
const PEWS = 'Bedside PEWS, Parshuram et al., Critical Care 2009;13:R135'
/** Stage 2: the 95th centile + 12 mmHg or 140/90, whichever is lower; so 140/90 is stage 2 at each of these ages. */
const STAGE_2_CHILD = 'American Academy of Pediatrics 2017, stage 2'
/** 140 or 90 is hypertension of pregnancy, 160 or 110 severe. */
const PREGNANT =
  'Hypertension in pregnancy: British and Irish Hypertension Society; NHS Greater Glasgow and Clyde'
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
    {
      measures: RATE,
      level: 'critical',
      reason: 'fastHeart',
      source: SEPSIS,
      from: rate[1],
      months,
    },
    {
      measures: RATE,
      level: 'abnormal',
      reason: 'fastHeart',
      source: SEPSIS,
      from: rate[0],
      months,
    },
    {
      measures: BREATHS,
      level: 'critical',
      reason: 'fastBreath',
      source: SEPSIS,
      from: breaths[1],
      months,
    },
    {
      measures: BREATHS,
      level: 'abnormal',
      reason: 'fastBreath',
      source: SEPSIS,
      from: breaths[0],
      months,
    },
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

const pressureOfChildren: Range[] = Object.entries(SCREENING).flatMap(
  ([year, [systolic, diastolic]]) => {
    const months = [Number(year) * YEAR, (Number(year) + 1) * YEAR] as const
    return [
      {
        measures: ['systolic_bp'],
        level: 'abnormal',
        reason: 'highForChild',
        source: SCREEN,
        from: systolic,
        months,
      },
      {
        measures: ['diastolic_bp'],
        level: 'abnormal',
        reason: 'highForChild',
        source: SCREEN,
        from: diastolic,
        months,
      },
    ] satisfies Range[]
  },
)

/** Months from and before; the heart rate and the breaths per minute up to which a child scores 2, and 4. */
const SLOW_CHILDREN: [
  months: [number, number],
  rate: [number, number],
  breaths: [number, number],
][] = [
  [
    [0, 3],
    [90, 80],
    [19, 15],
  ],
  [
    [3, YEAR],
    [80, 70],
    [19, 15],
  ],
  [
    [YEAR, 4 * YEAR],
    [70, 60],
    [15, 12],
  ],
  [
    [4 * YEAR, 12 * YEAR],
    [60, 50],
    [14, 10],
  ],
  [
    [12 * YEAR, 16 * YEAR],
    [49, 40],
    [10, 9],
  ],
]

const slowOfChildren = (level: Level): Range[] =>
  SLOW_CHILDREN.flatMap(([months, rate, breaths]) => {
    const at = level === 'critical' ? 1 : 0
    return [
      { measures: RATE, level, reason: 'slowHeart', source: PEWS, under: rate[at] + 1, months },
      {
        measures: BREATHS,
        level,
        reason: 'slowBreathAge',
        source: PEWS,
        under: breaths[at] + 1,
        months,
      },
    ] satisfies Range[]
  })

/** Systolic pressure of infants that scores 2, and 4. */
const pressureOfInfants: Range[] = (
  [
    [0, 3, 100, 130],
    [3, YEAR, 120, 150],
  ] as const
).flatMap(([from, before, abnormal, critical]) => {
  const row = {
    measures: ['systolic_bp'],
    reason: 'highForChild',
    source: PEWS,
    months: [from, before],
  } as const
  return [
    { ...row, level: 'critical', from: critical },
    { ...row, level: 'abnormal', from: abnormal },
  ] satisfies Range[]
})

const pressureInPregnancy: Range[] = (
  [
    ['systolic_bp', 160, 140],
    ['diastolic_bp', 110, 90],
  ] as const
).flatMap(([measure, critical, abnormal]) => {
  const row = { measures: [measure], source: PREGNANT, inPregnancy: true } as const
  return [
    { ...row, level: 'critical', reason: 'severePregnancyPressure', from: critical },
    { ...row, level: 'abnormal', reason: 'pregnancyPressure', from: abnormal },
  ] satisfies Range[]
})

const severeOfChildren: Range[] = (
  [
    ['systolic_bp', 140],
    ['diastolic_bp', 90],
  ] as const
).map(([measure, from]) => ({
  measures: [measure],
  level: 'critical',
  reason: 'stage2Child',
  source: STAGE_2_CHILD,
  from,
  months: [YEAR, 13 * YEAR],
}))

/** The first that fits counts: of one measure and age, what is critical stands before what is abnormal. */
export const RANGES: readonly Range[] = [
  ...pressureInPregnancy,
  ...ofChildren,
  {
    measures: RATE,
    level: 'critical',
    reason: 'slowHeart',
    source: SEPSIS,
    under: 60,
    months: [0, 12 * YEAR],
  },
  ...slowOfChildren('critical'),
  ...slowOfChildren('abnormal'),
  {
    measures: RATE,
    level: 'critical',
    reason: 'fastHeart',
    source: NEWS,
    from: 131,
    months: ADULT,
  },
  {
    measures: RATE,
    level: 'abnormal',
    reason: 'fastHeart',
    source: NEWS,
    from: 111,
    months: ADULT,
  },
  {
    measures: RATE,
    level: 'critical',
    reason: 'slowHeart',
    source: NEWS,
    under: 41,
    months: ADULT,
  },
  {
    measures: BREATHS,
    level: 'critical',
    reason: 'fastBreath',
    source: NEWS,
    from: 25,
    months: ADULT,
  },
  {
    measures: BREATHS,
    level: 'abnormal',
    reason: 'fastBreath',
    source: NEWS,
    from: 21,
    months: ADULT,
  },
  {
    measures: BREATHS,
    level: 'critical',
    reason: 'slowBreath',
    source: NEWS,
    under: 9,
    months: ADULT,
  },

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
  {
    measures: ['oxygen_saturation'],
    level: 'critical',
    reason: 'lowOxygen',
    source: NEWS,
    under: 92,
    months: ADULT,
  },
  {
    measures: ['oxygen_saturation'],
    level: 'abnormal',
    reason: 'lowOxygen',
    source: NEWS,
    under: 94,
    months: ADULT,
  },
  {
    measures: ['oxygen_saturation'],
    level: 'critical',
    reason: 'lowOxygen',
    source: HYPOXAEMIA,
    under: 90,
  },

  {
    measures: ['temperature_celsius'],
    level: 'critical',
    reason: 'feverInfant',
    source: FEVER,
    from: 38,
    months: [0, 3],
  },
  {
    measures: ['temperature_celsius'],
    level: 'critical',
    reason: 'cold',
    source: NEWBORN,
    under: 36,
    days: [0, 28],
  },
  {
    measures: ['temperature_celsius'],
    level: 'abnormal',
    reason: 'cold',
    source: NEWBORN,
    under: 36.5,
    days: [0, 28],
  },
  { measures: ['temperature_celsius'], level: 'critical', reason: 'heat', source: HEAT, from: 40 },
  {
    measures: ['temperature_celsius'],
    level: 'critical',
    reason: 'cold',
    source: NEWS,
    under: 35.1,
  },
  {
    measures: ['temperature_celsius'],
    level: 'abnormal',
    reason: 'cold',
    source: SEPSIS,
    under: 36,
  },
  {
    measures: ['temperature_celsius'],
    level: 'abnormal',
    reason: 'fever',
    source: FEVER,
    from: 38,
  },

  {
    measures: ['systolic_bp'],
    level: 'critical',
    reason: 'lowPressure',
    source: LOW_CHILD,
    under: 60,
    days: [0, 28],
  },
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
  ...pressureOfInfants,
  ...severeOfChildren,
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
  {
    measures: ['systolic_bp'],
    level: 'critical',
    reason: 'lowPressure',
    source: NEWS,
    under: 91,
    months: ADULT,
  },
  {
    measures: ['systolic_bp'],
    level: 'abnormal',
    reason: 'lowPressure',
    source: NEWS,
    under: 101,
    months: ADULT,
  },

  {
    measures: ['bmi'],
    level: 'critical',
    reason: 'thin',
    source: BMI,
    under: 16,
    months: [19 * YEAR, Infinity],
  },
  {
    measures: ['bmi'],
    level: 'abnormal',
    reason: 'thin',
    source: BMI,
    under: 18.5,
    months: [19 * YEAR, Infinity],
  },
  {
    measures: ['bmi'],
    level: 'abnormal',
    reason: 'obese',
    source: BMI,
    from: 30,
    months: [19 * YEAR, Infinity],
  },
  {
    measures: ['bmi'],
    level: 'abnormal',
    reason: 'overweight',
    source: BMI,
    from: 25,
    months: [19 * YEAR, Infinity],
  },
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
