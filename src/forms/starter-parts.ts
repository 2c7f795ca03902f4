import type { Definition, FormField, FormOption, Translation } from './definition'
import { FORM_TEXTS } from './definition'
import type {
  Comparison,
  Computation,
  Condition,
  Limits,
  Rules,
  Test,
  Urgency,
} from './definition-rules'
import { medicineParts, MIME_TYPES, type VitalSign } from './field-kinds'

/** A text in English, Arabic and Spanish. */
export type Words = readonly [en: string, ar: string, es: string]
/** What an answer keeps, and how the option reads. */
export type OptionWords = readonly [value: string, ...Words]
export type Part = { field: FormField; translation: Translation }
export type Starter = { key: string; form: Definition }

const texts = ([en, ar, es]: Words) => ({ en, ar, es })

/** A form of the library: its own language is English, every text is there in all three. */
export function starter(
  key: string,
  name: Words,
  description: Words,
  parts: readonly Part[],
): Starter {
  const of = (fieldId: string, words: Words): Translation => ({
    fieldId,
    name: texts(words),
    description: {},
    options: {},
  })
  return {
    key,
    form: {
      name: name[0],
      description: description[0],
      language: 'en',
      form_fields: parts.map(({ field }) => field),
      translations: [
        of(FORM_TEXTS.name, name),
        of(FORM_TEXTS.description, description),
        ...parts.map(({ translation }) => translation),
      ],
    },
  }
}

type More = {
  hint?: Words
  required?: boolean
  showIf?: Condition
  requiredIf?: Condition
  refuseIf?: Condition
  urgency?: Urgency
  normal?: Partial<Limits>
  limits?: Partial<Limits>
  days?: Rules['days']
  compute?: Computation
  vital?: VitalSign
}

const limitsOf = (limits: Partial<Limits> | undefined) =>
  limits && { min: null, max: null, ...limits }

function basis(
  id: string,
  name: Words,
  { hint, required = false, normal, limits, ...others }: More,
) {
  const rules = { ...others, limits: limitsOf(limits), normal: limitsOf(normal) }
  const isRuled = Object.values(rules).some((rule) => rule !== undefined)
  return {
    field: {
      id,
      name: name[0],
      description: hint?.[0] ?? '',
      required,
      ...(isRuled && {
        rules: Object.fromEntries(Object.entries(rules).filter(([, rule]) => rule !== undefined)),
      }),
    },
    translation: {
      fieldId: id,
      name: texts(name),
      description: hint ? texts(hint) : {},
      options: {},
    },
  }
}

const withOptions = (listed: readonly OptionWords[]) => ({
  options: listed.map(([value, label]): FormOption => ({ id: value, label, value })),
  translated: Object.fromEntries(listed.map(([value, ...words]) => [value, texts(words)])),
})

