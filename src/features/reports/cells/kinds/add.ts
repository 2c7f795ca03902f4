import * as z from 'zod'
import { idSchema, MOST_NODES } from '../parts'
import {
  allRows,
  checkNames,
  choiceBox,
  ofMeasures,
  type RulesOfCell,
  noRows,
  ofParts,
  computedOnly,
  rowsOfAllParts,
  withPart,
} from './kind'

/** How many of the parts of a sum are known, or are zero, instead of the sum. */
const COUNTS = ['known', 'zero'] as const

const schema = z.strictObject({
  add: z.array(idSchema).min(1).max(MOST_NODES),
  counts: z.enum(COUNTS).optional(),
})

export const addCell: RulesOfCell<z.infer<typeof schema>> = {
  ...ofMeasures,
  schema,
  withNames: (cell, swap) => ({ ...cell, add: cell.add.map(swap) }),
  shows: { people: 'count', others: 'other' },
  opens: (cell) => cell.add,
  check: (cell, checks, path) => checkNames(checks, cell.add, [...path, 'add']),
  formula: ({ add: names, counts }, place) =>
    ofParts(
      names.map((name) => place.named(name)),
      (parts) => {
        const known = parts.flatMap(({ value }) => value ?? [])
        if (counts === 'known') return computedOnly(known.length, 0)
        if (counts === 'zero') return computedOnly(known.filter((each) => each === 0).length, 0)
        const value = known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0)
        return computedOnly(value, rowsOfAllParts(parts))
      },
      // how many parts are so is no rows of theirs
      counts ? noRows : allRows,
    ),
  begins: ([first]) => [{ add: first ? [first] : [] }],
  words: () => 'reportEditor.cell_add',
  boxes: (cell) => [
    [
      { box: 'measures', value: cell.add, set: (names) => ({ ...cell, add: names }) },
      choiceBox(
        'reportEditor.counted',
        cell.counts ?? 'sum',
        ['sum', ...COUNTS],
        (each) => `reportEditor.counted_${each}`,
        (each) => withPart(cell, 'counts', each === 'sum' ? undefined : each),
      ),
    ],
  ],
}
