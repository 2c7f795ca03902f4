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
/** Kinds whose answer is chosen from a list. */
export const hasOptions = (kind: FieldKindName) =>
  kind === 'options' || kind === 'binary' || kind === 'diagnosis' || kind === 'medicine'

export const BINARY_INPUTS = ['checkbox', 'radio', 'select'] as const
export const TEXT_INPUTS = ['text', 'number', 'email', 'password', 'tel'] as const
export const OPTIONS_INPUTS = ['dropdown', 'radio', 'select'] as const
export const MIME_TYPES = ['image/png', 'image/jpeg', 'application/pdf'] as const
export const TEXT_SIZES = ['xxl', 'xl', 'lg', 'md', 'sm'] as const

export const DURATION_UNITS = ['hours', 'days', 'weeks', 'months', 'years'] as const
export const MEASUREMENT_UNITS = [
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
export const UNITS = [...new Set([...MEASUREMENT_UNITS, ...DOSE_UNITS, ...DURATION_UNITS])] as const

/** The parts of a medicine question with every choice that phones offer. */
export const medicineParts = () => ({
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

/** Phones keep the answers of these two kinds under these names: another kind may not be called so. */
export const RESERVED_NAMES = ['diagnosis', 'medicine'] as const
