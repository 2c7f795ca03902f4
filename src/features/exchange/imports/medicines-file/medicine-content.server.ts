import { formIn, partsOfName } from '~/features/medicines/drugs/written-medicine.server'
import { parseIngredients } from '~/features/medicines/safety/rules/ingredients'
import type { CsvRow } from '../csv.server'
import type { ColumnMapping } from '../lists'
import {
  type ContentTest,
  distinctShare,
  isUnnamed,
  mappingByContent,
  passingShare,
  withoutContradicted,
  headingWords,
} from '../reader/content.server'

/** A strength alone: "500mg", "250 mg/5 mL"; a name has letters before it. */
const isStrength = (cell: string) => {
  const { name, strength } = partsOfName(`x ${cell}`)
  return strength !== null && name === 'x'
}
const isForm = (cell: string) => formIn(cell) !== undefined

/** A text that names an active ingredient that the safety checks know. */
const namesIngredient = (cell: string) =>
  parseIngredients(partsOfName(cell).name.toLowerCase()).some(({ isKnown }) => isKnown)

const isText = (cell: string) => /\p{L}{3}/u.test(cell)

const MEDICINE_CONTENT: readonly ContentTest[] = [
  {
    target: 'strength',
    reads: isStrength,
    share: 0.6,
    vague: headingWords(
      'unit|units|size|description|desc|presentacion|presentation|unidad|apresentacao',
    ),
  },
  {
    target: 'form',
    reads: isForm,
    share: 0.6,
    vague: headingWords(
      'unit|units|category|class|kind|categoria|clase|unidad|presentacion|الوحدة|الفئة',
    ),
  },
]

/** A "type" may be the class, and a "presentation" the strength. */
const MAY_BE_FORM = {
  reads: isForm,
  vague: headingWords('type|medicine type|tipo|presentacion|presentation|apresentacao|النوع|نوع'),
}

/** The columns of a list of medicines by their headings, and by their cells where the headings leave it open. */
export function withContent(
  headers: readonly string[],
  rows: readonly CsvRow[],
  named: ColumnMapping,
): ColumnMapping {
  if (rows.length === 0) return named
  const kept = withoutContradicted(headers, rows, named, { form: MAY_BE_FORM })
  const hasName = ['generic_name', 'brand_name', 'barcode'].some((name) =>
    Object.values(kept).includes(name),
  )
  const column = hasName ? undefined : nameColumn(headers, rows, kept)
  const whole = column === undefined ? kept : { ...kept, [column]: 'generic_name' }
  return { ...whole, ...mappingByContent(headers, rows, whole, MEDICINE_CONTENT) }
}

/** The free column that names most ingredients; in a file without headings else the first texts that differ. */
function nameColumn(
  headers: readonly string[],
  rows: readonly CsvRow[],
  mapping: ColumnMapping,
): string | undefined {
  const free = headers.flatMap((header, at) => (mapping[header] ? [] : [{ header, at }]))
  const shares = free.map(({ at }) => passingShare(rows, at, namesIngredient) ?? 0)
  const most = shares.reduce((a, b) => Math.max(a, b), 0)
  if (most >= 0.3) return free[shares.indexOf(most)]?.header
  return free.find(
    ({ header, at }) =>
      isUnnamed(header) &&
      (passingShare(rows, at, isText) ?? 0) >= 0.9 &&
      (passingShare(rows, at, isForm) ?? 0) < 0.6 &&
      distinctShare(rows, at) >= 0.6,
  )?.header
}
