import * as z from 'zod'
import { boolean, longText, number, optional, schemaOf, select, tags, text } from '~/fields/field'
import type { MessageKey } from '~/shared/language'
import { Saved } from '~/shared/record'
import type { Sayable } from '~/shared/say'
import { barcodeOf } from './package-code'
import {
  DOSE_UNITS,
  isVolumeMissing,
  PER_UNITS,
  perLabel,
  strength,
  type Strong,
  tidyStrengths,
} from './strength'

export { type DoseUnit, DOSE_UNITS, strength } from './strength'

/** The specification's section 9. */
export const FORMS = [
  'tablet',
  'syrup',
  'ampule',
  'suppository',
  'cream',
  'drops',
  'bottle',
  'spray',
  'gel',
  'lotion',
  'inhaler',
  'capsule',
  'injection',
  'patch',
  'other',
] as const
export const ROUTES = [
  'oral',
  'sublingual',
  'rectal',
  'topical',
  'inhalation',
  'intravenous',
  'intramuscular',
  'intradermal',
  'subcutaneous',
  'nasal',
  'ophthalmic',
  'otic',
  'vaginal',
  'transdermal',
  'other',
] as const
export type Form = (typeof FORMS)[number]

/** The dosage form on a label or a sheet; null for "other": "6 × Other" tells the patient nothing. */
export const printedForm = (form: string): MessageKey | null =>
  form === 'other' ? null : `drugs.form_${form as Form}`
export type Route = (typeof ROUTES)[number]

/** More is a slip of the finger, and would not fit into the ledger. */
export const MOST = 1_000_000_000

const barcode = optional(text('drugs.barcode', { max: 200, hint: 'drugs.barcodeHint' }))
const ingredients = tags('drugs.ingredients', { hint: 'drugs.ingredientsHint', max: 20 })
const ingredientStrengths = optional(
  text('drugs.ingredient_strengths', { max: 300, hint: 'drugs.ingredientStrengthsHint' }),
)
const currency = optional(text('drugs.sale_currency', { max: 3, hint: 'drugs.currencyHint' }))

export const drugFields = {
  generic_name: text('drugs.generic_name', { requiredMessage: 'drugs.genericNameRequired' }),
  brand_name: optional(text('drugs.brand_name')),
  ingredients: {
    ...ingredients,
    // allergies and interactions are looked up by these names
    schema: ingredients.schema.transform((names) => [
      ...new Set(names.map((name) => name.toLowerCase())),
    ]),
  },
  form: select('drugs.form', FORMS, (form): MessageKey => `drugs.form_${form}`),
  route: select('drugs.route', ROUTES, (route): MessageKey => `drugs.route_${route}`),
  dosage_quantity: number('drugs.dosage_quantity', { min: 0.0001, max: MOST }),
  dosage_units: select(
    'drugs.dosage_units',
    DOSE_UNITS,
    (unit): MessageKey => `drugs.unit_${unit}`,
  ),
  per_quantity: optional(
    number('drugs.per_quantity', { min: 0.0001, max: MOST, hint: 'drugs.perHint' }),
  ),
  per_unit: optional(select('drugs.per_unit', PER_UNITS, perLabel)),
  ingredient_strengths: {
    ...ingredientStrengths,
    schema: ingredientStrengths.schema
      .transform((text) => text && (tidyStrengths(text) ?? text))
      .refine((text) => !text || tidyStrengths(text) !== null, 'drugs.ingredientStrengthsWrong'),
  },
  barcode: {
    ...barcode,
    // what a scanner sends of a GS1 code is the package's number and more
    schema: barcode.schema
      .transform((code) => code && barcodeOf(code))
      .refine((code) => !code || code.length <= 64, 'drugs.barcodeLong'),
  },
  manufacturer: optional(text('drugs.manufacturer')),
  sale_price: optional(number('drugs.sale_price', { min: 0, max: MOST })),
  sale_currency: {
    ...currency,
    schema: currency.schema
      .transform((code) => code && code.toUpperCase())
      .refine((code) => !code || /^[A-Z]{3}$/.test(code), 'drugs.currencyCode'),
  },
  min_stock_level: number('drugs.min_stock_level', { min: 0, max: MOST, hint: 'drugs.minHint' }),
  max_stock_level: optional(number('drugs.max_stock_level', { min: 0, max: MOST })),
  is_controlled: boolean('drugs.is_controlled'),
  requires_refrigeration: boolean('drugs.requires_refrigeration'),
  is_active: boolean('drugs.is_active', { hint: 'drugs.activeHint' }),
  notes: optional(longText('drugs.notes')),
}
export const DRUG_COLUMNS = Object.keys(drugFields) as (keyof typeof drugFields)[]
/** What a form for a new medicine begins with. */
export const newDrug = {
  ingredients: [],
  min_stock_level: 0,
  is_controlled: false,
  requires_refrigeration: false,
  is_active: true,
}

