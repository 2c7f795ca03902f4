import * as z from 'zod'
import { printedForm } from '~/features/medicines/drugs/drug'
import {
  amountText,
  groupedNumber,
  isInsulin,
  MILLIGRAMS,
  parseStrengthParts,
  type Strong,
} from '~/records/strength'
import type { Dosing } from '~/features/medicines/safety/rules/rule'
import { latinDigits } from '~/fields/typed'
import { type DosageForm, ROUTES, type DoseUnit } from '~/shared/dosage'
import type { MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'

/** Counted units, and measures. */
const COUNTED = [
  'tablet',
  'capsule',
  'drop',
  'actuation',
  'suppository',
  'patch',
  'sachet',
  'ampule',
  'application',
] as const
const MEASURED = ['mL', 'mg', 'mcg', 'g', 'units'] as const
export const AMOUNT_UNITS = [...COUNTED, ...MEASURED] as const
export type AmountUnit = (typeof AMOUNT_UNITS)[number]
type Counted = (typeof COUNTED)[number]
export const isCounted = (unit: AmountUnit): unit is Counted =>
  (COUNTED as readonly string[]).includes(unit)

export const FOOD = ['with', 'before', 'after', 'empty'] as const

const whole = (most: number) =>
  z
    .number('validation.wrongType')
    .int('vitals.whole')
    .min(1, 'validation.tooSmall')
    .max(most, 'validation.tooLarge')

/** So many times a day, every n hours, every n days (7: once a week), or a single time. */
export const Often = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('times'), n: whole(24) }),
  z.object({ kind: z.literal('hours'), n: whole(72) }),
  z.object({ kind: z.literal('days'), n: whole(366).min(2, 'validation.tooSmall') }),
  z.object({ kind: z.literal('once') }),
])
export type Often = z.output<typeof Often>

export const Dose = z.object({
  /** Of one dose. */
  amount: z
    .number('validation.wrongType')
    .positive('dose.amountPositive')
    .max(1_000_000_000, 'validation.tooLarge'),
  unit: z.enum(AMOUNT_UNITS, 'validation.option'),
  often: Often,
  days: whole(3650).nullable().default(null),
  as_needed: z.boolean('validation.wrongType').default(false),
  /** Doses in 24 hours, of a medicine that is taken as needed. */
  max_per_day: whole(48).nullable().default(null),
  route: z.enum(ROUTES, 'validation.option').nullable().default(null),
  food: z.enum(FOOD, 'validation.option').nullable().default(null),
})
export type Dose = z.output<typeof Dose>

/**
 * The stored dose with its sentence; null if the sentence beside it differs, as phones can change
 * it.
 */
export function storedDose(stored: unknown, instructions: string | null): Dose | null {
  if (
    stored === null ||
    typeof stored !== 'object' ||
    (stored as { text?: unknown }).text !== instructions
  )
    return null
  return Dose.safeParse(stored).data ?? null
}

/** The columns of the catalogue that a dose is read with. */
export type Dosed = Strong & { form: string; ingredients: readonly string[] }
type Say = (what: Sayable) => string

export const unitLabel = (unit: AmountUnit): MessageKey =>
  isCounted(unit) ? `dose.unit_${unit}` : `drugs.unit_${unit}`

/** "1 tablet by mouth, 3 times a day, for 5 days, after meals", in the reader's language. */
export function doseText(dose: Dose, drug: Dosed, say: Say): string {
  const { route, days, as_needed, max_per_day, food } = dose
  const parts = [
    [formatDoseAmount(dose, drug, say), route && route !== 'other' && say(`dose.route_${route}`)]
      .filter(Boolean)
      .join(' '),
    oftenText(dose.often, say),
    as_needed && say('dose.asNeeded'),
    max_per_day && say({ key: 'dose.max', values: { count: max_per_day } }),
    days && say({ key: 'dose.days', values: { count: days } }),
    food && say(`dose.food_${food}`),
  ].filter(Boolean) as string[]
  return parts.reduce((first, next) => say({ key: 'dose.list', values: { first, next } }))
}

