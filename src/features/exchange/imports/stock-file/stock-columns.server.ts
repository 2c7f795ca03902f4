import { batchRecord } from '~/records/batch'
import { drugRecord } from '~/records/drug'
import type { FormatKind } from '../reader/formats'
import { headingsOfTargets, labelIn, mappingByHeadings } from '../reader/headings.server'
import type { CsvRow } from '../csv.server'
import type { ColumnMapping, ImportTarget } from '../lists'
import { STRENGTH } from '../medicines-file/medicine-columns.server'
import { withContent } from '../medicines-file/medicine-content.server'
import medicineHeadings from '../medicines-file/medicine-headings.json'
import stockHeadings from './stock-headings.json'

const MEDICINE = ['generic_name', 'brand_name', 'form', 'route', 'barcode'] as const
const BATCH = [
  'batch_number',
  'expiry_date',
  'supplier_name',
  'purchase_price',
  'purchase_currency',
] as const
const HOLDS: Readonly<Record<string, FormatKind>> = {
  expiry_date: 'dates',
  quantity: 'numbers',
  purchase_price: 'numbers',
}
const REQUIRED = new Set<string>(['batch_number', 'expiry_date', 'quantity'])

/** What columns of a list of stock may fill: the medicine, its batch, and how much of it there is. */
export const stockTargets = (): ImportTarget[] =>
  [
    ...MEDICINE.map((name) => ({ name, label: labelIn(drugRecord.fields[name].label) })),
    { name: 'strength', label: labelIn('imports.writtenStrength') },
    ...BATCH.map((name) => ({ name, label: labelIn(batchRecord.fields[name].label) })),
    { name: 'quantity', label: labelIn('inventory.quantity') },
  ].map((target) => ({
    ...target,
    required: REQUIRED.has(target.name),
    ...(HOLDS[target.name] && { holds: HOLDS[target.name] }),
  }))

export const stockHeadingsKnown = () => {
  const targets = stockTargets()
  const names = new Set([...targets.map(({ name }) => name), 'name'])
  const ofMedicines = Object.entries(medicineHeadings).filter(([name]) => names.has(name))
  return headingsOfTargets(targets, [stockHeadings, Object.fromEntries(ofMedicines)], STRENGTH)
}

export function guessStock(
  headers: readonly string[],
  rows: readonly CsvRow[] = [],
): ColumnMapping {
  const guessed = mappingByHeadings(headers, stockHeadingsKnown())
  const isTaken = Object.values(guessed).includes('generic_name')
  const named: ColumnMapping = Object.fromEntries(
    Object.entries(guessed).flatMap(([header, target]) => {
      if (target !== 'name') return [[header, target]]
      return isTaken ? [] : [[header, 'generic_name']]
    }),
  )
  return withContent(headers, rows, named)
}
