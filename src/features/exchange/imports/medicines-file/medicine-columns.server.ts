import { DRUG_COLUMNS } from '~/features/medicines/drugs/catalogue-file'
import { drugRecord } from '~/records/drug'
import {
  headingsOfTargets,
  labelIn,
  mappingByHeadings,
  translatedTexts,
} from '../reader/headings.server'
import type { CsvRow } from '../csv.server'
import type { ColumnMapping, ImportTarget } from '../lists'
import { withContent } from './medicine-content.server'
import headings from './medicine-headings.json'

/** What columns of a list of medicines may fill. */
export const medicineTargets = (): ImportTarget[] => [
  ...DRUG_COLUMNS.map((name) => ({
    name,
    label: labelIn(drugRecord.fields[name].label),
    required: name === 'generic_name',
    ...(drugRecord.fields[name].kind === 'number' && { holds: 'numbers' as const }),
  })),
  { name: 'strength', label: labelIn('imports.writtenStrength'), required: false },
  { name: 'id', label: labelIn('imports.recordId'), required: false },
]

/** "Strength" names the column of a written strength, of which a number alone is one. */
export const STRENGTH = { strength: translatedTexts(labelIn('drugs.dosage_quantity')) }

/**
 * How lists call their columns, in English, Spanish, Portuguese, French and Arabic. `name` is a name of the medicine as
 * a whole: its generic name, or its brand where another column has the generic one.
 */
export const medicineHeadings = () => headingsOfTargets(medicineTargets(), [headings], STRENGTH)

export function guessMedicines(
  headers: readonly string[],
  rows: readonly CsvRow[] = [],
): ColumnMapping {
  const guessed = mappingByHeadings(headers, medicineHeadings())
  const names = Object.values(guessed)
  const isTaken = (target: string) => names.includes(target)
  const named: ColumnMapping = Object.fromEntries(
    Object.entries(guessed).flatMap(([header, target]) => {
      if (target === 'name') {
        if (!isTaken('generic_name')) return [[header, 'generic_name']]
        return isTaken('brand_name') ? [] : [[header, 'brand_name']]
      }
      // a list of brands alone: the brand is the only name of the medicine
      if (target === 'brand_name' && !isTaken('generic_name') && !isTaken('name'))
        return [[header, 'generic_name']]
      return [[header, target]]
    }),
  )
  return withContent(headers, rows, named)
}
