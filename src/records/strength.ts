import { latinDigits, numberFrom } from '~/fields/typed'
import { DOSE_UNITS, type DoseUnit } from '~/shared/dosage'
import type { MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { qualified } from './qualified'

/** The unit that a strength refers to; phones do not know it. */
export const PER_UNITS = ['mL', 'g', 'dose', 'actuation', 'drop', 'hour', 'vial', 'sachet'] as const
export type PerUnit = (typeof PER_UNITS)[number]

/** A millilitre and a gram are units of a dose, too. */
export const perLabel = (unit: PerUnit): MessageKey =>
  unit === 'mL' || unit === 'g' ? `drugs.unit_${unit}` : `drugs.per_${unit}`

/**
 * Of these forms a number of milligrams says nothing without the volume, weight or dose that holds
 * it.
 */
export const FORMS_PER_VOLUME = [
  'syrup',
  'drops',
  'injection',
  'ampule',
  'bottle',
  'spray',
  'inhaler',
  'cream',
  'gel',
  'lotion',
] as const
const needsVolume = new Set<string>(FORMS_PER_VOLUME)

export const isVolumeMissing = ({ form, per_unit }: { form: string; per_unit: string | null }) =>
  needsVolume.has(form) && per_unit === null

/**
 * A label without the volume is not printed for an injection: "100 units" on insulin has been taken
 * as the dose. Insulin needs the millilitre; a powder for injection has its strength per vial.
 */
export const isLabelRefused = (drug: {
  form: string
  per_unit: string | null
  ingredients: readonly string[]
}) =>
  (isInsulin(drug) && drug.per_unit !== 'mL') ||
  ((drug.form === 'injection' || drug.form === 'ampule') && drug.per_unit === null)

export const isInsulin = ({ ingredients }: { ingredients: readonly string[] }) =>
  ingredients.some((name) => /\binsulin/i.test(name))

export type Strong = {
  dosage_quantity: number | string | null
  dosage_units: string
  per_quantity: number | null
  per_unit: string | null
  ingredient_strengths: string | null
}
/** The columns of the catalogue that a strength is made of. */
export const STRENGTH_COLUMNS = [
  'dosage_quantity',
  'dosage_units',
  'per_quantity',
  'per_unit',
  'ingredient_strengths',
] as const

/** The columns that name a medicine in a list: names, and the strength. */
export const TITLE_COLUMNS = ['generic_name', 'brand_name', ...STRENGTH_COLUMNS] as const
/** The same of a joined catalogue: `d.generic_name`. */
export const titleColumns = <A extends string>(alias: A) => qualified(alias, TITLE_COLUMNS)
export const pickStrength = (drug: Strong): Strong => ({
  dosage_quantity: drug.dosage_quantity,
  dosage_units: drug.dosage_units,
  per_quantity: drug.per_quantity,
  per_unit: drug.per_unit,
  ingredient_strengths: drug.ingredient_strengths,
})

type Say = (what: Sayable) => string

/**
 * "500 mg", "250 mg/5 mL", "500 mg + 125 mg", in the reader's language; "" when no strength is
 * known.
 */
export function strength(drug: Strong, say: Say): string {
  const parts = parseStrengthParts(drug.ingredient_strengths)
  if (parts.length > 0) {
    const sum = parts.map((part) => amountText(part.quantity, part.unit, say)).join(' + ')
    const per = perText(drug, say)
    return per ? `(${sum})${per}` : sum
  }
  if (drug.dosage_quantity === null || drug.dosage_quantity === '') return ''
  return amountText(Number(drug.dosage_quantity), drug.dosage_units, say) + perText(drug, say)
}

function perText({ per_quantity, per_unit }: Strong, say: Say): string {
  if (per_quantity === null || per_unit === null) return ''
  const unit = say(perLabel(per_unit as PerUnit))
  return per_quantity === 1 ? `/${unit}` : `/${groupedNumber(per_quantity)} ${unit}`
}

/**
 * The next smaller unit: less than 1 mg is written in micrograms, less than 1 g in milligrams (BNF,
 * Prescription writing).
 */
const SMALLER: Partial<Record<string, DoseUnit>> = { mg: 'mcg', g: 'mg' }

/** "250 micrograms" for 0.25 mg: a decimal point that is overlooked is a tenfold error. */
export function amountText(quantity: number, unit: string, say: Say): string {
  const smaller = SMALLER[unit]
  if (smaller && quantity < 1)
    return amountText(Number((quantity * 1000).toPrecision(9)), smaller, say)
  return `${groupedNumber(quantity)} ${say(`drugs.unit_${unit as DoseUnit}`)}`
}

/**
 * Thousands divided by a thin space (ISMP): 100000 and 1000000 look alike, and a comma is a decimal
 * point elsewhere.
 */
export function groupedNumber(value: number): string {
  const [whole = '', decimals] = String(value).split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, '\u202F')
  return decimals ? `${grouped}.${decimals}` : grouped
}

