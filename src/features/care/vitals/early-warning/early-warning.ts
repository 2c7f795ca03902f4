import { LIMITS } from '../vital'
import table from './early-warning.json'

/** The parts of NEWS2 in the order of its chart. Oxygen given and consciousness are no vital signs of Sanad. */
const NEWS2_PARTS = [
  'respiratory_rate',
  'oxygen_saturation',
  'oxygen_given',
  'systolic_bp',
  'pulse',
  'consciousness',
  'temperature_celsius',
] as const
type Part = (typeof NEWS2_PARTS)[number]

/**
 * `total`: the points of the signs that were measured. The score of NEWS2 is at least that: what is `missing` can only
 * add points. `red`: one sign alone has three.
 */
export type News2 = { total: number; red: boolean; missing: readonly Part[] }

const ADULT_MONTHS = 16 * 12
/** Fewer signs say too little to show points. */
const LEAST = 3

type Signs = {
  respiratory_rate: number | null
  oxygen_saturation: number | null
  systolic_bp: number | null
  pulse_rate: number | null
  heart_rate: number | null
  temperature_celsius: number | null
}
type Person = { youngestMonths: number | null; isPregnant: boolean }

/** The points of one measurement by NEWS2; null below 16 years, of unknown age, in pregnancy, or of too few signs. */
export function computeNews2(vital: Signs, { youngestMonths, isPregnant }: Person): News2 | null {
  if (youngestMonths === null || youngestMonths < ADULT_MONTHS || isPregnant) return null
  const values: Record<keyof typeof table.signs, number | null> = {
    respiratory_rate: vital.respiratory_rate,
    oxygen_saturation: vital.oxygen_saturation,
    systolic_bp: vital.systolic_bp,
    pulse: vital.pulse_rate ?? vital.heart_rate,
    temperature_celsius: vital.temperature_celsius,
  }
  const points = NEWS2_PARTS.flatMap((part) => {
    if (part === 'oxygen_given' || part === 'consciousness') return []
    const value = values[part]
    const [min, max] = LIMITS[part === 'pulse' ? 'pulse_rate' : part]
    // what no person can have is a mistake, not a measurement
    return value === null || value < min || value > max
      ? []
      : { part, points: signPoints(part, value) }
  })
  if (points.length < LEAST) return null
  const measured = new Set<Part>(points.map(({ part }) => part))
  return {
    total: points.reduce((sum, each) => sum + each.points, 0),
    red: points.some((each) => each.points === 3),
    missing: NEWS2_PARTS.filter((part) => !measured.has(part)),
  }
}

/** The chart has whole numbers, and temperatures with one decimal. */
function signPoints(sign: keyof typeof table.signs, value: number): number {
  const shown = sign === 'temperature_celsius' ? Math.round(value * 10) / 10 : Math.round(value)
  return table.signs[sign].findLast(([from = 0]) => shown >= from)?.[1] ?? 0
}