/**
 * "5 mL (250 mg)": of a liquid both, whichever was prescribed; a measure of either alone is
 * mistaken for the other.
 */
export function formatDoseAmount({ amount, unit }: Dose, drug: Dosed, say: Say): string {
  if (isCounted(unit)) {
    if (amount === 0.5 && unit === 'tablet') return say('dose.halfTablet')
    return say({ key: `dose.amount_${unit}`, values: { count: amount, n: groupedNumber(amount) } })
  }
  const [written, other] = [amountText(amount, unit, say), inOtherMeasure(amount, unit, drug)]
  return other ? `${written} (${amountText(other.quantity, other.unit, say)})` : written
}

export function oftenText(often: Often, say: Say): string {
  if (often.kind === 'once') return say('dose.once')
  if (often.kind === 'days' && often.n > 7 && often.n % 7 === 0)
    return say({ key: 'dose.everyWeeks', values: { count: often.n / 7 } })
  const key = { times: 'dose.times', hours: 'dose.hours', days: 'dose.everyDays' } as const
  return say({ key: key[often.kind], values: { count: often.n } })
}

/**
 * The frequencies for typed text. A number finds its own lines first, the times a day before all
 * others: "1" must never propose "every 12 hours".
 */
export function oftenMatching<T extends { value: string; label: string }>(
  options: readonly T[],
  typed: string,
): T[] {
  const text = latinDigits(typed.trim().toLowerCase())
  if (!/^\d+$/.test(text))
    return options.filter(({ label }) => latinDigits(label.toLowerCase()).includes(text))
  const optionDigits = ({ value }: T) => value.split(':')[1] ?? ''
  const exact = options.filter((option) => optionDigits(option) === text)
  return [
    ...exact,
    ...options.filter((option) => optionDigits(option).startsWith(text) && !exact.includes(option)),
  ]
}

/** Thousandths are as exact as a syringe; the rest is what binary fractions leave over. */
export const roundDose = (value: number) => Number(value.toFixed(3))
export const asMass = (
  quantity: number,
  unit: string,
): { quantity: number; unit: 'mg' | 'units' } | null => {
  const factor = MILLIGRAMS[unit]
  if (factor !== undefined) return { quantity: quantity * factor, unit: 'mg' }
  return unit === 'units' ? { quantity, unit: 'units' } : null
}

/** The strength of a medicine with one active substance, in mg or units. */
export function singleStrength({
  ingredients,
  ingredient_strengths,
  dosage_quantity,
  dosage_units,
}: Dosed) {
  if (ingredients.length > 1 || ingredient_strengths !== null || dosage_quantity === null)
    return null
  return asMass(Number(dosage_quantity), dosage_units)
}

/**
 * Millilitres of a dose in milligrams, and the other way round, where the strength per volume is
 * known.
 */
export function inOtherMeasure(
  amount: number,
  unit: AmountUnit,
  drug: Dosed,
): { quantity: number; unit: DoseUnit } | null {
  const strength = singleStrength(drug)
  if (!strength || drug.per_unit !== 'mL' || !drug.per_quantity) return null
  if (unit === 'mL')
    return {
      quantity: roundDose((amount / drug.per_quantity) * strength.quantity),
      unit: strength.unit,
    }
  // units of insulin are measured with a syringe for units
  if (isInsulin(drug)) return null
  const given = asMass(amount, unit)
  if (given?.unit !== strength.unit) return null
  return {
    quantity: roundDose((given.quantity / strength.quantity) * drug.per_quantity),
    unit: 'mL',
  }
}

/**
 * How many of the strength's unit are in one dose: tablets, puffs, or fifths of 5 mL. Null if
 * unknown.
 */
function countPortions(
  { amount, unit }: Dose,
  { per_unit, per_quantity, form }: Dosed,
): number | null {
  if (per_unit === null)
    return unit === COUNTED_BY_FORM[form as DosageForm] && PORTIONED.has(unit) ? amount : null
  const isReference =
    unit === per_unit ||
    (unit === 'actuation' && per_unit === 'dose') ||
    (unit === 'ampule' && per_unit === 'vial')
  return isReference && per_quantity ? amount / per_quantity : null
}
/** One of these holds the strength that the catalogue gives without a volume. */
const PORTIONED = new Set<AmountUnit>(['tablet', 'capsule', 'suppository', 'sachet'])
export const COUNTED_BY_FORM: Partial<Record<DosageForm, AmountUnit>> = {
  tablet: 'tablet',
  capsule: 'capsule',
  suppository: 'suppository',
  patch: 'patch',
  drops: 'drop',
  inhaler: 'actuation',
  spray: 'actuation',
  other: 'sachet',
}