type Part = { quantity: number; unit: DoseUnit }

/** "500 mg + 125 mg" as the catalogue keeps it, one strength for each ingredient in their order. */
export const parseStrengthParts = (stored: string | null): Part[] =>
  stored?.split(' + ').map((part) => {
    const [quantity = '', unit = ''] = part.split(' ')
    return { quantity: Number(quantity), unit: unit as DoseUnit }
  }) ?? []

const UNIT_NAMES: Record<string, DoseUnit> = {
  ...Object.fromEntries(DOSE_UNITS.map((unit) => [unit.toLowerCase(), unit])),
  µg: 'mcg',
  μg: 'mcg',
  ug: 'mcg',
  microgram: 'mcg',
  micrograms: 'mcg',
  microgramo: 'mcg',
  microgramos: 'mcg',
  ميكروغرام: 'mcg',
  unit: 'units',
  iu: 'units',
  ui: 'units',
  unidad: 'units',
  unidades: 'units',
  وحدة: 'units',
  ملغ: 'mg',
  ملغم: 'mg',
  مغ: 'mg',
  غ: 'g',
  مل: 'mL',
}
const PER_NAMES: Record<string, PerUnit> = {
  ...Object.fromEntries(PER_UNITS.map((unit) => [unit.toLowerCase(), unit])),
  مل: 'mL',
  غ: 'g',
  dosis: 'dose',
  جرعة: 'dose',
  puff: 'actuation',
  spray: 'actuation',
  pulsación: 'actuation',
  بخّة: 'actuation',
  gota: 'drop',
  قطرة: 'drop',
  h: 'hour',
  hr: 'hour',
  hora: 'hour',
  ساعة: 'hour',
  sobre: 'sachet',
}

type Read = { quantity: number | null; unit: string }

function segment(text: string): Read | null {
  const [, digits = '', unit = ''] = /^([\d.,٫]*)\s*(\p{L}[\p{L}\p{M}]*)?$/u.exec(text.trim()) ?? []
  const quantity = digits === '' ? null : numberFrom(digits)
  return typeof quantity === 'string' || (quantity === null && unit === '')
    ? null
    : { quantity, unit: unit.toLowerCase() }
}

export type ReadStrength = Partial<Record<(typeof STRENGTH_COLUMNS)[number], number | string>>

/**
 * Reads a written strength: 500 mg, 250 mg/5 mL, 100 units/mL, 500 mg + 125 mg, 400/57 mg per 5 mL.
 * Null if it is not one, or a percentage, which must be read by form. The total of a combination is
 * not guessed.
 */
export function readStrength(text: string): ReadStrength | null {
  const written = latinDigits(text)
    .trim()
    .replaceAll(/[()]/g, '')
    .replaceAll(/\s(?:per|por|لكل)\s/g, '/')
  const segments = written.split(/\s*[/+]\s*/).map(segment)
  if (segments.some((one) => one === null)) return null
  const read = segments as Read[]
  const per = parsePerUnit(read, written)
  const parts = withUnits(per ? read.slice(0, -1) : read)
  if (!parts) return null
  const volume = per && { per_quantity: per.quantity, per_unit: per.unit }
  if (parts.length === 1)
    return { dosage_quantity: parts[0]!.quantity, dosage_units: parts[0]!.unit, ...volume }
  return {
    ingredient_strengths: parts.map(({ quantity, unit }) => `${quantity} ${unit}`).join(' + '),
    ...volume,
  }
}

