import { type Sex, sexOf } from '~/fields/sex'
import { OfPatient } from '~/features/patients/patient'
import { requirePatient } from '~/policy/require.server'
import { readHistory } from '~/policy/rules'
import { query } from '~/server/operation'
import { mayAnywhere } from '~/shared/actor'
import { clinicTimeZone, dayIn } from '~/shared/zone'
import {
  BANDS,
  GROWN_UP,
  growthOf,
  type HeightPosition,
  INDICATORS,
  lastDayOf,
  lmsAt,
  valueAt,
} from './growth'
import type { Indicator } from './growth-standard'
import { ageAt } from './marks'
import type { VitalMetadata } from './vitals.server'

/** Points of a line: each chart is drawn once from birth to its end. */
const STEPS = 80
/** Nobody is measured more often in nineteen years than this. */
const MEASUREMENTS = 1000

const rounded = (value: number) => Math.round(value * 100) / 100

/**
 * A child's weight, length or height and BMI by age, against the WHO standards: `charts` with their lines and the child's
 * points (age in days, z-score, percentile). Without a sex or a date of birth `reason` says why there is none.
 */
export const childGrowth = query('vitals.growth', {
  input: OfPatient,
  allow: ({ actor }) => mayAnywhere(actor, 'can_view_history'),
  async run(ctx, { patientId }) {
    const { date_of_birth, sex: sexText } = await requirePatient(ctx, patientId, readHistory)
    const sex = sexOf(sexText)
    if (!date_of_birth) return { reason: 'noBirth' as const, charts: [] }
    if (!sex) return { reason: 'noSex' as const, charts: [] }
    const rows = await ctx.db
      .selectFrom('patient_vitals')
      .select(['id', 'timestamp', 'weight_kg', 'height_cm', 'metadata'])
      .where('patient_id', '=', patientId)
      .where('is_deleted', '=', false)
      .where(({ or, eb }) => or([eb('weight_kg', 'is not', null), eb('height_cm', 'is not', null)]))
      .where('timestamp', '<', new Date(Date.parse(date_of_birth) + (GROWN_UP + 2) * 86_400_000))
      .orderBy('timestamp')
      .orderBy('id')
      .limit(MEASUREMENTS)
      .execute()
    const points = rows.flatMap(({ timestamp, weight_kg, height_cm, metadata, id }) => {
      const age = ageAt(date_of_birth, timestamp, clinicTimeZone())
      if (!age) return []
      const position = ((metadata as VitalMetadata).height_position ??
        null) as HeightPosition | null
      const measured = growthOf({ weight_kg, height_cm, position, day: age.days }, sex)
      return measured.map((each) => ({
        ...each,
        id,
        days: age.days,
        day: dayIn(timestamp, clinicTimeZone()),
      }))
    })
    if (points.length === 0) return { reason: 'noMeasurement' as const, charts: [] }
    return { reason: null, charts: INDICATORS.map((indicator) => chartOf(indicator, sex, points)) }
  },
})

type Point = ReturnType<typeof growthOf>[number] & { id: string; days: number; day: string }

function chartOf(indicator: Indicator, sex: Sex, all: Point[]) {
  const points = all.filter((point) => point.indicator === indicator)
  const oldest = points.at(-1)?.days ?? 0
  // a baby's chart is not squeezed into the corner of nineteen years
  const end = Math.min(
    [730, 1856].find((day) => oldest <= day) ?? lastDayOf(indicator),
    lastDayOf(indicator),
  )
  const lines = Array.from({ length: STEPS + 1 }, (_, step) =>
    Math.round((end * step) / STEPS),
  ).flatMap((days) => {
    const lms = lmsAt(indicator, sex, days)
    return lms ? [{ days, values: BANDS.map((z) => rounded(valueAt(lms, z))) }] : []
  })
  return {
    indicator,
    lines,
    points: points.map(({ id, days, day, value, z, percentile, implausible }) => ({
      id,
      days,
      day,
      value: rounded(value),
      z: rounded(z),
      percentile: Math.round(percentile * 10) / 10,
      implausible,
    })),
  }
}

export type GrowthChart = Awaited<ReturnType<typeof childGrowth>>['charts'][number]
