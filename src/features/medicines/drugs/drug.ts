import * as z from 'zod'
import { drugRecord } from '~/records/drug'
import { isVolumeMissing, strength, type Strong } from '~/records/strength'
import { ConfirmedIfAsked } from '~/shared/earlier-day'
import { DOSAGE_FORMS, type DosageForm, ROUTES } from '~/shared/dosage'
import { isolated } from '~/shared/isolated'
import type { MessageKey } from '~/shared/language'
import type { Sayable } from '~/shared/say'
import { DRUG_FILTERS } from './drug-search'

/**
 * The dosage form on a label or a sheet; null for "other": "6 × Other" means nothing to the
 * patient.
 */
export const printedForm = (form: string): MessageKey | null =>
  form === 'other' ? null : `drugs.form_${form as DosageForm}`

/** Values of the form for a new medicine. */
export const newDrug = {
  ingredients: [],
  min_stock_level: 0,
  is_controlled: false,
  requires_refrigeration: false,
  is_active: true,
}

const DrugValues = drugRecord.save.omit({ id: true, last_modified: true })
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
/**
 * A new medicine needs its volume; a stored one without it can be saved and is listed for
 * completion.
 */
export const SaveDrug = isWhole(drugRecord.save.extend({ confirmed: ConfirmedIfAsked })).refine(
  ({ last_modified, form, per_unit }) =>
    last_modified || !isVolumeMissing({ form, per_unit: per_unit ?? null }),
  { path: ['per_quantity'], message: 'drugs.perRequired' },
)
/** A row of a list: the medicine of a combination has a strength for each ingredient, and some lists state none. */
export const ListedDrug = isWhole(
  DrugValues.extend({ dosage_quantity: drugRecord.fields.dosage_quantity.schema.nullable() }),
)
export const DrugRow = ListedDrug.refine(
  ({ dosage_quantity, ingredient_strengths }) => dosage_quantity !== null || ingredient_strengths,
  { path: ['dosage_quantity'], message: 'validation.required' },
)
export type DrugRow = z.output<typeof DrugRow>

export const DrugId = z.object({ id: z.uuid('validation.id') })
export const SetDrugActive = DrugId.extend({ is_active: z.boolean('validation.wrongType') })

export const DRUG_PAGE_SIZE = 100
const searched = z.string('validation.wrongType').trim().max(200, 'validation.tooLong')
const count = (max: number) =>
  z
    .number('validation.wrongType')
    .int('validation.wrongType')
    .min(0, 'validation.tooSmall')
    .max(max, 'validation.tooLarge')
export const DrugSelection = z.object({
  search: searched.optional(),
  form: z.enum(DOSAGE_FORMS, 'validation.option').optional(),
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
  /** The line of the file where this part begins, to number the rejected lines. */
  firstLine: count(10_000_000).min(1, 'validation.tooSmall').default(2),
  dryRun: z.boolean('validation.wrongType').default(false),
})

type Named = { generic_name: string; brand_name: string | null }

/** "Amoxicillin (Amoxil)". */
export const drugName = ({ generic_name, brand_name }: Named) =>
  brand_name && brand_name !== generic_name ? `${generic_name} (${brand_name})` : generic_name

/**
 * "Amoxicillin (Amoxil) 500 mg", for a text of either direction: name and strength are isolated
 * from each other and their surroundings; otherwise the number joins the Latin name in Arabic and
 * loses its unit.
 */
export function drugTitle(drug: Named & Strong, say: (what: Sayable) => string): string {
  // a number stays with its unit; a long combination may break between its parts
  const amount = strength(drug, say).replaceAll(/(\d) (?!\+)/g, '$1\u00A0')
  return [drugName(drug), amount].filter(Boolean).map(isolated).join(' ')
}
