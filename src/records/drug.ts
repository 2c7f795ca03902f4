import * as z from 'zod'
import { boolean, longText, number, optional, select, tags, text } from '~/fields/field'
import { DOSAGE_FORMS, DOSE_UNITS, ROUTES } from '~/shared/dosage'
import type { MessageKey } from '~/shared/language'
import { normalizeBarcode } from './package-code'
import { record } from './record'
import { PER_UNITS, perLabel, tidyStrengths } from './strength'

/** A larger quantity, strength or price is a typing error, and would not fit into the ledger. */
export const LARGEST_QUANTITY = 1_000_000_000

/** An ISO 4217 code in capitals. */
export function currency(label: MessageKey) {
  const field = optional(text(label, { max: 3, hint: 'drugs.currencyHint' }))
  return {
    ...field,
    schema: field.schema
      .transform((code) => code && code.toUpperCase())
      .refine((code) => !code || /^[A-Z]{3}$/.test(code), 'drugs.currencyCode'),
  }
}

const typedBarcode = text('drugs.barcode', { max: 200, hint: 'drugs.barcodeHint' })
const barcode = optional({
  ...typedBarcode,
  // a GS1 code, as scanners send it, holds more than the package's number, and a control between its parts
  schema: z
    .string('validation.wrongType')
    .max(200, 'validation.tooLong')
    .transform(normalizeBarcode)
    .pipe(typedBarcode.schema),
})
const ingredients = tags('drugs.ingredients', { hint: 'drugs.ingredientsHint', max: 20 })
const ingredientStrengths = optional(
  text('drugs.ingredient_strengths', { max: 300, hint: 'drugs.ingredientStrengthsHint' }),
)
const perQuantity = number('drugs.per_quantity', {
  min: 0.0001,
  max: LARGEST_QUANTITY,
  hint: 'drugs.perHint',
})

export const drugRecord = record('drug_catalogue', {
  barcode: {
    field: {
      ...barcode,
      schema: barcode.schema.refine((code) => !code || code.length <= 64, 'drugs.barcodeLong'),
    },
    device: 'text?',
  },
  generic_name: {
    field: text('drugs.generic_name', { requiredMessage: 'drugs.genericNameRequired' }),
    device: 'requiredText',
  },
  brand_name: { field: optional(text('drugs.brand_name')), device: 'text?' },
  ingredients: {
    field: {
      ...ingredients,
      // allergies and interactions are looked up by these names
      schema: ingredients.schema.transform((names) => [
        ...new Set(names.map((name) => name.toLowerCase())),
      ]),
    },
  },
  form: {
    field: select('drugs.form', DOSAGE_FORMS, (form): MessageKey => `drugs.form_${form}`),
    device: 'requiredText',
  },
  route: {
    field: select('drugs.route', ROUTES, (route): MessageKey => `drugs.route_${route}`),
    device: 'requiredText',
  },
  dosage_quantity: {
    field: number('drugs.dosage_quantity', { min: 0.0001, max: LARGEST_QUANTITY }),
    device: 'numberAsText',
  },
  dosage_units: {
    field: select('drugs.dosage_units', DOSE_UNITS, (unit): MessageKey => `drugs.unit_${unit}`),
    device: 'requiredText',
  },
  per_quantity: { field: optional(perQuantity), keptIfAbsent: true },
  per_unit: {
    field: optional(select('drugs.per_unit', PER_UNITS, perLabel)),
    keptIfAbsent: true,
  },
  ingredient_strengths: {
    field: {
      ...ingredientStrengths,
      schema: ingredientStrengths.schema
        .transform((typed) => typed && (tidyStrengths(typed) ?? typed))
        .refine(
          (typed) => !typed || tidyStrengths(typed) !== null,
          'drugs.ingredientStrengthsWrong',
        ),
    },
    keptIfAbsent: true,
  },
  manufacturer: { field: optional(text('drugs.manufacturer')), device: 'text?' },
  sale_price: {
    field: optional(number('drugs.sale_price', { min: 0, max: LARGEST_QUANTITY })),
    device: 'numberAsText',
  },
  sale_currency: { field: currency('drugs.sale_currency'), device: 'text?' },
  min_stock_level: {
    field: number('drugs.min_stock_level', {
      min: 0,
      max: LARGEST_QUANTITY,
      hint: 'drugs.minHint',
    }),
    device: 'number',
  },
  max_stock_level: {
    field: optional(number('drugs.max_stock_level', { min: 0, max: LARGEST_QUANTITY })),
    device: 'number?',
  },
  is_controlled: { field: boolean('drugs.is_controlled'), device: 'boolean' },
  requires_refrigeration: { field: boolean('drugs.requires_refrigeration'), device: 'boolean' },
  is_active: { field: boolean('drugs.is_active', { hint: 'drugs.activeHint' }), device: 'boolean' },
  notes: { field: optional(longText('drugs.notes')), device: 'text?' },
  recorded_by_user_id: { device: 'id?' },
  metadata: { device: 'json' },
})
export type DrugColumn = keyof typeof drugRecord.fields
