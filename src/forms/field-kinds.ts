import { DOSAGE_FORMS, DOSE_UNITS, ROUTES } from '~/shared/dosage'

/** The enumerations of form definitions, as phones read them. */
export const FIELD_KINDS = [
  'free-text',
  'options',
  'binary',
  'date',
  'medicine',
  'diagnosis',
  'file',
  'text',
  'separator',
] as const
export type FieldKindName = (typeof FIELD_KINDS)[number]

/** Kinds that ask nothing: a heading or a note, and a line. */
export const isLayout = (kind: FieldKindName) => kind === 'text' || kind === 'separator'

export const BINARY_INPUTS = ['checkbox', 'radio', 'select'] as const
export const TEXT_INPUTS = ['text', 'number', 'email', 'password', 'tel'] as const
export const OPTIONS_INPUTS = ['dropdown', 'radio', 'select'] as const
export const MIME_TYPES = ['image/png', 'image/jpeg', 'application/pdf'] as const
export const TEXT_SIZES = ['xxl', 'xl', 'lg', 'md', 'sm'] as const

export const DURATION_UNITS = ['hours', 'days', 'weeks', 'months', 'years'] as const
const MEASUREMENT_UNITS = [
  'cm',
  'm',
  'kg',
  'lb',
  'in',
  'ft',
  'mmHg',
  'cmH2O',
  'mmH2O',
  '°C',
  '°F',
  'BPM',
  'P',
  'mmol/L',
  'mg/dL',
  '%',
  'units',
] as const
/** Whatever a number in a form may be measured in. */
export const FORM_UNITS = [
  ...new Set([...MEASUREMENT_UNITS, ...DOSE_UNITS, ...DURATION_UNITS]),
] as const

/** The parts of a medicine question with every choice that phones offer. */
export const allMedicineParts = () => ({
  name: '',
  route: [...ROUTES],
  form: [...DOSAGE_FORMS],
  frequency: '',
  intervals: '',
  dose: '',
  doseUnits: [...DOSE_UNITS],
  duration: '',
  durationUnits: [...DURATION_UNITS],
})

/** Vital signs, in the order in which they are asked and shown. Columns of `patient_vitals`. */
export const VITAL_SIGNS = [
  'systolic_bp',
  'diastolic_bp',
  'heart_rate',
  'pulse_rate',
  'respiratory_rate',
  'oxygen_saturation',
  'temperature_celsius',
  'weight_kg',
  'height_cm',
  'waist_circumference_cm',
  'head_circumference_cm',
  'arm_circumference_cm',
  'pain_level',
  'creatinine_umol_l',
] as const
export type VitalSign = (typeof VITAL_SIGNS)[number]
/**
 * The units in which a number of a form may be recorded as a vital sign. Where a sign has several, the field must name
 * one: a weight without a unit may be in pounds.
 */
export const VITAL_UNITS: Record<VitalSign, readonly (typeof FORM_UNITS)[number][]> = {
  systolic_bp: ['mmHg'],
  diastolic_bp: ['mmHg'],
  heart_rate: ['BPM', 'P'],
  pulse_rate: ['BPM', 'P'],
  respiratory_rate: ['BPM'],
  oxygen_saturation: ['%'],
  temperature_celsius: ['°C', '°F'],
  weight_kg: ['kg', 'lb'],
  height_cm: ['cm', 'in'],
  waist_circumference_cm: ['cm', 'in'],
  head_circumference_cm: ['cm', 'in'],
  arm_circumference_cm: ['cm'],
  pain_level: [],
  creatinine_umol_l: ['mg/dL'],
}
const NEED_A_UNIT = new Set<VitalSign>([
  'temperature_celsius',
  'weight_kg',
  'height_cm',
  'waist_circumference_cm',
  'head_circumference_cm',
  'arm_circumference_cm',
  'creatinine_umol_l',
])
export const fitsVital = (vital: VitalSign, unit: string | undefined) =>
  unit === undefined ? !NEED_A_UNIT.has(vital) : VITAL_UNITS[vital].some((one) => one === unit)

/** Phones keep the answers of these two kinds under these names: another kind may not be called so. */
export const RESERVED_NAMES = ['diagnosis', 'medicine'] as const