const DrugValues = schemaOf(drugFields).extend({
  // newer than the programs that save medicines: they may leave them out
  per_quantity: drugFields.per_quantity.schema.optional(),
  per_unit: drugFields.per_unit.schema.optional(),
  ingredient_strengths: drugFields.ingredient_strengths.schema.optional(),
})
const isInOrder = (drug: { min_stock_level: number; max_stock_level: number | null }) =>
  drug.max_stock_level === null || drug.max_stock_level >= drug.min_stock_level
const below = { path: ['max_stock_level'], message: 'drugs.maxBelowMin' }
type Volume = { per_quantity?: number | null; per_unit?: string | null }
type Combined = { ingredients: readonly string[]; ingredient_strengths?: string | null }
const hasQuantity = ({ per_quantity, per_unit }: Volume) => !per_unit || Boolean(per_quantity)
const hasUnit = ({ per_quantity, per_unit }: Volume) => !per_quantity || Boolean(per_unit)
const isOfEach = ({ ingredients, ingredient_strengths }: Combined) =>
  !ingredient_strengths || ingredient_strengths.split(' + ').length === ingredients.length
const isWhole = <S extends z.ZodType<Volume & Combined & Parameters<typeof isInOrder>[0]>>(
  schema: S,
) =>
  schema
    .refine(isInOrder, below)
    .refine(hasQuantity, { path: ['per_quantity'], message: 'validation.required' })
    .refine(hasUnit, { path: ['per_unit'], message: 'validation.required' })
    .refine(isOfEach, { path: ['ingredient_strengths'], message: 'drugs.ingredientStrengthsCount' })
/** A new medicine needs its volume; one that is there already stays as it is and is listed for completion. */
export const SaveDrug = isWhole(Saved.extend(DrugValues.shape)).refine(
  ({ last_modified, form, per_unit }) =>
    last_modified || !isVolumeMissing({ form, per_unit: per_unit ?? null }),
  { path: ['per_quantity'], message: 'drugs.perRequired' },
)
export const DrugRow = isWhole(DrugValues)
export type DrugRow = z.output<typeof DrugRow>

export const DrugId = z.object({ id: z.uuid('validation.id') })
export const SetDrugActive = DrugId.extend({ is_active: z.boolean('validation.wrongType') })

/** The specification's page of the catalogue. */
export const DRUG_PAGE_SIZE = 100
export const DRUG_FILTERS = [
  'active',
  'inactive',
  'controlled',
  'refrigerated',
  'unnamed',
  'unknown',
  'no_volume',
] as const
export type DrugFilter = (typeof DRUG_FILTERS)[number]
const searched = z.string('validation.wrongType').trim().max(200, 'validation.tooLong')
const count = (max: number) =>
  z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'validation.tooSmall')
    .max(max, 'validation.tooLarge')
export const DrugSelection = z.object({
  search: searched.optional(),
  form: z.enum(FORMS, 'validation.option').optional(),
  route: z.enum(ROUTES, 'validation.option').optional(),
  only: z.enum(DRUG_FILTERS, 'validation.option').optional(),
})
export const ListDrugs = DrugSelection.extend({
  limit: count(1000).min(1, 'validation.tooSmall').default(DRUG_PAGE_SIZE),
  offset: count(10_000_000).default(0),
  sort: z
    .enum(['generic_name', 'brand_name', 'form', 'min_stock_level'], 'validation.option')
    .optional(),
  direction: z.enum(['asc', 'desc'], 'validation.option').optional(),
})
export const SearchDrugs = z.object({
  searchQuery: searched,
  limit: count(50).min(1, 'validation.tooSmall').default(10),
})
export const ScanDrug = z.object({
  code: z
    .string('validation.wrongType')
    .min(1, 'validation.required')
    .max(500, 'validation.tooLong'),
})

/** One line of a CSV file at most, as it came: column -> text. */
export const ImportDrugs = z.object({
  rows: z
    .array(
      z.record(
        z.string(),
        z.string('validation.wrongType').max(5000, 'validation.tooLong'),
        'validation.wrongType',
      ),
      'validation.wrongType',
    )
    .min(1, 'validation.required')
    .max(1000, 'validation.tooMany'),
  /** Where the batch begins in its file, so that what is refused can be found there. */
  firstLine: count(10_000_000).min(1, 'validation.tooSmall').default(2),
  dryRun: z.boolean('validation.wrongType').default(false),
})

type Named = { generic_name: string; brand_name: string | null }

/** "Amoxicillin (Amoxil)". */
export const drugName = ({ generic_name, brand_name }: Named) =>
  brand_name && brand_name !== generic_name ? `${generic_name} (${brand_name})` : generic_name

/**
 * "Amoxicillin (Amoxil) 500 mg", for a text of either direction: name and strength are isolated from each other and from
 * what is around them, or in Arabic the number would go with the Latin name and lose its unit.
 */
export function drugTitle(drug: Named & Strong, say: (what: Sayable) => string): string {
  // a number stays with its unit; a long combination may break between its parts
  const amount = strength(drug, say).replaceAll(/(\d) (?!\+)/g, '$1\u00A0')
  return [drugName(drug), amount]
    .filter(Boolean)
    .map((text) => `\u2068${text}\u2069`)
    .join(' ')
}
