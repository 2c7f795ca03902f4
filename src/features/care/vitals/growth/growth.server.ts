import { type Sex, parseSex } from '~/fields/sex'
import { correctionOn } from '~/fields/birth'
import { patientBirth, PatientIdInput } from '~/features/people/patients/patient'
import {
  type HeightPosition,
  tabulatedHeights,
  lmsAtHeight,
  TWO_YEARS,
  weightForHeight,
} from '~/forms/weight-for-height'
import { namedPatient } from '~/policy/on.server'
import { readHistory } from '~/policy/rules'
import { rowsWhere } from '~/policy/sql.server'
import { query } from '~/server/operation'
import { valueAt } from '~/shared/lms'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import {
  BANDS,
  chartBands,
  GROWN_UP,
  measureGrowth,
  type GrowthIndicator,
  INDICATORS,
  lastChartDay,
  lmsAt,
  percentile,
} from './growth'
import { ageAt } from '../marks'
import type { VitalMetadata } from '../vitals.server'

/** Points of a line: each chart is drawn once from birth to its end. */
const STEPS = 80
/** More measurements than a child has in nineteen years. */
const MEASUREMENTS = 1000

/** The columns that charts show. */
const MEASURED = [
  'weight_kg',
  'height_cm',
  'head_circumference_cm',
  'arm_circumference_cm',
] as const

/** `beforeTerm`: measurements before the day of term, at which WHO has no standard. */
const NOTHING = { charts: [], byHeight: [], isCorrected: false, beforeTerm: 0 }

const rounded = (value: number) => Math.round(value * 100) / 100

/**
 * A child's weight, length or height, BMI and circumferences of head and arm by age, against the WHO standards:
 * `charts` with their lines and the child's points (age in days, z-score, percentile). Without a sex or a date of birth
 * `reason` says why there is none. Of a child born before 37 weeks the age is corrected until two years.
 */
export const childGrowth = query('vitals.growth', {
  access: 'vitals',
  reads: ['patient_vitals'],
  looksUp: ['patients'],
  on: namedPatient(readHistory),
  input: PatientIdInput,
  async run(ctx, { patientId }, { patient }) {
    const { date_of_birth } = patient
    const sex = parseSex(patient.sex)
    const birth = patientBirth(patient)
    if (!date_of_birth || !birth) return { reason: 'noBirth' as const, ...NOTHING }
    if (!sex) return { reason: 'noSex' as const, ...NOTHING }
    const rows = await ctx.db
      .selectFrom('patient_vitals')
      .select(['id', 'timestamp', ...MEASURED, 'metadata'])
      .where('patient_id', '=', patientId)
      .where(rowsWhere(ctx.actor, 'patient_vitals'))
      .where('is_deleted', '=', false)
      .where(({ or, eb }) => or(MEASURED.map((column) => eb(column, 'is not', null))))
      .where('timestamp', '<', new Date(Date.parse(date_of_birth) + (GROWN_UP + 2) * 86_400_000))
      .orderBy('timestamp')
      .orderBy('id')
      .limit(MEASUREMENTS)
      .execute()
    let isCorrected = false as boolean
    let beforeTerm = 0
    /** The age in days that the standard is read at: corrected until two years. */
    const plottedAt = (timestamp: Date) => {
      const age = ageAt(date_of_birth, timestamp, clinicTimeZone())
      if (!age) return null
      const correction = correctionOn(birth, dayIn(timestamp, clinicTimeZone()))
      return { days: age.days - correction, correction }
    }
    const points = rows.flatMap(({ timestamp, metadata, id, ...values }) => {
      const age = plottedAt(timestamp)
      if (!age) return []
      if (age.correction > 0) isCorrected = true
      if (age.days < 0) {
        beforeTerm++
        return []
      }
      const position = ((metadata as VitalMetadata).height_position ??
        null) as HeightPosition | null
      const measured = measureGrowth({ ...values, position, day: age.days }, sex)
      return measured.map((each) => ({
        ...each,
        id,
        days: age.days,
        day: dayIn(timestamp, clinicTimeZone()),
      }))
    })
    if (points.length === 0)
      return { reason: 'noMeasurement' as const, ...NOTHING, isCorrected, beforeTerm }
    const byHeight = rows.flatMap(({ timestamp, weight_kg, height_cm, metadata, id }) => {
      const age = plottedAt(timestamp)
      if (!age || age.days < 0 || weight_kg === null || height_cm === null) return []
      const position = ((metadata as VitalMetadata).height_position ??
        null) as HeightPosition | null
      const found = weightForHeight({ weight_kg, height_cm, position, day: age.days }, sex)
      if (!found) return []
      return [
        {
          id,
          days: age.days,
          day: dayIn(timestamp, clinicTimeZone()),
          cm: rounded(found.cm),
          value: rounded(weight_kg),
          z: rounded(found.z),
          percentile: Math.round(percentile(found.z) * 10) / 10,
          implausible: found.isImplausible,
        },
      ]
    })
    return {
      reason: null,
      charts: INDICATORS.map((indicator) => buildChart(indicator, sex, points)),
      byHeight: buildHeightCharts(sex, byHeight),
      isCorrected,
      beforeTerm,
    }
  },
})

type Point = ReturnType<typeof measureGrowth>[number] & { id: string; days: number; day: string }

function buildChart(indicator: GrowthIndicator, sex: Sex, all: Point[]) {
  const points = all.filter((point) => point.indicator === indicator)
  const oldest = points.at(-1)?.days ?? 0
  // a baby's chart is not squeezed into the corner of nineteen years
  const end = Math.min(
    [730, 1856].find((day) => oldest <= day) ?? lastChartDay(indicator),
    lastChartDay(indicator),
  )
  const lines = Array.from({ length: STEPS + 1 }, (_, step) =>
    Math.round((end * step) / STEPS),
  ).flatMap((days) => {
    const lms = lmsAt(indicator, sex, days)
    return lms ? [{ days, values: chartBands(indicator).map((z) => rounded(valueAt(lms, z))) }] : []
  })
  return {
    indicator,
    lines,
    points: points.map(({ id, days, day, value, z, percentile: centile, implausible }) => ({
      id,
      days,
      day,
      value: rounded(value),
      z: rounded(z),
      percentile: Math.round(centile * 10) / 10,
      implausible,
    })),
  }
}

type ByHeight = {
  id: string
  days: number
  day: string
  cm: number
  value: number
  z: number
  percentile: number
  implausible: boolean
}

/** Weight by length below two years, by height from then on: one chart for each that has a point. */
function buildHeightCharts(sex: Sex, all: readonly ByHeight[]) {
  return (['lying', 'standing'] as const).flatMap((position) => {
    const points = all.filter(({ days }) => days < TWO_YEARS === (position === 'lying'))
    if (points.length === 0) return []
    const lines = tabulatedHeights(sex, position).map((cm) => {
      const lms = lmsAtHeight(sex, position, cm)!
      return { cm, values: BANDS.map((z) => rounded(valueAt(lms, z))) }
    })
    return [{ position, lines, points: points.toSorted((a, b) => a.cm - b.cm) }]
  })
}
export type HeightChart = ReturnType<typeof buildHeightCharts>[number]

export type GrowthChart = Awaited<ReturnType<typeof childGrowth>>['charts'][number]