/**
 * The last segment after a slash, if it is a volume, a weight or a dose: "/5 mL", "/g" after
 * milligrams, "/puff".
 */
function parsePerUnit(
  read: readonly Read[],
  written: string,
): { quantity: number; unit: PerUnit } | null {
  const [last, before] = [read.at(-1)!, read.at(-2)]
  const unit = PER_NAMES[last.unit] ?? PER_NAMES[last.unit.replace(/e?s$/, '')]
  const isAfterSlash = written.lastIndexOf('/') > written.lastIndexOf('+')
  if (!before || !unit || !isAfterSlash || (unit === 'g' && UNIT_NAMES[before.unit] === 'g'))
    return null
  return { quantity: last.quantity ?? 1, unit }
}

/** "500/125 mg": a strength without its unit has the one that follows. */
function withUnits(read: readonly Read[]): Part[] | null {
  const parts = read.map(({ quantity, unit }, at) => ({
    quantity,
    unit: UNIT_NAMES[unit || (read.slice(at).find((next) => next.unit)?.unit ?? '')],
  }))
  const isWhole = parts.every(
    ({ quantity, unit }) => quantity !== null && quantity > 0 && unit !== undefined,
  )
  const isMix = parts.length > 1 && parts.some(({ unit }) => unit === 'mL' || unit === 'L')
  return isWhole && !isMix ? (parts as Part[]) : null
}

/** Milligrams in a unit of mass. */
export const MILLIGRAMS: Partial<Record<string, number>> = { mcg: 0.001, mg: 1, g: 1000 }

type Amount = { quantity: number; unit: string }
/** What each substance of a strength weighs, in milligrams where its unit is one of mass. */
const amountsIn = (read: ReadStrength): Amount[] => {
  const parts =
    typeof read.ingredient_strengths === 'string'
      ? parseStrengthParts(read.ingredient_strengths)
      : [{ quantity: Number(read.dosage_quantity), unit: String(read.dosage_units) }]
  return parts.map(({ quantity, unit }) => {
    const factor = MILLIGRAMS[unit]
    return factor === undefined ? { quantity, unit } : { quantity: quantity * factor, unit: 'mg' }
  })
}

/**
 * Whether two written strengths are one: "0.5 g" and "500 mg", "50 mg/mL" and "250 mg/5 mL", a combination in either
 * order. A volume or weight counts where both name one. Beside a combination the amount of one of its substances, or
 * their sum, says the same.
 */
export function isSameStrength(a: ReadStrength, b: ReadStrength): boolean {
  const isPerOne = a.per_unit !== undefined && b.per_unit !== undefined
  if (isPerOne && a.per_unit !== b.per_unit) return false
  const amounts = (read: ReadStrength) =>
    amountsIn(read)
      .map(({ quantity, unit }) => ({
        quantity: isPerOne ? quantity / Number(read.per_quantity) : quantity,
        unit,
      }))
      .toSorted(
        (one, other) =>
          Number(one.unit > other.unit) - Number(one.unit < other.unit) ||
          one.quantity - other.quantity,
      )
  const [ofA, ofB] = [amounts(a), amounts(b)]
  const isOne = (one: Amount, other: Amount) =>
    one.unit === other.unit && Math.abs(one.quantity - other.quantity) <= 1e-9 * one.quantity
  if (ofA.length === ofB.length) return ofA.every((one, at) => isOne(one, ofB[at]!))
  const [[single], several] = ofA.length === 1 ? [ofA, ofB] : [ofB, ofA]
  if (single === undefined) return false
  const quantity = several.reduce((all, part) => all + part.quantity, 0)
  const hasSum = several.every(({ unit }) => unit === single.unit)
  return (
    several.some((one) => isOne(single, one)) ||
    (hasSum && isOne(single, { quantity, unit: single.unit }))
  )
}

/** As the catalogue keeps the strengths of a combination; null when the text is none. */
export function tidyStrengths(text: string): string | null {
  const read = readStrength(text)
  return read && read.per_unit === undefined && typeof read.ingredient_strengths === 'string'
    ? read.ingredient_strengths
    : null
}