export const text = (id: string, name: Words, more: More = {}): Part => {
  const { field, translation } = basis(id, name, more)
  return {
    field: { ...field, fieldType: 'free-text', inputType: 'text', length: 'short' },
    translation,
  }
}
export const longText = (id: string, name: Words, more: More = {}): Part => {
  const { field, translation } = basis(id, name, more)
  return {
    field: { ...field, fieldType: 'free-text', inputType: 'textarea', length: 'long' },
    translation,
  }
}
export const number = (id: string, name: Words, more: More & { unit?: string } = {}): Part => {
  const { unit, ...rest } = more
  const { field, translation } = basis(id, name, rest)
  const units = unit ? { units: [unit] } : {}
  return {
    field: { ...field, fieldType: 'free-text', inputType: 'number', length: 'short', ...units },
    translation,
  }
}
export const day = (id: string, name: Words, more: More = {}): Part => {
  const { field, translation } = basis(id, name, more)
  return { field: { ...field, fieldType: 'date', inputType: 'date' }, translation }
}
export const choice = (
  id: string,
  name: Words,
  listed: readonly OptionWords[],
  more: More = {},
): Part => {
  const { field, translation } = basis(id, name, more)
  const { options, translated } = withOptions(listed)
  const inputType = listed.length > 5 ? 'select' : 'radio'
  return {
    field: { ...field, fieldType: 'options', inputType, multi: false, options },
    translation: { ...translation, options: translated },
  }
}
export const choices = (
  id: string,
  name: Words,
  listed: readonly OptionWords[],
  more: More = {},
): Part => {
  const { field, translation } = basis(id, name, more)
  const { options, translated } = withOptions(listed)
  return {
    field: { ...field, fieldType: 'options', inputType: 'select', multi: true, options },
    translation: { ...translation, options: translated },
  }
}
const YES_NO: readonly OptionWords[] = [
  ['yes', 'Yes', 'نعم', 'Sí'],
  ['no', 'No', 'لا', 'No'],
]
export const yesNo = (id: string, name: Words, more: More = {}): Part => {
  const { field, translation } = basis(id, name, more)
  const { options, translated } = withOptions(YES_NO)
  return {
    field: { ...field, fieldType: 'binary', inputType: 'radio', options },
    translation: { ...translation, options: translated },
  }
}
export const diagnosis = (more: More = {}): Part => {
  const { field, translation } = basis('diagnosis', ['Diagnosis', 'التشخيص', 'Diagnóstico'], more)
  return {
    field: { ...field, fieldType: 'diagnosis', inputType: 'select', options: [] },
    translation,
  }
}
export const medicines = (more: More = {}): Part => {
  const { field, translation } = basis('medicine', ['Medicine', 'الأدوية', 'Medicamentos'], more)
  return {
    field: {
      ...field,
      fieldType: 'medicine',
      inputType: 'input-group',
      options: [],
      fields: medicineParts(),
    },
    translation,
  }
}
export const files = (id: string, name: Words, more: More = {}): Part => {
  const { field, translation } = basis(id, name, more)
  const rest = { allowedMimeTypes: [...MIME_TYPES], multiple: true, minItems: 0, maxItems: 5 }
  return { field: { ...field, fieldType: 'file', inputType: 'file', ...rest }, translation }
}
export const heading = (id: string, content: Words, more: More = {}): Part =>
  noteOf(id, content, 'lg', more)
export const note = (id: string, content: Words, more: More = {}): Part =>
  noteOf(id, content, 'md', more)
/** A note that is shown when its condition holds: why, what it means, what to do. */
const noteWhen =
  (urgency: Urgency) =>
  (id: string, showIf: Condition, ...content: Words): Part =>
    noteOf(id, content, 'md', { showIf, urgency })
export const emergency = noteWhen('emergency')
export const urgent = noteWhen('urgent')
export const advice = noteWhen('advice')

function noteOf(id: string, content: Words, size: 'lg' | 'md', more: More): Part {
  const { field, translation } = basis(id, content, more)
  return {
    field: { ...field, name: '', fieldType: 'text', content: content[0], size },
    translation,
  }
}

/** A test of a rule: `when('fever', 'is', 'yes')`. */
export const when = (
  fieldId: string,
  comparison: Comparison,
  value: Test['value'] = null,
): Condition => ({
  match: 'all',
  tests: [{ fieldId, comparison, value }],
})
/** The conditions as parts of one: a single test, or the parts of one that matches alike, go in as they are; any other is a group. */
function partsOf(
  conditions: readonly Condition[],
  alike?: Condition['match'],
): Pick<Condition, 'tests' | 'groups'> {
  const isInline = ({ match, tests, groups }: Condition) =>
    match === alike || (match !== 'none' && tests.length === 1 && !groups)
  const groups = conditions.flatMap((condition) =>
    isInline(condition) ? (condition.groups ?? []) : [condition],
  )
  return {
    tests: conditions.filter(isInline).flatMap(({ tests }) => tests),
    ...(groups.length > 0 && { groups }),
  }
}
export const allOf = (...conditions: Condition[]): Condition => ({
  match: 'all',
  ...partsOf(conditions, 'all'),
})
export const anyOf = (...conditions: Condition[]): Condition => ({
  match: 'any',
  ...partsOf(conditions, 'any'),
})
/** Not one of these holds. */
export const noneOf = (...conditions: Condition[]): Condition => ({
  match: 'none',
  ...partsOf(conditions, 'any'),
})
export const atLeast = (least: number, ...conditions: Condition[]): Condition => ({
  match: 'atLeast',
  least,
  ...partsOf(conditions),
})
/** Any of these options is chosen. */
export const oneOf = (fieldId: string, ...values: string[]): Condition =>
  anyOf(...values.map((value) => when(fieldId, 'is', value)))

