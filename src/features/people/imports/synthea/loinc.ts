/** The columns of patient_vitals that imported measurements can fill. */
type VitalColumn =
  | 'systolic_bp'
  | 'diastolic_bp'
  | 'height_cm'
  | 'weight_kg'
  | 'bmi'
  | 'waist_circumference_cm'
  | 'heart_rate'
  | 'pulse_rate'
  | 'respiratory_rate'
  | 'oxygen_saturation'
  | 'temperature_celsius'
  | 'pain_level'

type Quantity =
  | 'pressure'
  | 'length'
  | 'mass'
  | 'massIndex'
  | 'rate'
  | 'share'
  | 'temperature'
  | 'score'

/**
 * LOINC 2.80 (loinc.org): the vital sign of each code. The body length of infants is stored as
 * height.
 */
const codes: Record<string, [VitalColumn, Quantity]> = {
  '8480-6': ['systolic_bp', 'pressure'],
  '8462-4': ['diastolic_bp', 'pressure'],
  '8302-2': ['height_cm', 'length'],
  '8306-3': ['height_cm', 'length'],
  '29463-7': ['weight_kg', 'mass'],
  '3141-9': ['weight_kg', 'mass'],
  '39156-5': ['bmi', 'massIndex'],
  '8280-0': ['waist_circumference_cm', 'length'],
  '56086-2': ['waist_circumference_cm', 'length'],
  '8867-4': ['heart_rate', 'rate'],
  '8893-0': ['pulse_rate', 'rate'],
  '9279-1': ['respiratory_rate', 'rate'],
  '59408-5': ['oxygen_saturation', 'share'],
  '2708-6': ['oxygen_saturation', 'share'],
  '8310-5': ['temperature_celsius', 'temperature'],
  '8331-1': ['temperature_celsius', 'temperature'],
  '72514-3': ['pain_level', 'score'],
}

/** Conversions of UCUM units (ucum.org), and of the names that exports use, to our units. */
const units: Record<Quantity, Record<string, (value: number) => number>> = {
  pressure: { 'mm[hg]': same, mmhg: same, kpa: by(7.500617) },
  length: {
    cm: same,
    m: by(100),
    mm: by(0.1),
    '[in_i]': by(2.54),
    in: by(2.54),
    '[ft_i]': by(30.48),
  },
  mass: {
    kg: same,
    g: by(0.001),
    '[lb_av]': by(0.45359237),
    lb: by(0.45359237),
    lbs: by(0.45359237),
    '[oz_av]': by(0.028349523),
  },
  massIndex: { 'kg/m2': same, 'kg/m^2': same },
  rate: { '/min': same, '{beats}/min': same, '{breaths}/min': same, bpm: same },
  share: { '%': same },
  temperature: {
    cel: same,
    c: same,
    '°c': same,
    '[degf]': fahrenheit,
    degf: fahrenheit,
    f: fahrenheit,
    '°f': fahrenheit,
  },
  score: { '{score}': same, '1': same },
}

function same(value: number) {
  return value
}
function by(factor: number) {
  return (value: number) => round(value * factor)
}
function fahrenheit(value: number) {
  return round(((value - 32) * 5) / 9)
}
/** Rounds to the accuracy of instruments, without binary fraction noise. */
const round = (value: number) => Math.round(value * 1e4) / 1e4

export const isVitalSign = (code: string) => Object.hasOwn(codes, code)

/**
 * Our column and value of a measurement; undefined if the unit does not fit. No unit means the
 * usual one.
 */
export function vitalSign(
  code: string,
  value: number,
  unit: string,
): { column: VitalColumn; value: number } | undefined {
  const [column, quantity] = codes[code]!
  const convert = unit === '' ? same : units[quantity][unit.toLowerCase()]
  return convert && { column, value: convert(value) }
}
