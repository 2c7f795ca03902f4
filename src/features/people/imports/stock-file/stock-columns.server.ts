import { batchRecord } from '~/records/batch'
import { drugRecord } from '~/records/drug'
import { knownHeadings, labelIn, mappingByHeadings } from '../reader/headings.server'
import type { Mapping, Target } from '../lists'
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
const REQUIRED = new Set<string>(['batch_number', 'expiry_date', 'quantity'])

/** What columns of a list of stock may fill: the medicine, its batch, and how much of it there is. */
export const stockTargets = (): Target[] =>
  [
    ...MEDICINE.map((name) => ({ name, label: labelIn(drugRecord.fields[name].label) })),
    { name: 'strength', label: labelIn('imports.writtenStrength') },
    ...BATCH.map((name) => ({ name, label: labelIn(batchRecord.fields[name].label) })),
    { name: 'quantity', label: labelIn('inventory.quantity') },
  ].map((target) => ({ ...target, required: REQUIRED.has(target.name) }))

export const stockHeadingsKnown = () => {
  const targets = stockTargets()
  const names = new Set([...targets.map(({ name }) => name), 'name'])
  return knownHeadings([
    [['strength', Object.values(labelIn('drugs.dosage_quantity')).map((text) => text ?? '')]],
    targets.map(({ name, label }) => [
      name,
      [name, ...Object.values(label).map((text) => text ?? '')],
    ]),
    Object.entries(stockHeadings),
    Object.entries(medicineHeadings).filter(([name]) => names.has(name)),
  ])
}

export function guessStock(headers: readonly string[]): Mapping {
  const guessed = mappingByHeadings(headers, stockHeadingsKnown())
  const isTaken = Object.values(guessed).includes('generic_name')
  return Object.fromEntries(
    Object.entries(guessed).flatMap(([header, target]) =>
      target === 'name' ? (isTaken ? [] : [[header, 'generic_name']]) : [[header, target]],
    ),
  )
}