/** A computation: `from('bmi', ['weight', 'height'], { decimals: 1 })`. */
export const from = (
  name: Computation['function'],
  fields: string[],
  more: Partial<Computation> = {},
): Computation => ({
  function: name,
  fields,
  formula: '',
  days: 0,
  decimals: 0,
  ...more,
})

export const nextVisit = (more: More = {}): Part =>
  day('next_visit', ['Next visit', 'الزيارة القادمة', 'Próxima consulta'], {
    days: 'future',
    ...more,
  })
export const weight = (more: More = {}): Part =>
  number('weight', ['Weight', 'الوزن', 'Peso'], {
    unit: 'kg',
    vital: 'weight_kg',
    limits: { min: 0.3, max: 400 },
    ...more,
  })
export const height = (more: More = {}): Part =>
  number('height', ['Height', 'الطول', 'Talla'], {
    unit: 'cm',
    vital: 'height_cm',
    limits: { min: 20, max: 250 },
    ...more,
  })
export const bmi = (): Part =>
  number('bmi', ['Body mass index', 'مؤشر كتلة الجسم', 'Índice de masa corporal'], {
    // the normal range of adults (WHO expert committee, Technical Report Series 854, 1995)
    normal: { min: 18.5, max: 24.9 },
    compute: from('bmi', ['weight', 'height'], { decimals: 1 }),
  })

/** Systolic and diastolic pressure, marked from 140/90 (WHO guideline for hypertension in adults, 2021). */
export const bloodPressure = (): Part[] => [
  number(
    'systolic',
    ['Systolic blood pressure', 'ضغط الدم الانقباضي', 'Presión arterial sistólica'],
    {
      unit: 'mmHg',
      vital: 'systolic_bp',
      limits: { min: 30, max: 300 },
      normal: { min: 90, max: 139 },
    },
  ),
  number(
    'diastolic',
    ['Diastolic blood pressure', 'ضغط الدم الانبساطي', 'Presión arterial diastólica'],
    {
      unit: 'mmHg',
      vital: 'diastolic_bp',
      limits: { min: 10, max: 200 },
      normal: { min: 50, max: 89 },
    },
  ),
]
export const temperature = (
  id = 'temperature',
  name: Words = ['Temperature', 'الحرارة', 'Temperatura'],
) =>
  number(id, name, {
    unit: '°C',
    vital: 'temperature_celsius',
    limits: { min: 20, max: 45 },
    normal: { min: 36, max: 37.5 },
  })

const ADHERENCE: readonly OptionWords[] = [
  ['always', 'Every day', 'كل يوم', 'Todos los días'],
  ['mostly', 'Most days', 'معظم الأيام', 'La mayoría de los días'],
  ['sometimes', 'Some days', 'بعض الأيام', 'Algunos días'],
  ['not', 'Not at all', 'أبدًا', 'Nunca'],
]
const SMOKING: readonly OptionWords[] = [
  ['never', 'Never', 'غير مدخّن', 'Nunca fumó'],
  ['former', 'Stopped', 'مدخّن سابق', 'Dejó de fumar'],
  ['current', 'Smokes', 'مدخّن حالي', 'Fuma'],
]
export const adherence = () =>
  choice(
    'adherence',
    [
      'Takes medicines as prescribed',
      'تناول الأدوية كما وُصفت',
      'Toma los medicamentos según lo indicado',
    ],
    ADHERENCE,
  )
export const smoking = () => choice('smoking', ['Smoking', 'التدخين', 'Tabaquismo'], SMOKING)

export const TEST_RESULTS: readonly OptionWords[] = [
  ['negative', 'Negative', 'سلبي', 'Negativo'],
  ['positive', 'Positive', 'إيجابي', 'Positivo'],
  ['not_done', 'Not done', 'لم يُجرَ', 'No realizado'],
]
