import * as z from 'zod'
import { forEachName } from '~/shared/object'
import { type Field, number, optional, fieldsSchema, select } from '~/fields/field'
import { VITAL_SIGNS } from '~/forms/field-kinds'
import { KG_PER_LB } from '~/forms/weight-for-age'
import { HEIGHT_POSITIONS } from '~/forms/weight-for-height'
import { UMOL_PER_MG_DL } from '~/shared/creatinine'
import { AppError, type Message } from '~/shared/errors'
import type { MessageKey } from '~/shared/language'
import { ListInput, orNull, Saved } from '~/shared/record'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { SentMoment } from '~/shared/moment'

export const ENTERED = VITAL_SIGNS
export type Entered = (typeof ENTERED)[number]
export const VITAL_MEASURES = [...ENTERED, 'bmi'] as const
export type Measure = (typeof VITAL_MEASURES)[number]

/**
 * What is impossible, in the stored units. Temperature and systolic pressure: docs/rules.md, "Vital
 * signs"; the lightest newborn who lived had 212 g and the heaviest person 635 kg, the tallest 272
 * cm, the widest waist 302 cm (Guinness World Records); circumferences of head and arm leave room for the smallest
 * newborn and for hydrocephalus; pain is the numeric rating scale; the
 * others are what monitors can count, with room for the sickest newborn. The limits of creatinine
 * (0.11 to 33.94 mg/dL) leave no value of one unit possible in the other that anybody has.
 */
export const LIMITS: Record<Measure, readonly [min: number, max: number]> = {
  systolic_bp: [30, 300],
  diastolic_bp: [10, 200],
  heart_rate: [10, 350],
  pulse_rate: [10, 350],
  respiratory_rate: [1, 150],
  oxygen_saturation: [10, 100],
  temperature_celsius: [20, 45],
  weight_kg: [0.2, 650],
  height_cm: [20, 275],
  waist_circumference_cm: [15, 310],
  head_circumference_cm: [15, 90],
  arm_circumference_cm: [3, 90],
  pain_level: [0, 10],
  bmi: [3, 250],
  creatinine_umol_l: [10, 3000],
}
export const WHOLE: ReadonlySet<Entered> = new Set<Entered>([
  'systolic_bp',
  'diastolic_bp',
  'heart_rate',
  'pulse_rate',
  'respiratory_rate',
  'pain_level',
])

/** What a value may be typed in; the first is what is stored. */
export const VITAL_INPUT_UNITS = {
  temperature_celsius: ['°C', '°F'],
  weight_kg: ['kg', 'lb'],
  height_cm: ['cm', 'in'],
  waist_circumference_cm: ['cm', 'in'],
  head_circumference_cm: ['cm', 'in'],
  // MUAC tapes have both
  arm_circumference_cm: ['cm', 'mm'],
  creatinine_umol_l: ['µmol/L', 'mg/dL'],
} as const
export type WithUnits = keyof typeof VITAL_INPUT_UNITS
export type Unit = (typeof VITAL_INPUT_UNITS)[WithUnits][number]
export type Units = { [M in WithUnits]?: (typeof VITAL_INPUT_UNITS)[M][number] }

const CM_PER_IN = 2.54
const rounded = (value: number, decimals: number) =>
  Math.round(value * 10 ** decimals) / 10 ** decimals

/** A typed value as it is stored: °C, kg, cm. Three decimals keep every typed one apart. */
export function toMetric(value: number, unit: Unit): number {
  if (unit === '°F') return rounded(((value - 32) * 5) / 9, 3)
  if (unit === 'lb') return rounded(value * KG_PER_LB, 3)
  if (unit === 'mg/dL') return rounded(value * UMOL_PER_MG_DL, 3)
  if (unit === 'mm') return rounded(value / 10, 3)
  return unit === 'in' ? rounded(value * CM_PER_IN, 3) : value
}

/** A stored value in the unit that it is shown in, with one decimal; mg/dL with two. */
export function fromMetric(value: number, unit: Unit): number {
  if (unit === '°F') return rounded((value * 9) / 5 + 32, 1)
  if (unit === 'lb') return rounded(value / KG_PER_LB, 1)
  if (unit === 'mg/dL') return rounded(value / UMOL_PER_MG_DL, 2)
  if (unit === 'mm') return rounded(value * 10, 1)
  return unit === 'in' ? rounded(value / CM_PER_IN, 1) : value
}

export const isWithUnits = (measure: Measure): measure is WithUnits => measure in VITAL_INPUT_UNITS
const limitsIn = (measure: Measure, unit: Unit | undefined) =>
  LIMITS[measure].map((limit) => (unit ? fromMetric(limit, unit) : limit)) as [number, number]

const BP_POSITIONS = ['sitting', 'standing', 'lying'] as const

const unitKeys: Record<Unit, MessageKey> = {
  '°C': 'vitals.unitC',
  '°F': 'vitals.unitF',
  kg: 'vitals.unitKg',
  lb: 'vitals.unitLb',
  cm: 'vitals.unitCm',
  in: 'vitals.unitIn',
  mm: 'vitals.unitMm',
  'µmol/L': 'vitals.unitMicromol',
  'mg/dL': 'vitals.unitMgDl',
}
export const unitKey = (unit: Unit) => unitKeys[unit]

export const measureField = (measure: Entered, units: Units): Field => {
  const [min, max] = limitsIn(measure, isWithUnits(measure) ? units[measure] : undefined)
  const field = number(`vitals.${measure}`, { min, max })
  return optional(
    WHOLE.has(measure) ? { ...field, schema: field.schema.int('vitals.whole') } : field,
  )
}