/**
 * The amount of each active substance in one dose and in one day; null if the strength does not say
 * it. Of a patch, which releases it over days, only how often it is changed.
 */
export function computeDosing(dose: Dose, drug: Dosed): Dosing | null {
  const perDose = dose.unit === 'patch' ? [] : substancesPerDose(dose, drug)
  if (!perDose) return null
  const { often, days, as_needed, max_per_day } = dose
  const byHours = often.kind === 'hours' ? Math.max(1, 24 / often.n) : 1
  const planned = often.kind === 'times' ? often.n : byHours
  return {
    perDose,
    dosesPerDay: as_needed && max_per_day ? max_per_day : planned,
    everyDays: daysBetweenDoses(often),
    ...(days !== null && { days }),
  }
}

function daysBetweenDoses(often: Dose['often']): number | null {
  if (often.kind === 'once') return null
  if (often.kind === 'days') return often.n
  return often.kind === 'hours' ? Math.max(1, often.n / 24) : 1
}

function substancesPerDose(dose: Dose, drug: Dosed): Dosing['perDose'] | null {
  const { ingredients, ingredient_strengths } = drug
  const direct = isCounted(dose.unit) || dose.unit === 'mL' ? null : asMass(dose.amount, dose.unit)
  if (direct) return ingredients.length === 1 ? [{ ingredient: ingredients[0]!, ...direct }] : null
  const portions = countPortions(dose, drug)
  const one = singleStrength(drug)
  const strengths = one
    ? [one]
    : parseStrengthParts(ingredient_strengths).map((part) => asMass(part.quantity, part.unit))
  if (portions === null || strengths.length !== ingredients.length || strengths.length === 0)
    return null
  const found = strengths.flatMap((held, at) =>
    held
      ? [{ ingredient: ingredients[at]!, quantity: held.quantity * portions, unit: held.unit }]
      : [],
  )
  return found.length === ingredients.length ? found : null
}

/** How a dose of a form is usually counted. */
export function usualUnit({ form, ingredients }: Pick<Dosed, 'form' | 'ingredients'>): AmountUnit {
  if (isInsulin({ ingredients })) return 'units'
  const counted = COUNTED_BY_FORM[form as DosageForm]
  if (counted) return counted
  if (form === 'syrup' || form === 'bottle') return 'mL'
  return form === 'cream' || form === 'gel' || form === 'lotion' ? 'application' : 'mg'
}

/** What a dose of a form can be counted in, beside mass and units; a form that is not here can be anything. */
const COUNTS_OF_FORM: Partial<Record<DosageForm, readonly AmountUnit[]>> = {
  tablet: ['tablet', 'capsule'],
  capsule: ['capsule', 'tablet'],
  syrup: ['mL', 'drop', 'sachet'],
  ampule: ['ampule', 'mL'],
  injection: ['ampule', 'mL'],
  suppository: ['suppository'],
  cream: ['application', 'mL'],
  gel: ['application', 'mL'],
  lotion: ['application', 'mL'],
  drops: ['drop', 'mL', 'application'],
  spray: ['actuation', 'application', 'mL'],
  inhaler: ['actuation', 'capsule', 'mL'],
  patch: ['patch', 'application'],
}
const MASSES: readonly string[] = ['mcg', 'mg', 'g']

/** Whether a dose of the form can be counted or poured so: no tablet of a syrup, no millilitre of a tablet. */
export function fitsForm(unit: AmountUnit, form: string): boolean {
  const counts = COUNTS_OF_FORM[form as DosageForm]
  return !counts || (!isCounted(unit) && unit !== 'mL') || counts.includes(unit)
}

