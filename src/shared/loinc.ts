import { keysIn } from './object'
import { UMOL_PER_MG_DL } from './creatinine'

/** What a vital sign measures: its unit and the units that are converted to it. */
type Quantity =
  | 'pressure'
  | 'length'
  | 'mass'
  | 'massIndex'
  | 'rate'
  | 'share'
  | 'temperature'
  | 'score'
  | 'creatinine'

/** The UCUM units (ucum.org) in which `patient_vitals` stores values. */
export const UCUM: Record<Quantity, string> = {
  pressure: 'mm[Hg]',
  length: 'cm',
  mass: 'kg',
  massIndex: 'kg/m2',
  rate: '/min',
  share: '%',
  temperature: 'Cel',
  score: '{score}',
  creatinine: 'umol/L',
}

/** The units as people read them. */
export const UNIT_WORDS: Record<Quantity, string> = {
  pressure: 'mmHg',
  length: 'cm',
  mass: 'kg',
  massIndex: 'kg/m²',
  rate: '/min',
  share: '%',
  temperature: '°C',
  score: '/10',
  creatinine: 'µmol/L',
}

/** https://loinc.org */
export const LOINC = 'http://loinc.org'

/**
 * `writes`: the codes of a FHIR Observation, each with LOINC's name; `reads`: what measures the same. The body
 * length of infants is stored as height.
 */
type Sign = {
  writes: readonly [code: string, name: string][]
  reads?: readonly string[]
  is: Quantity
}

/**
 * LOINC 2.80 (loinc.org) of each column of `patient_vitals`, both ways: imports read these codes, FHIR writes them
 * as the vital signs profiles of R4 ask (https://hl7.org/fhir/R4/observation-vitalsigns.html).
 */
export const SIGNS = {
  systolic_bp: { writes: [['8480-6', 'Systolic blood pressure']], is: 'pressure' },
  diastolic_bp: { writes: [['8462-4', 'Diastolic blood pressure']], is: 'pressure' },
  height_cm: { writes: [['8302-2', 'Body height']], reads: ['8306-3'], is: 'length' },
  weight_kg: { writes: [['29463-7', 'Body weight']], reads: ['3141-9'], is: 'mass' },
  bmi: { writes: [['39156-5', 'Body mass index (BMI) [Ratio]']], is: 'massIndex' },
  waist_circumference_cm: {
    writes: [['8280-0', 'Waist Circumference at umbilicus by Tape measure']],
    reads: ['56086-2'],
    is: 'length',
  },
  head_circumference_cm: {
    writes: [['9843-4', 'Head Occipital-frontal circumference']],
    reads: ['8287-5'],
    is: 'length',
  },
  heart_rate: { writes: [['8867-4', 'Heart rate']], is: 'rate' },
  pulse_rate: { writes: [['8893-0', 'Heart rate Peripheral artery by palpation']], is: 'rate' },
  respiratory_rate: { writes: [['9279-1', 'Respiratory rate']], is: 'rate' },
  oxygen_saturation: {
    writes: [
      ['2708-6', 'Oxygen saturation in Arterial blood'],
      ['59408-5', 'Oxygen saturation in Arterial blood by Pulse oximetry'],
    ],
    is: 'share',
  },
  temperature_celsius: {
    writes: [['8310-5', 'Body temperature']],
    reads: ['8331-1'],
    is: 'temperature',
  },
  pain_level: {
    writes: [['72514-3', 'Pain severity - 0-10 verbal numeric rating [Score] - Reported']],
    is: 'score',
  },
  creatinine_umol_l: {
    writes: [['14682-9', 'Creatinine [Moles/volume] in Serum or Plasma']],
    reads: ['2160-0'],
    is: 'creatinine',
  },
} as const satisfies Record<string, Sign>
/** A column of `patient_vitals` that a LOINC code names. */
export type CodedVital = keyof typeof SIGNS
const signs: Readonly<Record<CodedVital, Sign>> = SIGNS

const columnOf = new Map(
  keysIn(SIGNS).flatMap((column) => {
    const { writes, reads = [] } = signs[column]
    return [...writes.map(([code]) => code), ...reads].map((code) => [code, column] as const)
  }),
)

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
  creatinine: { 'umol/l': same, 'mg/dl': by(UMOL_PER_MG_DL) },
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

export const isVitalSign = (code: string) => columnOf.has(code)

/**
 * Our column and value of a measurement; undefined if the unit does not fit. No unit means the
 * usual one.
 */
export function vitalSign(
  code: string,
  value: number,
  unit: string,
): { column: CodedVital; value: number } | undefined {
  const column = columnOf.get(code)!
  const convert = unit === '' ? same : units[signs[column].is][unit.toLowerCase()]
  return convert && { column, value: convert(value) }
}
