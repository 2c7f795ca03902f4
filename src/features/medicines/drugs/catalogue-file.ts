import { keysIn } from '~/shared/object'
import type { Field } from '~/fields/field'
import { latinDigits, numberFrom } from '~/fields/typed'
import { type DrugColumn, drugRecord } from '~/records/drug'
import { readStrength } from '~/records/strength'

export const DRUG_COLUMNS = keysIn(drugRecord.fields)
/** The columns of a catalogue's file, in its own export and as an import reads them. */
export const FILE_COLUMNS = ['id', ...DRUG_COLUMNS] as const
type CatalogueRow = Record<string, string>

const YES = new Set(['true', 'yes', 'y', '1', 'x', 'نعم', 'sí', 'si'])
const NO = new Set(['false', 'no', 'n', '0', '', 'لا'])

/**
 * The cells of a line as values of the fields; columns that the file lacks are left out. Unreadable
 * cells stay as text for the schema to refuse.
 */
export function parseDrugCells(row: CatalogueRow): Record<string, unknown> {
  const given = new Map(
    Object.entries(row).map(([name, text]) => [headingToColumn(name), text.trim()]),
  )
  const cells = Object.fromEntries(
    DRUG_COLUMNS.filter(
      (name) => given.has(name) && !(KEPT_IF_EMPTY.has(name) && !given.get(name)),
    ).map((name) => [name, parseDrugCell(name, given.get(name)!)]),
  )
  return { ...cells, ...strengthIn(given) }
}

/** An empty cell says nothing: a new medicine gets the default, and a stored one keeps its value. */
const KEPT_IF_EMPTY = new Set<DrugColumn>([
  'min_stock_level',
  'is_controlled',
  'requires_refrigeration',
  'is_active',
])

/**
 * "250 mg/5 mL" in the column of the quantity, or in one of its own, is read whole; a number alone
 * has its own columns.
 */
function strengthIn(given: ReadonlyMap<string, string>) {
  const written = [given.get('dosage_quantity'), given.get('strength')].find(
    (text) => text && /\p{L}/u.test(text),
  )
  return written ? readStrength(written) : null
}

/** "Generic name" and "generic_name" are the same heading. */
export const headingToColumn = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')

function parseDrugCell(name: DrugColumn, text: string): unknown {
  const { kind, limits, options } = drugRecord.fields[name] as Field
  if (kind === 'number') return numberFrom(text, limits)
  if (kind === 'tags')
    return text
      .split(/[;+،]|,(?!\d)/)
      .map((word) => word.trim())
      .filter(Boolean)
  if (kind === 'boolean') return booleanFrom(latinDigits(text).toLowerCase())
  // matches "Tablet" and "ML" in any case
  return options?.find(({ value }) => value.toLowerCase() === text.toLowerCase())?.value ?? text
}

function booleanFrom(text: string): unknown {
  if (YES.has(text)) return true
  return NO.has(text) ? false : text
}

type Keyed = {
  generic_name: string
  brand_name: string | null
  form: string
  route: string
  dosage_quantity: number | null
  dosage_units: string
  per_quantity?: number | null
  per_unit?: string | null
  ingredient_strengths?: string | null
}

/** Identifies the same medicine in a line without id and barcode. */
export const drugKey = (drug: Keyed) =>
  [...bareKey(drug), drug.per_quantity ?? '', drug.per_unit ?? '', drug.ingredient_strengths ?? '']
    .join('\u001F')
    .toLowerCase()
/** Without the volume, for a line that completes a medicine which has none yet. */
export const keyWithoutVolume = (drug: Keyed) =>
  [...bareKey(drug), '', '', ''].join('\u001F').toLowerCase()

const bareKey = (drug: Keyed) =>
  [
    drug.generic_name,
    drug.brand_name ?? '',
    drug.form,
    drug.route,
    drug.dosage_quantity ?? '',
    drug.dosage_units,
  ] as const
export const bareBarcode = (barcode: string) => barcode.replace(/^0+/, '')