/** The fields of the form, with the limits in the units that are being typed. */
export const vitalFields = (units: Units) => ({
  ...(Object.fromEntries(
    ENTERED.map((measure) => [measure, measureField(measure, units)]),
  ) as Record<Entered, Field<z.ZodType<number | null, number | null | undefined>>>),
  bp_position: optional(
    select('vitals.bp_position', BP_POSITIONS, (position): MessageKey => `vitals.${position}`),
  ),
  height_position: optional(
    select('vitals.height_position', HEIGHT_POSITIONS, (how): MessageKey => `vitals.${how}`),
  ),
})

const metric = vitalFields({})
const amount = orNull(z.number('validation.wrongType'))
const unitSchema = <M extends WithUnits>(measure: M) =>
  z.enum(VITAL_INPUT_UNITS[measure], 'validation.option').optional()

/** A clock that runs a little fast is not the future. */
const CLOCKS_DIFFER_MS = 10 * 60_000
export const isInFuture = (at: Date) => at.getTime() > Date.now() + CLOCKS_DIFFER_MS

/** What is wrong between values that are each possible. Values of another type are reported elsewhere. */
export function betweenMeasures({ systolic_bp, diastolic_bp }: Readonly<Record<string, unknown>>) {
  const found: Record<string, Message> = {}
  if (
    typeof systolic_bp === 'number' &&
    typeof diastolic_bp === 'number' &&
    diastolic_bp >= systolic_bp
  ) {
    found['diastolic_bp'] = { key: 'vitals.diastolicBelow' }
  }
  return found
}

/** The values that can be hardly possible for a patient. */
export const CONFIRMABLE = [
  'heart_rate',
  'pulse_rate',
  'respiratory_rate',
  'oxygen_saturation',
  'temperature_celsius',
  'weight_kg',
  'height_cm',
  'head_circumference_cm',
  'arm_circumference_cm',
  'creatinine_umol_l',
] as const
export type Confirmable = (typeof CONFIRMABLE)[number]

/**
 * `units`: what the values are typed in; without them °C, kg and cm. `check_plausible`: refuse a
 * value of `CONFIRMABLE` that is hardly possible for this patient, so that a screen can ask; without it
 * such a value is stored, and marked where shown. `confirmed`: the values that a user was asked
 * about and called right.
 */
export const SaveVital = Saved.extend({
  patient_id: z.uuid('validation.id'),
  visit_id: orNull(z.uuid('validation.id')),
  timestamp: SentMoment,
  units: z
    .object({
      temperature_celsius: unitSchema('temperature_celsius'),
      weight_kg: unitSchema('weight_kg'),
      height_cm: unitSchema('height_cm'),
      waist_circumference_cm: unitSchema('waist_circumference_cm'),
      head_circumference_cm: unitSchema('head_circumference_cm'),
      arm_circumference_cm: unitSchema('arm_circumference_cm'),
      creatinine_umol_l: unitSchema('creatinine_umol_l'),
    })
    .default({}),
  check_plausible: z.boolean('validation.wrongType').default(false),
  /** What the user answered about the day; a program is not asked. */
  asked: ConfirmedIfAsked,
  confirmed: z.array(z.enum(CONFIRMABLE, 'validation.option'), 'validation.wrongType').default([]),
})
  .extend(forEachName(ENTERED, () => amount))
  .extend(
    fieldsSchema({ bp_position: metric.bp_position, height_position: metric.height_position })
      .shape,
  )
  .superRefine((vital, ctx) => {
    const addIssue = (path: string, message: MessageKey) =>
      ctx.addIssue({ code: 'custom', message, path: path ? [path] : [] })
    for (const measure of ENTERED) {
      const result = measureField(measure, vital.units).schema.safeParse(vital[measure])
      for (const issue of result.error?.issues ?? [])
        ctx.addIssue({ ...issue, path: [measure] } as never) // zod types what it reads otherwise
    }
    for (const [path, { key }] of Object.entries(betweenMeasures(vital))) addIssue(path, key)
    if (ENTERED.every((measure) => vital[measure] === null)) addIssue('', 'vitals.nothingMeasured')
    if (isInFuture(vital.timestamp)) addIssue('timestamp', 'vitals.inFuture')
  })

/** `from` is included, `to` is not. */
const VitalsOf = z.object({
  patientId: z.uuid('validation.id'),
  from: SentMoment.optional(),
  to: SentMoment.optional(),
})
export const ListVitals = VitalsOf.extend({
  page: ListInput.shape.page,
  /** This one alone. */
  id: z.uuid('validation.id').optional(),
})

/** Weight by the square of height, as phones compute it: one decimal more than is shown. */
export const computeBmi = (weightKg: number | null, heightCm: number | null) =>
  weightKg && heightCm ? rounded(weightKg / (heightCm / 100) ** 2, 2) : null

const DOUBTS: readonly MessageKey[] = [
  'vitals.doubtful',
  'vitals.doubtfulSign',
  'vitals.doubtfulChange',
]
/** The fields whose value is possible but hardly plausible, if nothing else is wrong. */
export function doubtsIn(error: unknown): [string, Message][] {
  const fields = error instanceof AppError ? Object.entries(error.fields) : []
  return fields.every(([, { key }]) => DOUBTS.includes(key)) ? fields : []
}
