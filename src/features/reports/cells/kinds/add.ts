import * as z from 'zod'
import { idSchema, MOST_NODES } from '../parts'
import {
  concatPartRows,
  checkNames,
  choiceBox,
  derivedCellRules,
  type CellKindRules,
  noRows,
  combineFormulas,
  plainComputed,
  countPartRows,
  withPart,
} from './kind'

/** How many of the parts of a sum are known, or are zero, instead of the sum. */
const COUNTS = ['known', 'zero'] as const

const schema = z.strictObject({
  add: z.array(idSchema).min(1).max(MOST_NODES),
  counts: z.enum(COUNTS).optional(),
})

export const addCell: CellKindRules<z.infer<typeof schema>> = {
  ...derivedCellRules,
  schema,
  withNames: (cell, swap) => ({ ...cell, add: cell.add.map(swap) }),
  shows: { people: 'count', others: 'other' },
  opens: (cell) => cell.add,
  check: (cell, checks, path) => checkNames(checks, cell.add, [...path, 'add']),
  formula: ({ add: names, counts }, place) =>
    combineFormulas(
      names.map((name) => place.named(name)),
      (parts) => {
        const known = parts.flatMap(({ value }) => value ?? [])
        if (counts === 'known') return plainComputed(known.length, 0)
        if (counts === 'zero') return plainComputed(known.filter((each) => each === 0).length, 0)
        const value = known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0)
        return plainComputed(value, countPartRows(parts))
      },
      // how many parts are so is no rows of theirs
      counts ? noRows : concatPartRows,
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