/** The units for a dose: the usual one, those that fit form and strength, and then all others. */
export function unitsFor(drug: Dosed): AmountUnit[] {
  const counts = COUNTS_OF_FORM[drug.form as DosageForm] ?? []
  const ofStrength = AMOUNT_UNITS.filter(
    (unit) =>
      unit === drug.dosage_units ||
      unit === drug.per_unit ||
      (MASSES.includes(unit) && MASSES.includes(drug.dosage_units)),
  )
  return [...new Set([usualUnit(drug), ...counts, ...ofStrength, ...AMOUNT_UNITS])]
}

/** Doses of the whole course; null when its end is open. */
function countDoses({ often, days, as_needed, max_per_day }: Dose): number | null {
  if (often.kind === 'once') return 1
  if (days === null) return null
  if (as_needed && max_per_day) return max_per_day * days
  if (often.kind === 'times') return often.n * days
  return Math.ceil(roundDose(often.kind === 'hours' ? (24 * days) / often.n : days / often.n))
}

/**
 * Packaged pieces in one dose: tablets, suppositories; also of a dose in mg that whole quarters of
 * a tablet make up.
 */
function countPieces({ amount, unit }: Dose, drug: Dosed): number | null {
  const piece = COUNTED_BY_FORM[drug.form as DosageForm]
  if (
    piece !== 'tablet' &&
    piece !== 'capsule' &&
    piece !== 'suppository' &&
    piece !== 'patch' &&
    piece !== 'sachet'
  )
    return null
  if (unit === piece) return amount
  const [strength, given] = [singleStrength(drug), isCounted(unit) ? null : asMass(amount, unit)]
  if (!strength || drug.per_unit !== null || given?.unit !== strength.unit) return null
  const pieces = roundDose(given.quantity / strength.quantity)
  return Number.isInteger(piece === 'tablet' ? pieces * 4 : pieces) ? pieces : null
}

/**
 * The quantity for the whole course, in pieces; null where the package is not counted in doses (a
 * bottle, a tube).
 */
export function proposedQuantity(dose: Dose, drug: Dosed): number | null {
  const [pieces, doses] = [countPieces(dose, drug), countDoses(dose)]
  return pieces === null || doses === null
    ? null
    : Math.max(1, Math.ceil(roundDose(pieces * doses)))
}

/** Millilitres of the whole course, to choose the bottles by. */
export function totalVolume(dose: Dose, drug: Dosed): number | null {
  const doses = countDoses(dose)
  const other =
    dose.unit === 'mL' || isCounted(dose.unit) ? null : inOtherMeasure(dose.amount, dose.unit, drug)
  const otherVolume = other?.unit === 'mL' ? other.quantity : null
  const volume = dose.unit === 'mL' ? dose.amount : otherVolume
  return volume === null || doses === null ? null : roundDose(volume * doses)
}

/** "20 tablets", "2 × Syrup": a quantity with its unit, in the reader's language. */
export function formatQuantity(quantity: number, form: string, say: Say): string {
  const piece = COUNTED_BY_FORM[form as DosageForm]
  if (piece === 'tablet' || piece === 'capsule' || piece === 'suppository' || piece === 'patch')
    return say({
      key: `dose.amount_${piece}`,
      values: { count: quantity, n: groupedNumber(quantity) },
    })
  const words = printedForm(form)
  return words
    ? `${groupedNumber(quantity)} × ${say(words)}`
    : `${say('dispensing.quantity')}: ${groupedNumber(quantity)}`
}

/** How many days a quantity lasts; for what is not counted in pieces, the prescribed days. */
export function daysSupply(dose: Dose, drug: Dosed, quantity: number): number | null {
  const pieces = countPieces(dose, drug)
  const { often, as_needed, max_per_day } = dose
  if (pieces === null || often.kind === 'once') return dose.days
  const perDay =
    as_needed && max_per_day
      ? max_per_day
      : { times: often.n, hours: 24 / often.n, days: 1 / often.n }[often.kind]
  const days = Math.floor(roundDose(quantity / (pieces * perDay)))
  return days >= 1 && days <= 3650 ? days : null
}
